"""Checks which candidates contain every word of the question or name the asked place, and reads their score by words
and their version.

The search over the whole index does not ask this: it would keep Elasticsearch from skipping records that cannot be
among the best.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from core.json_types import Json, JsonMapping
from search_api.search.caches import Version, versions_of
from search_api.search.retrieval.arms import for_records
from search_api.search.retrieval.filters import Clause, phrase

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
        clauses.append(_named_clause(_NAMED_IN_TITLE, _phrases(places, ["title"])))
        clauses.append(_named_clause(_NAMED, _phrases(places, [*fields, *(f"{field}.en" for field in fields)])))
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
        all_words=frozenset([record for record, matched in names.items() if _ALL_WORDS in matched]),
        matching=frozenset([record for record, matched in names.items() if _MATCHING in matched]),
        place_names={
            record: 1.0 if _NAMED_IN_TITLE in matched else 0.5 for record, matched in names.items() if _NAMED in matched
        },
    )


def _named_clause(name: str, clause: Clause) -> Clause:
    return {"constant_score": {"filter": clause, "boost": 0.0, "_name": name}}


def _phrases(texts: Sequence[str], fields: Sequence[str]) -> Clause:
    return {"bool": {"should": [phrase(text, fields) for text in texts], "minimum_should_match": 1}}
