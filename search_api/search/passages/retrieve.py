"""Finds the passages that may answer a question: by words and meaning, ranked like records, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.errors import ModelMissing, Unavailable
from es_gateway.searching import search_all
from es_mappings.names import alias
from reading.language import sure_language
from search_api.search.passages.coverage import content_words, coverage, weights
from search_api.search.passages.follow_up import in_context
from search_api.search.passages.interactions import interactions
from search_api.search.passages.passage_arms import FoundPassages, PassageSearch, found_by
from search_api.search.passages.scope import scopes_of
from search_api.search.passages.tables import DocumentTable, table_from
from search_api.search.passages.values import AnswerConfig, AskRequest, FoundPassage
from search_api.search.pipeline import SearchParts
from search_api.search.ranking.candidates import Candidates
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.fields import Fields, fields_of
from search_api.search.ranking.rank import Ranking, rank
from search_api.search.ranking.rerank import rerank
from search_api.search.ranking.signals.cross_encoder import CrossEncoderReading
from search_api.search.ranking.signals.passage_dense import PassageDense
from search_api.search.ranking.signals.relevance import Relevance
from search_api.search.request import Part, SearchRequest
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.targets import target_of

_MOST_NEAR = 3
_READ: frozenset[Part] = frozenset(("place", "time", "relation"))


@dataclass(frozen=True, slots=True)
class Retrieved:
    """``passages``: best first, numbered, at most ``top_k``, each at or above the threshold. ``near_misses``: the best
    below it, where there are no others. ``degraded``: what could not be used.
    """

    passages: tuple[FoundPassage, ...]
    near_misses: tuple[FoundPassage, ...]
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PassageRetriever:
    """Finds passages under one prefix with the parts of a search; stateless."""

    parts: SearchParts
    prefix: str
    config: AnswerConfig

    @property
    def ranker(self) -> Ranker:
        return self.parts.config.passages

    def retrieve(self, asked: AskRequest, serving: Serving) -> Retrieved:
        """Raises InvalidInput for a scope that the caller lacks, Unavailable if Elasticsearch does not answer."""
        asked_in = sure_language(asked.question)
        serving = serving.reading(asked_in)
        read = self.parts.understander.understand(in_context(asked.question, asked.turns), _READ)
        found = self._found(asked, read, serving)
        ranking = self._ranked(asked, asked_in, read, found, serving)
        ranking, unread = self._reread(read, ranking, found)
        threshold = self.config.threshold if asked.threshold is None else asked.threshold
        best = judged(ranking, found, asked.top_k or self.config.top_k)
        kept = [one for one in best if one.relevance >= threshold]
        near = [] if kept else best[:_MOST_NEAR]
        without = ("dense",) if serving.embedder_problem is not None else ()
        return Retrieved(_numbered(kept), _numbered(near), (*without, *unread, *read.degraded))

    def tables(self, quoted: Sequence[FoundPassage]) -> dict[int, DocumentTable]:
        """The tables that these passages are parts of, by the passage's number."""
        parts = [one for one in quoted if one.table is not None]
        if not parts:
            return {}
        ids = list(dict.fromkeys(one.document for one in parts))
        index = alias(self.prefix, "documents")
        found = self.parts.client.mget(index=index, ids=ids, source_includes=["tables"]).body["docs"]
        kept = {one["_id"]: one["_source"].get("tables", []) for one in found if one.get("found")}
        return {
            one.number: table_from(one.table, kept[one.document][one.table - 1])
            for one in parts
            if one.table is not None and one.table <= len(kept.get(one.document, ()))
        }

    def _found(self, asked: AskRequest, read: Interpretation, serving: Serving) -> FoundPassages:
        encoded = serving.embedder.encode([read.text], "query") if serving.embedder is not None else None
        search = PassageSearch(self.parts.config, asked, read, None if encoded is None else encoded.vectors[0])
        within = scopes_of(self.prefix, asked)
        arms = search.arms(self.parts.client, within)
        bodies = [part for arm in arms for part in (arm.header, arm.body)]
        answers = search_all(self.parts.client, bodies) if bodies else []
        found = found_by(arms, answers, self.ranker.columns)
        card = serving.embedder.card.tokens if serving.embedder is not None else None
        if card is None or encoded is None or encoded.tokens is None:
            return found
        met = interactions(self.parts.client, within, sorted(found.passages), encoded.tokens[0], card)
        return replace(found, interactions=met)

    def _ranked(
        self, asked: AskRequest, asked_in: str | None, read: Interpretation, found: FoundPassages, serving: Serving
    ) -> Ranking:
        ids = sorted(found.passages)
        columns = self.ranker.columns
        covered = _covered(read, [found.passages[id] for id in ids])
        added = [
            {"covered": [share], **_met(found, id), **_foreign(found.passages[id], asked_in, serving)}
            for id, share in zip(ids, covered, strict=True)
        ]
        fields = [fields_of({**found.fields[id], **more}, columns) for id, more in zip(ids, added, strict=True)]
        arms = {name: [scores.get(id) for id in ids] for name, scores in found.scores.items()}
        target = target_of(SearchRequest(read.text, filters=asked.filters), read, self.parts.now_ms())
        return rank(Candidates.of(ids, arms, fields, columns), target, self.ranker, serving.cosine_floor)

    def _reread(self, read: Interpretation, ranking: Ranking, found: FoundPassages) -> tuple[Ranking, tuple[str, ...]]:
        """Applies the reranker: a calibrated one decides alone, another one contributes to the order."""
        reading, load = self.ranker.find(CrossEncoderReading), self.parts.cross_encoder
        if reading is None or load is None or len(ranking) == 0:
            return ranking, ()
        best = ranking.ids(0, reading.depth)
        try:
            cross_encoder = load()
            logits = cross_encoder.score(read.text, [found.passages[id].text for id in best])
        except (ModelMissing, Unavailable):
            return ranking, ("cross_encoder",)
        card = cross_encoder.card
        if not card.judges:
            return rerank(ranking, logits, card), ()
        return rerank(replace(ranking, order=ranking.order[: len(best)]), logits, replace(card, weight=1.0)), ()


