"""The passages that may answer a question: words and meaning in one ``_msearch``, fused, judged, the best first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from elasticsearch import Elasticsearch
from numpy.typing import NDArray

from core.errors import ModelMissing, Unavailable
from core.ports import CrossEncoder, CrossEncoderCard
from reading.language import detect_language
from search_api.answers.own_words import counting, counts, own_meaning, own_words, words_of
from search_api.answers.relevance import content_words, coverage, relevance, weights
from search_api.answers.scope import PassageScope, scopes
from search_api.answers.values import AnswerConfig, AskRequest, FoundPassage
from search_api.ranking.combiners.tm2c2 import tm2c2
from search_api.ranking.rerank import calibrated
from search_api.retrieval import knn
from search_api.retrieval.bm25 import LANGUAGES
from search_api.retrieval.candidates import checked
from search_api.retrieval.filters import Clause, passage_conditions
from search_api.serving import Serving

LEXICAL_WEIGHT = 0.5
"""Of the fused score; the rest is meaning. Set on tests/quality, see docs/documents.md."""
RELEVANCE_WEIGHT = 0.5
"""Of the final score where no cross-encoder reads; the rest is the fused score."""
_RERANKED = 30
_HEADING_BOOST = 0.6
_FIELDS = ["document", "record", "text", "title", "kind", "section_path", "section_role", "first_page", "last_page"]
_SHORT_FOLLOW_UP = 8  # content words; a longer question stands by itself


@dataclass(frozen=True, slots=True)
class PassageRetriever:
    """Finds passages within one prefix; holds no state of its own."""

    client: Elasticsearch
    prefix: str
    cross_encoder: Callable[[], CrossEncoder]
    config: AnswerConfig

    def retrieve(self, asked: AskRequest, serving: Serving) -> tuple[list[FoundPassage], tuple[str, ...]]:
        """Passages, best first, numbered, at most ``top_k``, each at or above the threshold; and what was degraded.

        Raises InvalidInput for a scope that the asker has not, Unavailable where Elasticsearch does not answer.
        """
        question = with_earlier(asked)
        candidates = self._candidates(asked, question, serving)
        judged, degraded = self._judged(question, candidates)
        if serving.embedder is None:
            degraded = ("dense", *degraded)
        threshold = self.config.threshold if asked.threshold is None else asked.threshold
        best = sorted(judged, key=lambda one: (-one.score, one.id))[: asked.top_k or self.config.top_k]
        kept = [one for one in best if one.relevance >= threshold]
        return [replace(one, number=number) for number, one in enumerate(kept, 1)], degraded

    def _candidates(self, asked: AskRequest, question: str, serving: Serving) -> list[FoundPassage]:
        vector = serving.embedder.embed([question], "query")[0] if serving.embedder is not None else None
        language = detect_language(question)
        searches: list[dict[str, Any]] = []
        for scope in scopes(self.prefix, asked.scope, asked.owner):
            if scope.is_private:
                searches += self._own_searches(scope, asked, question, language, vector)
            else:
                searches += self._searches(scope, asked, question, language, vector)
        answers = checked(self.client, searches) if searches else []
        found: dict[str, FoundPassage] = {}
        words: dict[str, float] = {}
        cosines: dict[str, float] = {}
        for position, answer in enumerate(answers):
            is_dense = vector is not None and position % 2 == 1
            for hit in answer["hits"]["hits"]:
                found[hit["_id"]] = read_hit(hit)
                (cosines if is_dense else words)[hit["_id"]] = knn.cosine(hit["_score"]) if is_dense else hit["_score"]
        return fused(found, words, cosines)

    def _searches(
        self,
        scope: PassageScope,
        asked: AskRequest,
        question: str,
        language: str | None,
        vector: NDArray[np.float32] | None,
    ) -> list[dict[str, Any]]:
        """Header and body of each arm, the owner's clause in both."""
        filters = [scope.clause, *_conditions(asked)]
        preference = hashlib.sha256(question.encode()).hexdigest()[:16]
        header = {**scope.header, "preference": preference, "search_type": "dfs_query_then_fetch"}
        shown = {"size": self.config.window, "_source": {"includes": _FIELDS}, "track_total_hits": False}
        searches: list[dict[str, Any]] = [
            header,
            {"query": {"bool": {"must": [words_query(question, language)], "filter": filters}}, **shown},
        ]
        if vector is not None:
            searches += [header, {"knn": knn.nearest(vector, self.config.window, filters), **shown}]
        return searches

    def _own_searches(
        self,
        scope: PassageScope,
        asked: AskRequest,
        question: str,
        language: str | None,
        vector: NDArray[np.float32] | None,
    ) -> list[dict[str, Any]]:
        """The same in a user's own passages, scored from these alone; none where there are none."""
        words, suffixes = words_of(question), list(dict.fromkeys((_suffix(language), "")))
        (counted,) = checked(self.client, counting(scope, words, suffixes))
        found = counts(counted, words)
        if not found.passages:
            return []
        filters = [scope.clause, *_conditions(asked)]
        shown = {"size": self.config.window, "_source": {"includes": _FIELDS}, "track_total_hits": False}
        searches: list[dict[str, Any]] = [scope.header, {**own_words(words, suffixes, found, filters), **shown}]
        if vector is not None:
            searches += [scope.header, {**own_meaning(vector, filters), **shown}]
        return searches

    def _judged(self, question: str, candidates: Sequence[FoundPassage]) -> tuple[list[FoundPassage], tuple[str, ...]]:
        texts = [content_words(f"{one.title} {' '.join(one.section_path)} {one.text}") for one in candidates]
        asked = weights(texts, content_words(question))
        judged = [
            _weighed(one, relevance(one.signals.get("passage_dense"), coverage(asked, text)))
            for one, text in zip(candidates, texts, strict=True)
        ]
        try:
            cross_encoder = self.cross_encoder()
        except ModelMissing:
            return judged, ("cross_encoder",)
        best = sorted(judged, key=lambda one: (-one.score, one.id))[:_RERANKED]
        try:
            logits = cross_encoder.score(question, [one.text for one in best])
        except Unavailable:
            return judged, ("cross_encoder",)
        read = calibrated(logits, cross_encoder.card)
        return [_reread(one, float(value), cross_encoder.card) for one, value in zip(best, read, strict=True)], ()


