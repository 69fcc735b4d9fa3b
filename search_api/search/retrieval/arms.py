"""The arms of a search, and which candidates match the whole question.

An arm searches either records or passages. ``body(k, ids)`` requests its best ``k``; with ``ids`` it requests the
scores of only those records (the completion: a candidate of another arm gets this arm's score too). A completion may
answer for records that do not pass the filters.

The search over the whole index does not ask this: it would keep Elasticsearch from skipping records that cannot be
among the best.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.hit import SignalName
from core.json_types import Json, JsonMapping
from reading.place_context import INSTITUTIONS
from search_api.search.caches import Version, versions_of
from search_api.search.ranking.candidates import AnyColumn, DocValue, RankingFields, doc_values, fields_of
from search_api.search.retrieval.clauses import Clause, any_of, exact, nearest_query

BROWSING_ORDER: tuple[Json, ...] = (
    {"dates.modified": {"order": "desc", "missing": "_last"}},
    {"id": "asc"},
)
"""Latest change first."""


class PassageKey(NamedTuple):
    """A passage's document, its ordinal in it, and the version found."""

    document: str
    ordinal: int
    version: Version


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to find records. An arm without a signal only adds candidates; the others score them.

    ``is_meaning``: its scores are cosines. ``missing``: the value for a candidate missing from the completion: 0 for
    words that do not occur, None for no vector. ``draws``: the search of all records, whatever the filters, whose hits
    match the question (:mod:`search_api.search.round_one`); None: the arm finds only records that match by a condition.
    """

    signal: SignalName | None
    index: str
    on_passages: bool
    body: Callable[[int, Sequence[str] | None], Json]
    missing: float | None
    draws: Callable[[int], Json] | None = None
    is_meaning: bool = False


def lexical_arm(index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """BM25 over records. Its completion is part of :mod:`search_api.search.retrieval.arms`."""
    return _scored_arm("bm25", index, query, filters)


def names_arm(index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """The records that have the names of the question."""
    return _scored_arm("names", index, query, filters)


def _scored_arm(signal: SignalName, index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """Over records, by the query's own score."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        id_filter: list[Clause] = [{"ids": {"values": list(ids)}}] if ids is not None else []
        return {"query": {"bool": {"must": [query], "filter": [*filters, *id_filter]}}, "size": k, **for_records()}

    return Arm(signal, index, False, body, 0.0)


def dense_arm(
    index: str,
    vector: NDArray[np.float32],
    filters: Sequence[Clause],
    asked: Sequence[Clause] = (),
    *,
    draws: bool = False,
) -> Arm:
    """Cosine over records. ``asked``: conditions of the question itself, which the draw has too."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        if ids is not None:
            return {"query": exact(vector, [{"ids": {"values": list(ids)}}]), "size": k, **for_records()}
        return nearest(k, [*filters, *asked])

    def nearest(k: int, conditions: Sequence[Clause]) -> Json:
        return {"query": nearest_query(vector, k, conditions), "size": k, **for_records()}

    drawing = (lambda k: nearest(k, asked)) if draws else None
    return Arm("dense", index, False, body, None, drawing, is_meaning=True)


def browsing_arm(index: str, filters: Sequence[Clause]) -> Arm:
    """Everything that passes the filters, latest change first: for a question without topic words."""

    def body(k: int, _ids: Sequence[str] | None) -> Json:
        return {
            "query": {"bool": {"filter": list(filters)}},
            "sort": list(BROWSING_ORDER),
            "size": k,
            **for_records(),
        }

    return Arm(None, index, False, body, None)


def pinned_arm(index: str, ids: Sequence[str], filters: Sequence[Clause]) -> Arm:
    """These records, if they pass the filters: candidates whatever their words."""

    def body(k: int, _ids: Sequence[str] | None) -> Json:
        query = {"bool": {"filter": [*filters, {"ids": {"values": list(ids)}}]}}
        return {"query": query, "size": k, **for_records()}

    return Arm(None, index, False, body, None)


def passage_lexical_arm(index: str, query: Clause, filters: Sequence[Clause]) -> Arm:
    """BM25 over passages; a record's score is its best passage's."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        must = {"bool": {"must": [query], "filter": [*filters, *_of_records(ids)]}}
        return {"query": must, "size": k, **_for_passages()}

    return Arm("passage_bm25", index, True, body, 0.0, lambda k: body(k, None))


