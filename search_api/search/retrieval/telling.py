"""What the candidates themselves are asked: their score by words, whether they hold every word of the question or name
the asked place, and in which version they are.

Every word and the place are asked here and not with the search over the whole index, where they would keep
Elasticsearch from skipping records that cannot be among the best.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from core.json_types import Json, JsonMapping
from search_api.search.retrieval.arms import for_records
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.record_texts import phrase
from search_api.search.retrieval.versioned_cache import Version, version_of

_ALL_WORDS, _MATCHING, _NAMED_IN_TITLE, _NAMED = "all_words", "matching", "named_in_title", "named"
"""Names of the clauses; read back as matched queries."""


@dataclass(frozen=True, slots=True)
class Told:
    """Of the candidates that pass the filters: the score by words (0 if none occurs) and the version.

    ``all_words``: those with enough of the question's words. ``matching``: those that match by a condition. ``named``:
    how prominently they name the asked place, 1 in the title, .5 elsewhere; records that do not name it are absent.
    """

    scores: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, Version] = field(default_factory=dict)
    all_words: frozenset[str] = frozenset()
    named: Mapping[str, float] = field(default_factory=dict)
    matching: frozenset[str] = frozenset()


def telling_clauses(
    every_word: Clause, matching: Clause | None, places: Sequence[str], fields: Collection[str]
) -> tuple[Clause, ...]:
    """Clauses without a score. ``matching``: which records match; None: each that an arm finds does. ``places``: names
    of the asked places; ``fields``: where else than in the title.
    """
    told = [_named_clause(_ALL_WORDS, every_word)]
    if matching is not None:
        told.append(_named_clause(_MATCHING, matching))
    if places:
        told.append(_named_clause(_NAMED_IN_TITLE, _phrases(places, ["title"])))
        told.append(_named_clause(_NAMED, _phrases(places, [*fields, *(f"{field}.en" for field in fields)])))
    return tuple(told)


def telling_body(
    telling: Sequence[Clause], scoring: Sequence[Clause], filters: Sequence[Clause], ids: Sequence[str]
) -> Json:
    """All of the candidates that pass the filters."""
    query = {"should": [*scoring, *telling], "filter": [*filters, {"ids": {"values": list(ids)}}]}
    return {"query": {"bool": query}, "size": len(ids), **for_records()}


def read_told(answer: JsonMapping, index_uuid: str) -> Told:
    """The answer to ``telling_body``."""
    hits = {hit["fields"]["id"][0]: hit for hit in answer["hits"]["hits"]}
    matched = {record: hit["matched_queries"] for record, hit in hits.items() if "matched_queries" in hit}
    return Told(
        scores={record: hit["_score"] or 0.0 for record, hit in hits.items()},
        versions={record: version_of(index_uuid, hit) for record, hit in hits.items()},
        all_words=frozenset(record for record, names in matched.items() if _ALL_WORDS in names),
        matching=frozenset(record for record, names in matched.items() if _MATCHING in names),
        named={
            record: 1.0 if _NAMED_IN_TITLE in names else 0.5 for record, names in matched.items() if _NAMED in names
        },
    )


def _named_clause(name: str, clause: Clause) -> Clause:
    return {"constant_score": {"filter": clause, "boost": 0.0, "_name": name}}


def _phrases(texts: Sequence[str], fields: Sequence[str]) -> Clause:
    each = [phrase(text, fields) for text in texts]
    return {"bool": {"should": each, "minimum_should_match": 1}}
