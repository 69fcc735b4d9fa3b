"""Decides which arms a search sends, from the request, the interpretation and the serving index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from core.json_types import Json
from search_api.search.ranking.config import NameWeights, WordWeights
from search_api.search.request import Filters, SearchRequest
from search_api.search.retrieval import arms, bm25
from search_api.search.retrieval.arms import Arm, match_clauses
from search_api.search.retrieval.bm25 import passages_expansion, records_expansion
from search_api.search.retrieval.clauses import (
    Clause,
    any_of,
    area_clause,
    passage_filters,
    record_filters,
    span_clause,
)
from search_api.search.retrieval.conditions import offer_clause
from search_api.search.retrieval.contacts import mention_clause
from search_api.search.retrieval.known_names import names_query
from search_api.search.retrieval.record_reads import marks
from search_api.search.retrieval.refinement import asked_title_clause
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation, QueryTerm
from search_api.search.understanding.topic import significant_words


@dataclass(frozen=True, slots=True)
class Nearness:
    """The cosines that decide what is a hit by meaning alone: at least ``min_score``.

    If no candidate reaches ``answer_score`` and none contains every word, the question is about something else, and the
    nearest records are not hits either.
    """

    min_score: float
    answer_score: float = -1.0


@dataclass(frozen=True, slots=True)
class CountClauses:
    """Filters for records with enough of the question's words, and for all that match."""

    every_word: Clause
    matching: Clause

    @classmethod
    def of(cls, filters: Sequence[Clause], every_word: Clause, matching: Clause) -> CountClauses:
        words, all_matches = ({"bool": {"filter": [*filters, clause]}} for clause in (every_word, matching))
        return cls(words, all_matches)


@dataclass(frozen=True, slots=True)
class RetrievalPlan:
    """``words`` is the lexical query, ``marked`` the section of highlights.

    ``match_clauses``: what the candidates are checked for (:mod:`search_api.search.retrieval.arms`); empty
    if nothing depends on it. ``counting``: otherwise, what round one counts.

    ``nearness``: what hits must pass in meaning; None: nothing.
    ``index``: the alias of the records, ``index_uuid`` its index; ``filters``: the conditions on each record.
    ``matching``: which records are hits by their words, names, place or time, at any rank. Also hits are those that the
    arms draw, and ``pinned``. What is a hit does not depend on the filters.
    """

    index: str
    index_uuid: str
    filters: tuple[Clause, ...]
    arms: tuple[Arm, ...]
    words: Clause
    marked: Json
    nearness: Nearness | None = None
    matching: Clause = field(default_factory=lambda: {"match_none": {}})
    vector: NDArray[np.float32] | None = None
    match_clauses: tuple[Clause, ...] = ()
    counting: CountClauses | None = None
    passages_uuid: str = ""
    pinned: tuple[str, ...] = ()

    def without_meaning(self) -> RetrievalPlan:
        """Nothing is a hit by meaning alone: the model has no words for what is asked."""
        return self if self.nearness is None else replace(self, nearness=Nearness(math.inf, math.inf))

    def uuid_of(self, arm: Arm) -> str:
        """Of the index that the arm searches."""
        return self.passages_uuid if arm.on_passages else self.index_uuid