def judged(ranking: Ranking, found: FoundPassages, count: int) -> list[FoundPassage]:
    """The best ``count``, each with signals and relevance (0..1): the reranker's relevance if it decides alone."""
    reader = ranking.terms.get(CrossEncoderReading.name)
    decides = reader is not None and reader.weight == 1.0
    relevance = ranking.terms[CrossEncoderReading.name if decides else Relevance.name].raw
    measured = dict.fromkeys((PassageDense.name, CrossEncoderReading.name))
    return [
        replace(
            found.passages[hit.id],
            score=hit.score,
            relevance=float(relevance[index]),
            signals={**measured, **hit.signals},
        )
        for hit, index in zip(ranking.hits(0, count), ranking.order, strict=False)
    ]


def _numbered(passages: Sequence[FoundPassage]) -> tuple[FoundPassage, ...]:
    return tuple(replace(one, number=number) for number, one in enumerate(passages, 1))


def _met(found: FoundPassages, id: str) -> Fields:
    return {"interaction": [found.interactions[id]]} if id in found.interactions else {}


def _foreign(passage: FoundPassage, asked_in: str | None, serving: Serving) -> Fields:
    written_in = passage.language
    if asked_in is None or written_in is None or written_in == asked_in or serving.embedder is None:
        return {}
    return {"foreign": [1.0]} if serving.embedder.card.reads(written_in) else {}


def _covered(read: Interpretation, passages: Sequence[FoundPassage]) -> list[float]:
    """Passages are read in the question's language: words of another one are other words."""
    held = [f"{one.title} {' '.join(one.section_path)} {one.text}" for one in passages]
    texts = [content_words(text, read.language) for text in held]
    asked = weights(texts, content_words(read.text, read.language))
    return [coverage(asked, text) for text in texts]