def _reread(one: FoundPassage, read: float, card: CrossEncoderCard) -> FoundPassage:
    """With the reranker's score: instead of ours where it judges, else as its share of the order alone."""
    signals = {**one.signals, "cross_encoder": read}
    if card.judges:
        return replace(one, relevance=read, score=read, signals=signals)
    share = card.weight or 0.0
    return replace(one, score=(1.0 - share) * one.score + share * read, signals=signals)


def _weighed(one: FoundPassage, relevance: float) -> FoundPassage:
    score = (1.0 - RELEVANCE_WEIGHT) * one.score + RELEVANCE_WEIGHT * relevance
    return replace(one, relevance=relevance, score=score)


def with_earlier(asked: AskRequest) -> str:
    """The question as it is searched for: a short follow-up brings what was asked before it along."""
    if not asked.turns or len(content_words(asked.question)) > _SHORT_FOLLOW_UP:
        return asked.question
    return f"{asked.turns[-1].question} {asked.question}"


def words_query(question: str, language: str | None) -> Clause:
    """BM25F over text and headings in the question's language, and a plain folded reading at a third of the weight."""
    suffix = _suffix(language)
    fields = [f"text{suffix}", f"heading{suffix}^{_HEADING_BOOST + 1.0:g}"]
    plain = ["text", f"heading^{_HEADING_BOOST + 1.0:g}"]
    return {
        "bool": {
            "should": [
                {"combined_fields": {"query": question, "fields": fields}},
                {"combined_fields": {"query": question, "fields": plain, "boost": 0.3}},
            ],
            "minimum_should_match": 1,
        }
    }


def _suffix(language: str | None) -> str:
    """Of the fields that are read in this language; English where it is not known."""
    return f".{language or 'en'}" if (language or "en") in LANGUAGES else ""


def _conditions(asked: AskRequest) -> list[Clause]:
    clauses = passage_conditions(asked.filters)
    for field, value in (("record", asked.record), ("document", asked.document)):
        if value is not None:
            clauses.append({"term": {field: value}})
    if asked.roles:
        clauses.append({"terms": {"section_role": list(asked.roles)}})
    return clauses


def read_hit(hit: Mapping[str, Any]) -> FoundPassage:
    source = hit["_source"]
    return FoundPassage(
        id=hit["_id"],
        document=source["document"],
        text=source["text"],
        record=source.get("record"),
        title=source.get("title", ""),
        kind=source.get("kind", "text"),
        section_path=tuple(source.get("section_path", ())),
        section_role=source.get("section_role"),
        first_page=source.get("first_page"),
        last_page=source.get("last_page"),
    )


def fused(
    found: Mapping[str, FoundPassage], words: Mapping[str, float], cosines: Mapping[str, float]
) -> list[FoundPassage]:
    """TM2C2 of the two arms; what an arm did not return counts as its least (0, and -1 for a cosine)."""
    ids = sorted(found)
    lexical = tm2c2(np.array([words.get(id, 0.0) for id in ids]), 0.0)
    dense = tm2c2(np.array([cosines.get(id, -1.0) for id in ids]), -1.0)
    share = LEXICAL_WEIGHT if cosines else 1.0
    scores = share * lexical + (1.0 - share) * dense
    return [
        replace(
            found[id],
            score=float(score),
            signals={"passage_bm25": words.get(id), "passage_dense": cosines.get(id), "cross_encoder": None},
        )
        for id, score in zip(ids, scores, strict=True)
    ]