def plan_retrieval(
    request: SearchRequest,
    interpretation: Interpretation,
    serving: Serving,
    vector: NDArray[np.float32] | None,
    weights: WordWeights,
) -> RetrievalPlan:
    """Words and meaning on records and on passages; a question without a topic is also browsed by place and time.

    A question with only small words or signs finds nothing; an empty question finds everything.
    """
    identifiers = tuple(identifier.value for identifier in interpretation.identifiers)
    topic_words = significant_words(interpretation.thematic)
    length = len(topic_words.split())
    terms = _terms_to_add(interpretation, weights.names, length)
    names = (name for place in interpretation.places for name in dict.fromkeys((place.mention.text, place.name)))
    places = tuple(names) if "place" in serving.structured else ()  # else they are part of the topic already
    fields = serving.word_fields(weights)
    language = interpretation.topic_language
    expansion = records_expansion(weights, fields, terms, interpretation.other_words, language)
    words = bm25.records_query(
        weights,
        fields,
        interpretation.split_topic,
        interpretation.named,
        language,
        identifiers,
        expansion,
    )
    original_topic = interpretation.foreign_topic if not serving.lacks(interpretation.language) else ""
    if interpretation.is_contacts_only:  # a first name alone is not the person
        words = any_of(*map(mention_clause, interpretation.names))
    elif original_topic:
        original_words = bm25.records_query(
            weights, fields, original_topic, interpretation.named, interpretation.language
        )
        words = {"dis_max": {"queries": [words, original_words]}}
    # Boxes and periods judge place and time words; marking "since" and "the" would explain nothing.
    marked = bm25.records_query(weights, fields, topic_words, "", language, (), expansion)
    filters = record_filters(request.filters)
    index = serving.records.index
    selected: list[Arm] = []
    if not interpretation.is_empty and request.algorithm != "dense":
        selected.append(arms.lexical_arm(index, words, filters))
    if vector is not None:
        selected.append(arms.dense_arm(index, vector, filters, draws=True))
    named = names_query(
        weights.names,
        interpretation.names,
        interpretation.other_forms,
        length,
        alone=interpretation.is_names_only,
        title_clause=asked_title_clause(interpretation),
    )
    preferred = _names_and_offers(named, interpretation, words, weights.names)
    if preferred is not None:
        selected.append(arms.names_arm(index, preferred, filters))
    if not interpretation.thematic and not identifiers and not interpretation.is_stopwords_only:
        selected.append(arms.browsing_arm(index, [*filters, *place_and_time_clauses(interpretation)]))
    selected += _place_and_time_arms(selected, request, interpretation, words, vector)
    selected += _passage_arms(request, interpretation, serving, vector, weights, terms)
    if request.pinned:
        selected.append(arms.pinned_arm(index, request.pinned, filters))
    judges_meaning = bool(interpretation.thematic) and vector is not None
    every_word = bm25.every_word_query(weights, fields, interpretation.split_topic, language, identifiers, expansion)
    if original_topic:
        every_word = any_of(every_word, bm25.every_word_query(weights, fields, original_topic, interpretation.language))
    matching = _matching(request, interpretation, words, every_word if judges_meaning else None)
    if named is not None:
        matching = any_of(matching, named)
    checks = judges_meaning or bool(places)
    is_counted = (
        vector is None and request.algorithm != "dense" and not checks and not any(arm.draws for arm in selected)
    )
    return RetrievalPlan(
        index,
        serving.records.uuid,
        tuple(filters),
        tuple(selected),
        words,
        marks(marked, language),
        _nearness(request, serving) if judges_meaning else None,
        matching,
        vector,
        match_clauses=match_clauses(every_word, matching if judges_meaning else None, places, fields) if checks else (),
        counting=CountClauses.of(filters, every_word, matching) if is_counted else None,
        passages_uuid="" if serving.passages is None else serving.passages.uuid,
        pinned=request.pinned,
    )


def _nearness(request: SearchRequest, serving: Serving) -> Nearness | None:
    if serving.embedder is None:
        return None
    card = serving.embedder.card
    # Without words beside it, meaning alone would also hide records that contain the question word by word.
    return Nearness(card.min_score, card.answer_score if request.algorithm == "hybrid" else card.min_score)


def _matching(
    request: SearchRequest, interpretation: Interpretation, words: Clause, every_word: Clause | None
) -> Clause:
    """``every_word``: used if meaning judges records with only some words. A record without a vector cannot be
    judged.
    """
    conditions = place_and_time_clauses(interpretation)
    if request.algorithm == "dense" and interpretation.text:
        return (
            {"bool": {"filter": list(conditions)}} if conditions and not interpretation.thematic else {"match_none": {}}
        )
    if every_word is not None:
        unjudged = {"bool": {"must": [words], "must_not": [{"exists": {"field": "vector"}}]}}
        return any_of(every_word, unjudged)
    if interpretation.thematic or interpretation.identifiers or interpretation.is_stopwords_only:
        return words
    if interpretation.text and conditions:
        return any_of(words, {"bool": {"filter": list(conditions)}})
    return {"match_all": {}}


