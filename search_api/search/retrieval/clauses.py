"""Clauses of queries: filters, phrases and vectors."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.geo import BBox
from core.json_types import Json
from core.timespan import TimeSpan
from es_mappings.codecs.records import envelope, time_range
from search_api.search.ranking.candidates import Relation
from search_api.search.ranking.config import Boosts
from search_api.search.request import NAMES_APART, Filters

Clause = Json

# Directions and nearness filter by the derived target box (see spatial_target); the others are relations of the
# record to the asked area, as Elasticsearch names them.
_GEO_RELATION: dict[Relation, str] = {"within": "within", "contains": "contains", "disjoint": "disjoint"}

_RECORD_FIELDS = {
    "types": "type",
    "sources": "source",
    "keywords": "keywords.exact",
    "organisations": "contacts.organisation.exact",
    "themes": "themes",
    "licences": "licence",
    "provenance": "provenance.kind",
    "media_types": "links.media_type",
    "formats": "formats",
    "platforms": "names.platforms",
    "instruments": "names.instruments",
    "projects": "names.projects",
    "variables": "names.variables.name",
    "processing_levels": "names.processing_level",
}
_NAMED_BY_LISTS = frozenset(("platforms", "instruments", "projects", "variables"))
"""A record also passes by the name that it writes itself, if a loaded list calls the same thing otherwise."""

_PASSAGE_FIELDS = {
    "types": "type",
    "sources": "source",
    "keywords": "keywords",
    "organisations": "organisations",
    "themes": "themes",
    "licences": "licence",
    "provenance": "provenance_kind",
    "media_types": "media_types",
}


def record_filters(filters: Filters) -> list[Clause]:
    """Clauses for every record of the answer."""
    people = [person_clause(filters.people)] if filters.people else []
    return [*_clauses(filters, _RECORD_FIELDS), *people, *filters.expression]


def person_clause(names: Sequence[str]) -> Clause:
    """Records with a contact of any of these names, the first or the last name first, with or without initials."""
    phrases = [{"match_phrase": {"contacts.name": {"query": name, "slop": NAMES_APART}}} for name in names]
    return any_of(*phrases)


def passage_filters(filters: Filters) -> list[Clause]:
    """The same for passages, which hold copies of their record's fields; only public passages.

    Other fields (formats, names, an expression) are checked when their records are read.
    """
    return [{"term": {"owner": "public"}}, *passage_conditions(filters)]


def passage_conditions(filters: Filters) -> list[Clause]:
    """The filters on passages alone; the caller adds whose passages to search."""
    return _clauses(filters, _PASSAGE_FIELDS)


def _clauses(filters: Filters, fields: dict[str, str]) -> list[Clause]:
    by_field = {name: list(getattr(filters, name)) for name in fields}
    clauses = [_one_of(name, fields[name], values) for name, values in by_field.items() if values]
    if filters.area is not None:
        clauses.append(area_clause(filters.area, filters.relation or "intersects"))
    if filters.span is not None:
        clauses.append(span_clause(filters.span))
    return clauses


def any_of(*clauses: Clause) -> Clause:
    """Records that match at least one."""
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def one_of(name: str, values: list[str]) -> Clause:
    """Records with any of the values; ``name``: of the field of ``Filters``."""
    return person_clause(values) if name == "people" else _one_of(name, _RECORD_FIELDS[name], values)


def _one_of(name: str, field: str, values: list[str]) -> Clause:
    clause: Clause = {"terms": {field: values}}
    if name not in _NAMED_BY_LISTS:
        return clause
    return any_of(clause, {"terms": {"names.written": values}})


def area_clause(area: BBox, relation: Relation, field: str = "extent") -> Clause:
    """Records whose extent has ``relation`` to ``area``; records without an extent never pass."""
    clause: Clause = {
        "geo_shape": {field: {"shape": envelope(area), "relation": _GEO_RELATION.get(relation, "intersects")}}
    }
    if relation == "disjoint":  # a record without an extent is disjoint from everything, which nobody intends
        return {"bool": {"filter": [clause, {"exists": {"field": field}}]}}
    return clause


def span_clause(span: TimeSpan, field: str = "time") -> Clause:
    """Records whose time overlaps the span; records without a time never pass."""
    return {"range": {field: {**time_range(span), "relation": "intersects"}}}


LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
_FIELD_LISTS = 64
"""A configuration has four lists of fields, each in these languages."""


def boosted(boosts: Boosts, language: str | None) -> list[str]:
    """Field names with their weights: the sub-fields of the language, else the plain folded ones."""
    return list(_boosted(tuple(boosts.items()), language))


@lru_cache(_FIELD_LISTS)
def _boosted(boosts: tuple[tuple[str, float], ...], language: str | None) -> tuple[str, ...]:
    suffix = language_suffix(language)
    return tuple([f"{field}{suffix}^{boost:g}" for field, boost in boosts])


def language_suffix(language: str | None) -> str:
    """The sub-field with this language's analyser; empty for a language without one."""
    return f".{language}" if language in LANGUAGES else ""


