"""Finds the passages that may answer a question: by words and meaning, ranked like records, best first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.errors import ModelMissing, Unavailable
from es_gateway.searching import search_all
from es_mappings.names import alias
from reading.sentences import sentences, sure_language
from search_api.search.parts import SearchParts
from search_api.search.passages.coverage import content_words, coverage, weights
from search_api.search.passages.passage_arms import PassageCandidates, PassageSearch, combine_answers, late_interactions
from search_api.search.passages.quotable import is_quotable, without_prompt
from search_api.search.passages.scope import scopes_of
from search_api.search.passages.values import (
    AnswerConfig,
    AskRequest,
    ConversationTurn,
    DocumentTable,
    FoundPassage,
    table_from,
)
from search_api.search.ranking.candidates import Candidates, Fields, fields_of
from search_api.search.ranking.config import Ranker
from search_api.search.ranking.rank import Ranking, rank, rerank
from search_api.search.ranking.signals.arms import CrossEncoderReading, PassageDense, Relevance
from search_api.search.request import Part, SearchRequest
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation, target_of

MOST_NEAR = 3
_PARTS_TO_READ: frozenset[Part] = frozenset(("place", "time", "relation"))


@dataclass(frozen=True, slots=True)
class RetrievedPassages:
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

    def retrieve(self, request: AskRequest, serving: Serving) -> RetrievedPassages:
        """Raises InvalidInput for a scope that the caller lacks, Unavailable if Elasticsearch does not answer."""
        language = sure_language(request.question)
        serving = serving.reading(language)
        interpretation = self.parts.understander.understand(in_context(request.question, request.turns), _PARTS_TO_READ)
        candidates = self._search(request, interpretation, serving)
        ranking = self._rank(request, language, interpretation, candidates, serving)
        ranking, unranked = self._rerank(interpretation, ranking, candidates)
        threshold = self.config.threshold if request.threshold is None else request.threshold
        is_chosen = bool(request.roles or request.document or request.documents)
        best = _with_relevance(ranking, candidates, request.top_k or self.config.top_k, with_unquotable=is_chosen)
        relevant = [passage for passage in best if passage.relevance >= threshold]
        near_misses = [] if relevant else best[:MOST_NEAR]
        missing_parts = ("dense",) if serving.embedder_problem is not None else ()
        return RetrievedPassages(
            numbered(relevant), numbered(near_misses), (*missing_parts, *unranked, *interpretation.degraded)
        )

    def tables(self, passages: Sequence[FoundPassage]) -> dict[int, DocumentTable]:
        """The tables that these passages are parts of, by the passage's number."""
        parts = [passage for passage in passages if passage.table is not None]
        if not parts:
            return {}
        ids = list(dict.fromkeys(passage.document for passage in parts))
        index = alias(self.prefix, "documents")
        entries = self.parts.client.mget(index=index, ids=ids, source_includes=["tables"]).body["docs"]
        tables = {entry["_id"]: entry["_source"].get("tables", []) for entry in entries if entry.get("found")}
        return {
            passage.number: table_from(passage.table, tables[passage.document][passage.table - 1])
            for passage in parts
            if passage.table is not None and passage.table <= len(tables.get(passage.document, ()))
        }

    def _search(self, request: AskRequest, interpretation: Interpretation, serving: Serving) -> PassageCandidates:
        encoded = serving.embedder.encode([interpretation.text], "query") if serving.embedder is not None else None
        search = PassageSearch(
            self.parts.config, request, interpretation, None if encoded is None else encoded.vectors[0]
        )
        within = scopes_of(self.prefix, request)
        arms = search.arms(self.parts.client, within)
        bodies = [part for arm in arms for part in (arm.header, arm.body)]
        answers = search_all(self.parts.client, bodies) if bodies else []
        candidates = combine_answers(arms, answers, self.ranker.columns)
        card = serving.embedder.card.tokens if serving.embedder is not None else None
        if card is None or encoded is None or encoded.tokens is None:
            return candidates
        scores = late_interactions(self.parts.client, within, sorted(candidates.passages), encoded.tokens[0], card)
        return replace(candidates, interactions=scores)

    def _rank(
        self,
        request: AskRequest,
        language: str | None,
        interpretation: Interpretation,
        candidates: PassageCandidates,
        serving: Serving,
    ) -> Ranking:
        ids = sorted(candidates.passages)
        columns = self.ranker.columns
        shares = _coverages(interpretation, [candidates.passages[id] for id in ids])
        extra = [
            {
                "covered": [covered],
                "sentence": [sentence],
                **({"interaction": [candidates.interactions[id]]} if id in candidates.interactions else {}),
                **_foreign_field(candidates.passages[id], language, serving),
            }
            for id, (covered, sentence) in zip(ids, shares, strict=True)
        ]
        fields = [fields_of({**candidates.fields[id], **more}, columns) for id, more in zip(ids, extra, strict=True)]
        arms = {name: [scores.get(id) for id in ids] for name, scores in candidates.scores.items()}
        target = target_of(
            SearchRequest(interpretation.text, filters=request.filters), interpretation, self.parts.now_ms()
        )
        return rank(Candidates.of(ids, arms, fields, columns), target, self.ranker, serving.cosines)

    def _rerank(
        self, interpretation: Interpretation, ranking: Ranking, candidates: PassageCandidates
    ) -> tuple[Ranking, tuple[str, ...]]:
        """Gives the reranker its share of the score. Of a ranking by a calibrated one, only the
        passages that it read stay, and their relevance includes its probability.
        """
        signal, load = self.ranker.find(CrossEncoderReading), self.parts.cross_encoder
        if signal is None or load is None or len(ranking) == 0:
            return ranking, ()
        best = ranking.ids(0, signal.depth)
        try:
            cross_encoder = load()
            logits = cross_encoder.score(interpretation.text, [candidates.passages[id].text for id in best])
        except (ModelMissing, Unavailable):
            return ranking, ("cross_encoder",)
        card = cross_encoder.card
        if not card.judges:
            return rerank(ranking, logits, replace(card, weight=card.weight or 0.0)), ()
        reranked_only = replace(ranking, order=ranking.order[: len(best)])
        return _with_joint_relevance(rerank(reranked_only, logits, replace(card, weight=None))), ()