def passage_dense_arm(index: str, vector: NDArray[np.float32], filters: Sequence[Clause]) -> Arm:
    """Cosine over passages; a record's score is its best passage's."""

    def body(k: int, ids: Sequence[str] | None) -> Json:
        nearest = nearest_query(vector, k, [*filters, *_of_records(ids)])
        return {"query": nearest, "size": k, **_for_passages()}

    return Arm("passage_dense", index, True, body, None, lambda k: body(k, None), is_meaning=True)


def _of_records(ids: Sequence[str] | None) -> list[Clause]:
    return [{"exists": {"field": "record"}}] if ids is None else [{"terms": {"record": list(ids)}}]


def for_records(fields: Sequence[DocValue] = ()) -> Json:
    """Ids come from a doc value: ``_id`` would decompress every hit's stored fields, ``_source`` included."""
    return {
        "stored_fields": "_none_",
        "docvalue_fields": ["id", *fields],
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def fields_body(ids: Sequence[str], filters: Sequence[Clause], columns: Sequence[AnyColumn]) -> Json:
    """The ranking fields of the records that pass the filters; requested once, not with every arm.

    Doc values only: ``_source`` is read only for the hits of the page.
    """
    passing = {"bool": {"filter": [*filters, {"ids": {"values": list(ids)}}]}}
    return {"query": passing, "size": len(ids), **for_records(doc_values(columns))}


def read_fields(
    answer: JsonMapping, index_uuid: str, columns: Sequence[AnyColumn]
) -> tuple[dict[str, RankingFields], dict[str, Version]]:
    """The answer to ``fields_body`` by record id, and the version of each record."""
    hits = {hit["fields"]["id"][0]: hit for hit in answer["hits"]["hits"]}
    fields = {record: fields_of(hit["fields"], columns) for record, hit in hits.items()}
    return fields, versions_of(index_uuid, hits)


def _for_passages() -> Json:
    """Identifies a passage by its document and ordinal, both doc values: ``_id`` would decompress its text."""
    return {
        "stored_fields": "_none_",
        "docvalue_fields": ["record", "document", "ordinal"],
        "collapse": {"field": "record"},
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


@dataclass(frozen=True, slots=True)
class ArmScores:
    """The answer of one arm: scores by record id, best first."""

    scores: Mapping[str, float]
    passages: Mapping[str, PassageKey]
    """Maps a record id to its best passage (passage arms only)."""
    versions: Mapping[str, Version]
    """Maps a record id to the version found (record arms only)."""
    is_all: bool = False
    """Whether it has every record that the arm can score. Never by meaning: any record has some distance."""

    def best(self, count: int) -> ArmScores:
        """Only the best ``count`` records."""
        return self if len(self.scores) <= count else self.among(frozenset(islice(self.scores, count)))

    def among(self, records: Collection[str]) -> ArmScores:
        """Only those records."""
        scores, passages, versions = (
            {record: score for record, score in part.items() if record in records}
            for part in (self.scores, self.passages, self.versions)
        )
        return replace(self, scores=scores, passages=passages, versions=versions)  # type: ignore[arg-type]


def read_answer(arm: Arm, answer: JsonMapping, index_uuid: str, k: int = 0) -> ArmScores:
    """One item of an ``_msearch`` answer, already checked for errors. ``index_uuid``: of the arm's own index.

    ``k``: how many of the whole index were asked for; 0 for a completion.
    """
    hits = answer["hits"]["hits"]
    name = "record" if arm.on_passages else "id"
    by_record = {hit["fields"][name][0]: hit for hit in hits}
    scores: dict[str, float] = {record: hit["_score"] or 0.0 for record, hit in by_record.items()}
    if arm.is_meaning:
        scores = {record: 2.0 * score - 1.0 for record, score in scores.items()}  # as cosine
    versions, passages = versions_of(index_uuid, by_record), {}
    if arm.on_passages:
        passages = {
            record: PassageKey(hit["fields"]["document"][0], hit["fields"]["ordinal"][0], versions[record])
            for record, hit in by_record.items()
        }
        versions = {}
    return ArmScores(scores, passages, versions, is_all=arm.missing is not None and len(scores) < k)


_ALL_WORDS, _MATCHING, _NAMED_IN_TITLE, _NAMED = "all_words", "matching", "named_in_title", "named"
"""Names of the clauses; read back as matched queries."""


@dataclass(frozen=True, slots=True)
class CandidateMatches:
    """Of the candidates that pass the filters: the score by words (0 if none occurs) and the version.

    ``all_words``: those with enough of the question's words. ``matching``: those that match by a condition.
    ``place_names``: how prominently they name the asked place, 1 in the title, .5 elsewhere; records that do not name
    it are absent.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, Version] = field(default_factory=dict)
    all_words: frozenset[str] = frozenset()
    place_names: Mapping[str, float] = field(default_factory=dict)
    matching: frozenset[str] = frozenset()


def match_clauses(
    every_word: Clause, matching: Clause | None, places: Sequence[str], fields: Collection[str]
) -> tuple[Clause, ...]:
    """Clauses without a score. ``matching``: which records match; None: each that an arm finds does. ``places``: names
    of the asked places; ``fields``: where else than in the title.
    """
    clauses = [_named_clause(_ALL_WORDS, every_word)]
    if matching is not None:
        clauses.append(_named_clause(_MATCHING, matching))
    if places:
        clauses.append(_named_clause(_NAMED_IN_TITLE, _place_clause(places, ["title"])))
        clauses.append(_named_clause(_NAMED, _place_clause(places, [*fields, *(f"{field}.en" for field in fields)])))
    return tuple(clauses)


def matches_of_candidates(
    clauses: Sequence[Clause], scoring: Sequence[Clause], filters: Sequence[Clause], ids: Sequence[str]
) -> Json:
    """The body for all of the candidates that pass the filters."""
    query = {"should": [*scoring, *clauses], "filter": [*filters, {"ids": {"values": list(ids)}}]}
    return {"query": {"bool": query}, "size": len(ids), **for_records()}


def read_matches(answer: JsonMapping, index_uuid: str) -> CandidateMatches:
    """The answer to ``matches_of_candidates``."""
    hits = {hit["fields"]["id"][0]: hit for hit in answer["hits"]["hits"]}
    names = {record: hit["matched_queries"] for record, hit in hits.items() if "matched_queries" in hit}
    return CandidateMatches(
        scores={record: hit["_score"] or 0.0 for record, hit in hits.items()},
        versions=versions_of(index_uuid, hits),
        all_words=frozenset([record for record, matched_names in names.items() if _ALL_WORDS in matched_names]),
        matching=frozenset([record for record, matched_names in names.items() if _MATCHING in matched_names]),
        place_names={
            record: 1.0 if _NAMED_IN_TITLE in matched_names else 0.5
            for record, matched_names in names.items()
            if _NAMED in matched_names
        },
    )


def _named_clause(name: str, clause: Clause) -> Clause:
    return {"constant_score": {"filter": clause, "boost": 0.0, "_name": name}}


def _place_clause(places: Sequence[str], fields: Sequence[str]) -> Clause:
    """Records that name a place, but not only within the name of an institution: "Oregon State University"."""
    intervals = [_place_interval(place) for place in places]
    return any_of(*({"intervals": {field: interval}} for interval in intervals for field in fields))


def _place_interval(place: str) -> Json:
    name, of_place = _words_in_order(place), _words_in_order(f"of {place}")
    # One filter inside the other: "any_of" under "not_contained_by" lets some of its intervals pass.
    return _not_within(_not_within(name, [name, _INSTITUTION], 1), [_INSTITUTION, of_place], 0)


def _not_within(interval: Json, parts: Sequence[Json], max_gaps: int) -> Json:
    """The interval where it is not in the parts, which follow each other with at most so many words between them."""
    longer_name = {"all_of": {"intervals": list(parts), "ordered": True, "max_gaps": max_gaps}}
    return {"all_of": {"intervals": [interval], "filter": {"not_contained_by": longer_name}}}


def _words_in_order(text: str) -> Json:
    return {"match": {"query": text, "ordered": True, "max_gaps": 0}}


_INSTITUTION = {"any_of": {"intervals": [_words_in_order(word) for word in sorted(INSTITUTIONS)]}}
