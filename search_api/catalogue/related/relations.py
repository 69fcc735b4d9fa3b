"""Asks the records for those that a record is related to, in one request, and says how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.json_types import Json
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import on_current, search_all
from es_mappings.codecs import vectors
from es_mappings.codecs.records import from_document
from reading.identifiers import read_identifiers
from search_api.catalogue.related.versions import (
    VersionOrder,
    are_versions,
    doi_stem,
    order_of,
    title_stem,
    version_key,
)
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.serving import ServingResolver

Relation = VersionOrder | Literal["copy", "source", "derived", "whole", "part", "sibling", "project"]
RELATIONS: tuple[Relation, ...] = (
    "newer_version", "older_version", "other_version", "copy", "source", "derived", "whole", "part", "sibling",
    "project",
)  # fmt: skip
"""In the order of an answer; a record is in the first that fits. ``copy``: the same data set from another source."""

_CANDIDATES = 50
_MOST_REFERENCES = 20
_RARE_PROJECT = 500
"""A project with more records says too little of two of them."""


@dataclass(frozen=True, slots=True)
class Related:
    """``matched``: how many there are; of versions only those that were looked at. ``name``: of the project."""

    relation: Relation
    records: tuple[Record, ...]
    matched: int
    name: str | None = None


@dataclass(frozen=True, slots=True)
class RelationReader:
    """``client`` returns only what the caller may see. Raises Unavailable."""

    client: Elasticsearch
    resolver: ServingResolver

    def of(self, record: Record, limit: int) -> tuple[Related, ...]:
        """In the order of RELATIONS, without empty ones and without the record itself; at most ``limit`` of each."""
        queries = _queries(record)
        answers = on_current(self.resolver, lambda serving: self._asked(serving.records.index, queries.values()))
        found = dict(zip(queries, map(_records, answers), strict=True))
        return tuple(_arranged(record, found, limit))

    def _asked(self, index: str, queries: Iterable[Json]) -> list[Json]:
        searches: list[Json] = []
        for query in queries:
            body = {"query": query, "size": _CANDIDATES, "sort": ["_score", {"id": "asc"}], "_source": vectors.WITHOUT}
            searches += [{"index": index}, {**body, "track_total_hits": True}]
        return search_all(self.client, searches) if searches else []


@dataclass(frozen=True, slots=True)
class _Found:
    records: tuple[Record, ...]
    matched: int


_Key = tuple[str, str | None]
"""What was asked, and the project's name."""


def _queries(record: Record) -> dict[_Key, Json]:
    """By what they ask for. Each leaves out the record itself."""
    names = _names_of(record)
    asked: dict[_Key, Clause | None] = {
        ("versions", None): _version_clause(record),
        ("copies", None): {"term": {"identity": record.identity}},
        ("sources", None): _named(_references(record.provenance.derived_from)),
        ("derived", None): _any_case("provenance.derived_from", [*names, *_addresses(record)]),
        ("whole", None): _named(_references([record.parent])) if record.parent else None,
        ("parts", None): _any_case("parent", names),
        ("siblings", None): {"term": {"parent": record.parent}} if record.parent else None,
        **{("project", name): {"term": {"names.projects": name}} for name in record.names.projects[:3]},
    }
    itself = [{"term": {"id": record.id}}]
    return {key: {"bool": {"must": [clause], "must_not": itself}} for key, clause in asked.items() if clause}


def _version_clause(record: Record) -> Clause | None:
    """Candidates: the rule is ``are_versions``."""
    found: list[Clause] = []
    if stem := title_stem(record.title):
        found.append({"match": {"title": {"query": " ".join(stem), "operator": "and"}}})
    family = doi_stem(record.doi or "")
    if family is not None:
        found.append({"prefix": {"doi": family[0]}})
    return {"bool": {"should": found}} if found else None


def _names_of(record: Record) -> list[str]:
    """By which other records may name it."""
    return list(dict.fromkeys(name for name in (record.identifier, record.id, record.doi) if name))


def _addresses(record: Record) -> list[str]:
    return [f"{head}{record.doi}" for head in ("https://doi.org/", "http://dx.doi.org/", "doi:")] if record.doi else []


def _references(texts: Sequence[str | None]) -> list[str]:
    """As identifiers: what is written, and the DOI in it."""
    known = [text for text in texts if text][:_MOST_REFERENCES]
    dois = [found.value for text in known for found in read_identifiers(text) if found.kind == "doi"]
    return list(dict.fromkeys([*known, *dois]))


def _named(names: Sequence[str]) -> Clause | None:
    if not names:
        return None
    return {"bool": {"should": [{"terms": {"identifiers": names}}, {"terms": {"id": names}}]}}


def _any_case(field: str, names: Sequence[str]) -> Clause:
    return {"bool": {"should": [{"term": {field: {"value": name, "case_insensitive": True}}} for name in names]}}


def _records(answer: Json) -> _Found:
    hits = answer["hits"]
    return _Found(tuple(from_document(hit["_source"]) for hit in hits["hits"]), int(hits["total"]["value"]))


def _arranged(record: Record, found: Mapping[_Key, _Found], limit: int) -> Iterable[Related]:
    by_relation: dict[Relation, tuple[list[Record], int, str | None]] = {}
    taken: set[str] = set()

    def take(relation: Relation, records: Iterable[Record], matched: int | None, name: str | None = None) -> None:
        fresh = [one for one in records if one.id not in taken]
        if fresh:
            taken.update(one.id for one in fresh)
            by_relation[relation] = (fresh, len(fresh) if matched is None else matched, name)

    for version, records in _versions(record, found).items():
        take(version, records, None)
    for relation, asked in _ASKED_AS.items():
        one = found.get((asked, None))
        if one is not None:
            take(relation, one.records, one.matched)
    name, projects = _nearest_project(found)
    if projects is not None:
        take("project", projects.records, projects.matched, name)
    for relation in RELATIONS:
        if relation in by_relation:
            kept, matched, name = by_relation[relation]
            yield Related(relation, tuple(kept[:limit]), max(matched, len(kept)), name)


_ASKED_AS: Mapping[Relation, str] = {
    "copy": "copies", "source": "sources", "derived": "derived", "whole": "whole", "part": "parts",
    "sibling": "siblings",
}  # fmt: skip


def _versions(record: Record, found: Mapping[_Key, _Found]) -> dict[VersionOrder, list[Record]]:
    """Newest first. A copy of the record itself is no version of it; one that names it as its source may be."""
    candidates = [
        one
        for asked in ("versions", "sources", "derived")
        for one in getattr(found.get((asked, None)), "records", ())
        if one.identity != record.identity and are_versions(record, one)
    ]
    parted: dict[VersionOrder, list[Record]] = {name: [] for name in get_args(VersionOrder)}
    for one in {one.id: one for one in candidates}.values():
        parted[order_of(record, one)].append(one)
    return {name: sorted(records, key=_newest) for name, records in parted.items()}


def _newest(record: Record) -> tuple[tuple[int, ...], str]:
    return tuple(-number for number in version_key(record) or ()), record.id


def _nearest_project(found: Mapping[_Key, _Found]) -> tuple[str | None, _Found | None]:
    """The project with the fewest records: the most telling one."""
    few = [(one.matched, name or "", one) for (asked, name), one in found.items() if asked == "project" and one.matched]
    if not few:
        return None, None
    matched, name, one = min(few, key=lambda each: each[:2])
    return (name, one) if matched <= _RARE_PROJECT else (None, None)