def _names_and_offers(
    named: Clause | None, interpretation: Interpretation, words: Clause, weights: NameWeights
) -> Clause | None:
    """The names, and the formats and licences of records that match the words: neither makes a record a hit."""
    if not interpretation.offers:
        return named
    share = weights.preference / len(interpretation.offers)
    offers = [{"constant_score": {"filter": offer_clause(offer), "boost": share}} for offer in interpretation.offers]
    with_offers = {"bool": {"filter": [words], "should": offers, "minimum_should_match": 1}}
    return with_offers if named is None else any_of(named, with_offers)


def _place_and_time_arms(
    selected: Sequence[Arm],
    request: SearchRequest,
    interpretation: Interpretation,
    words: Clause,
    vector: NDArray[np.float32] | None,
) -> list[Arm]:
    """The best of each arm in the asked place and time, as candidates only.

    If thousands of records share a topic, the window would fill with other places and years, and ranking by place and
    time would have nothing to choose from.
    """
    conditions = place_and_time_clauses(interpretation, place=request.spatial != "off", time=request.temporal)
    if not conditions:
        return []
    filters = record_filters(request.filters)
    inside = []
    for arm in selected:
        if arm.signal == "bm25":
            inside.append(arms.lexical_arm(arm.index, words, [*filters, *conditions]))
        elif arm.signal == "dense" and vector is not None:
            inside.append(arms.dense_arm(arm.index, vector, filters, conditions, draws=True))
    return [replace(arm, signal=None) for arm in inside]


def _terms_to_add(interpretation: Interpretation, weights: NameWeights, length: int) -> list[QueryTerm]:
    """The terms without the acronyms that a long question only mentions: their words would outweigh its own."""
    return [
        term
        for term in interpretation.terms
        if not term.is_acronym or weights.mention_weight(term.mention.text, length) > 0.0
    ]


def _passage_arms(
    request: SearchRequest,
    interpretation: Interpretation,
    serving: Serving,
    vector: NDArray[np.float32] | None,
    weights: WordWeights,
    terms: Sequence[QueryTerm],
) -> list[Arm]:
    if serving.passages is None or interpretation.is_empty or not serving.has_passages:
        return []
    filters = passage_filters(Filters())  # their records are filtered later
    index = serving.passages.index
    selected: list[Arm] = []
    if request.algorithm != "dense":
        language = interpretation.topic_language
        expansion = passages_expansion(weights, terms, interpretation.other_words, language)
        query = bm25.passages_query(weights, interpretation.thematic, interpretation.named, language, expansion)
        if interpretation.foreign_topic:
            original_words = bm25.passages_query(
                weights, interpretation.foreign_topic, interpretation.named, interpretation.language
            )
            query = {"dis_max": {"queries": [query, original_words]}}
        selected.append(arms.passage_lexical_arm(index, query, filters))
    if vector is not None:
        selected.append(arms.passage_dense_arm(index, vector, filters))
    return selected


def place_and_time_clauses(
    interpretation: Interpretation, *, place: bool = True, time: bool = True
) -> Sequence[Clause]:
    """The question's own place and time; only to choose candidates. Whatever the filters, they are the same."""
    clauses: list[Clause] = []
    if place and interpretation.areas:
        clauses.append(any_of(*(area_clause(area, "intersects") for area in interpretation.areas)))
    if time and interpretation.spans:
        spans = [span_clause(span) for span in interpretation.spans]
        clauses.append(any_of(*spans) if len(spans) > 1 else spans[0])
    return clauses