_TEXTS = ("words", "words.en")


def phrase(text: str, fields: Collection[str] = _TEXTS) -> Clause:
    """The words of the text one after another, within one title, keyword or abstract."""
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}}


def every_word(text: str) -> Clause:
    """All words of the text, anywhere in the record."""
    return {"multi_match": {"query": text, "type": "cross_fields", "operator": "and", "fields": list(_TEXTS)}}


_ASCII_SIGN, _OTHER_SIGN = re.compile(r"[^\w\s\x80-\U0010ffff]"), re.compile(r"[^\w\s\x00-\x7f]")


def lucene_escaped(text: str) -> str:
    """The text as a literal in a Lucene regular expression, which has more signs than Python's: ``"``, ``<``, ``@``.

    Other signs stand for up to three signs: a field's normaliser folds ``“`` to ``"`` in the pattern too.
    """
    return _OTHER_SIGN.sub("[^a-z0-9]{0,3}", _ASCII_SIGN.sub(r"\\\g<0>", text))


_LONGEST_IN_PATTERN, _MOST_OTHER_SIGNS = 400, 4


def fits_pattern(text: str) -> bool:
    """Whether Elasticsearch can read the escaped text: a pattern of a thousand characters, few parts of which vary."""
    return len(text) <= _LONGEST_IN_PATTERN and len(_OTHER_SIGN.findall(text)) <= _MOST_OTHER_SIGNS


_OVERSAMPLING = 1.5  # candidates per shard for each requested hit


def nearest(vector: NDArray[np.float32], k: int, filters: Sequence[Clause]) -> Clause:
    """The ``knn`` section for the ``k`` nearest vectors that pass ``filters``."""
    return {
        "field": "vector",
        "query_vector": _numbers(vector),
        "k": k,
        "num_candidates": min(10_000, int(k * _OVERSAMPLING)),
        "filter": list(filters),
    }


def nearest_query(vector: NDArray[np.float32], k: int, filters: Sequence[Clause]) -> Clause:
    """The same as a query, for a search without other parts: a section ``knn`` costs Elasticsearch an extra phase, also
    on one shard. Each shard gives its ``k`` nearest, so ask for ``k`` hits.
    """
    return {"knn": nearest(vector, k, filters)}


def exact(vector: NDArray[np.float32], filters: Sequence[Clause]) -> Clause:
    """Every record that passes ``filters`` and has a vector, scored as ``nearest`` does.

    For some hundred given records twice as fast as ``knn`` with their ids as its filter (measured).
    """
    return {
        "script_score": {
            "query": {"bool": {"filter": [*filters, {"exists": {"field": "vector"}}]}},
            "script": {
                "source": "(1.0 + cosineSimilarity(params.vector, 'vector')) / 2.0",
                "params": {"vector": _numbers(vector)},
            },
        }
    }


def cosine(score: float) -> float:
    """The cosine behind Elasticsearch's ``_score``, which is (1 + cos) / 2."""
    return 2.0 * score - 1.0


def _numbers(vector: NDArray[np.float32]) -> list[float]:
    numbers: list[float] = np.round(vector.astype(np.float64), 6).tolist()
    return numbers