def _with_joint_relevance(ranking: Ranking) -> Ranking:
    """The relevance becomes the geometric mean of itself and the reranker's probability: both must agree."""
    own, read = ranking.terms[Relevance.name], ranking.terms[CrossEncoderReading.name]
    return replace(ranking, terms={**ranking.terms, Relevance.name: replace(own, raw=np.sqrt(own.raw * read.raw))})


def _with_relevance(
    ranking: Ranking, candidates: PassageCandidates, count: int, *, with_unquotable: bool
) -> list[FoundPassage]:
    """The best ``count``, each with signals and relevance (0..1).

    Code, references and labels of charts are kept and found in documents and sections that the caller chose.
    """
    relevance = ranking.terms[Relevance.name].raw
    measured = dict.fromkeys((PassageDense.name, CrossEncoderReading.name))
    positions = [
        position
        for position, id in enumerate(ranking.ids())
        if with_unquotable
        or any(is_quotable(without_prompt(sentence)) for sentence in _sentences(candidates.passages[id]))
    ][:count]
    return [
        replace(
            candidates.passages[hit.id],
            score=hit.score,
            relevance=float(relevance[ranking.order[position]]),
            signals={**measured, **hit.signals},
        )
        for hit, position in zip(ranking.hits_at(positions), positions, strict=True)
    ]


def numbered(passages: Sequence[FoundPassage]) -> tuple[FoundPassage, ...]:
    return tuple(replace(passage, number=number) for number, passage in enumerate(passages, 1))


def _foreign_field(passage: FoundPassage, language: str | None, serving: Serving) -> Fields:
    written_in = passage.language
    if language is None or written_in is None or written_in == language or serving.embedder is None:
        return {}
    return {"foreign": [1.0]} if serving.embedder.card.reads(written_in) else {}


def _coverages(interpretation: Interpretation, passages: Sequence[FoundPassage]) -> list[tuple[float, float]]:
    """0..1 by passage: the weighted share of the question's words, stemmed in the question's language, in the whole
    passage with its headings, and in its best sentence.
    """
    language = interpretation.language
    parts = [[content_words(sentence, language) for sentence in _sentences(passage)] for passage in passages]
    texts = [
        content_words(f"{passage.title} {' '.join(passage.section_path)}", language).union(*part)
        for passage, part in zip(passages, parts, strict=True)
    ]
    question_weights = weights(texts, content_words(interpretation.text, language))
    return [
        (coverage(question_weights, text), max((coverage(question_weights, words) for words in part), default=0.0))
        for text, part in zip(texts, parts, strict=True)
    ]


def _sentences(passage: FoundPassage) -> list[str]:
    return [sentence for line in passage.text.split("\n") for sentence in sentences(line)]


_MOST_TURNS_BACK = 3  # questions that each lean on the one before
_FEW_WORDS = 3  # content words: too few to name a topic
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ENGLISH = """it its they them their those these this there he she him his such same former latter"""
_GERMAN = """er sie ihn ihm ihr ihre ihrer ihren dessen deren diese dieser dieses diesen diesem dort davon dabei dazu
darin solche"""
_FRENCH = """elle ils elles cette ces cet ceux celles celui celle leur leurs"""
_SPANISH = """ellos ellas ello este esta estos estas esos esas ese esa eso allí ahí dicho dicha sus"""
_ITALIAN = """essi esse esso essa questo questa questi queste quello quella quelli quelle loro"""
_PORTUGUESE = """eles elas ele ela estes esses essas isso isto ali seu sua seus suas deles delas"""
_POINTING = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH} {_ITALIAN} {_PORTUGUESE}".split())
"""Words that point back, in the page's six languages. Left out are those that questions standing alone also have
("es gibt", "il y a", "that")."""
_CONTINUING = re.compile(
    r"\W*(?:and|but|or|also|what about|how about|und|aber|oder|auch|was ist mit|et|mais|ou|qu'en est-il"
    r"|y|pero|o|qué hay de|e|ed|ma|mas)\b",
    re.IGNORECASE,
)


def in_context(question: str, turns: Sequence[ConversationTurn]) -> str:
    """The question to search for; ``turns``: what was said before, oldest first.

    A year in the question takes the place of the years before it ("and in 2015?").
    """
    if not turns or not needs_context(question):
        return question
    earlier_question = in_context(turns[-1].question, turns[max(0, len(turns) - _MOST_TURNS_BACK) : -1])
    if _YEAR.search(question):
        earlier_question = _YEAR.sub(" ", earlier_question)
    return " ".join(f"{earlier_question} {question}".split())


def needs_context(question: str) -> bool:
    """Whether the question needs the previous one: it continues it, refers to it, or has too few words."""
    if _CONTINUING.match(question) or len(content_words(question)) <= _FEW_WORDS:
        return True
    return not _POINTING.isdisjoint(_WORD.findall(question.lower()))
