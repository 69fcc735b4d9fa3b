"""The records that a record is related to: versions, copies, sources, parts, siblings, project; by one request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import parse_qsl, quote, unquote

from core.json_types import Json
from core.record import Record
from core.record_keys import title_stem
from core.versions import VersionOrder, are_versions, doi_stem, order_of, version_key
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all, with_current_index
from es_mappings.codecs import vectors
from es_mappings.codecs.records import from_document
from reading.names import read_identifiers
from search_api.formats_out.notations import split_address
from search_api.search.retrieval.clauses import Clause
from search_api.search.retrieval.serving import ServingResolver

Relation = VersionOrder | Literal["copy", "source", "derived", "whole", "part", "data", "service", "sibling", "project"]
RELATIONS: tuple[Relation, ...] = (
    "newer_version", "older_version", "other_version", "copy", "source", "derived", "whole", "part", "data",
    "service", "sibling", "project",
)  # fmt: skip
"""In the order of an answer; a record is in the first that fits. ``copy``: the same data set from another source;
``data`` of a service, and ``service`` of data: what serves what.
"""
_CANDIDATES = 50
_MOST_REFERENCES = 20
_RARE_PROJECT = 500
"""A project with more records says too little of two of them."""
_LEAST_IDENTIFIER = 4
_ESCAPED = r"\\\1"
_Key = tuple[str, str | None]
"""What was asked, and the project's name."""
_QUERY_OF: Mapping[Relation, str] = {
    "copy": "copies", "source": "sources", "derived": "derived", "whole": "whole", "part": "parts",
    "data": "data", "service": "services", "sibling": "siblings",
}  # fmt: skip


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
        answers = with_current_index(
            self.resolver, lambda serving: self._search(serving.records.index, queries.values())
        )
        matches = dict(zip(queries, map(_records, answers), strict=True))
        return tuple(_in_order(record, matches, limit))

    def _search(self, index: str, queries: Iterable[Json]) -> list[Json]:
        searches: list[Json] = []
        for query in queries:
            body = {
                "query": query,
                "size": _CANDIDATES,
                "sort": ["_score", {"id": "asc"}],
                "_source": vectors.EXCEPT_VECTORS,
            }
            searches += [{"index": index}, {**body, "track_total_hits": True}]
        return search_all(self.client, searches) if searches else []


@dataclass(frozen=True, slots=True)
class _Matches:
    records: tuple[Record, ...]
    matched: int


def _queries(record: Record) -> dict[_Key, Json]:
    """By what they ask for. Each leaves out the record itself."""
    names = list(dict.fromkeys(name for name in (record.identifier, record.id, record.doi) if name))
    clauses: dict[_Key, Clause | None] = {
        ("versions", None): _version_clause(record),
        ("copies", None): {"term": {"identity": record.identity}},
        ("sources", None): _identified_by(_references(record.provenance.derived_from)),
        ("derived", None): _any_case("provenance.derived_from", [*names, *_addresses(record)]),
        ("whole", None): _identified_by(_references([record.parent])) if record.parent else None,
        ("parts", None): _any_case("parent", names),
        ("data", None): _identified_by(_served_names(record)),
        ("services", None): _serving(record),
        ("siblings", None): {"term": {"parent": record.parent}} if record.parent else None,
        **{("project", name): {"term": {"names.projects": name}} for name in record.names.projects[:3]},
    }
    own_record = [{"term": {"id": record.id}}]
    return {key: {"bool": {"must": [clause], "must_not": own_record}} for key, clause in clauses.items() if clause}


def _version_clause(record: Record) -> Clause | None:
    """Candidates: the rule is ``are_versions``."""
    clauses: list[Clause] = []
    if stem := title_stem(record.title):
        clauses.append({"match": {"title": {"query": " ".join(stem), "operator": "and"}}})
    family = doi_stem(record.doi or "")
    if family is not None:
        clauses.append({"prefix": {"doi": family[0]}})
    return {"bool": {"should": clauses}} if clauses else None


def _addresses(record: Record) -> list[str]:
    return [f"{head}{record.doi}" for head in ("https://doi.org/", "http://dx.doi.org/", "doi:")] if record.doi else []


def _references(texts: Sequence[str | None]) -> list[str]:
    """As identifiers: what is written, and the DOI in it."""
    statements = [text for text in texts if text][:_MOST_REFERENCES]
    dois = [
        identifier.value for text in statements for identifier in read_identifiers(text) if identifier.kind == "doi"
    ]
    return list(dict.fromkeys([*statements, *dois]))


def _identified_by(names: Sequence[str]) -> Clause | None:
    if not names:
        return None
    return {"bool": {"should": [{"terms": {"identifiers": names}}, {"terms": {"id": names}}]}}


def _served_names(record: Record) -> list[str]:
    """What may identify the data of a service: the name and address of each link, the address's parameters, its end."""
    names: list[str] = []
    for link in record.served_data[:_MOST_REFERENCES]:
        parts = split_address(link.href)
        values = [value for _, value in parse_qsl(parts.query)]
        names += [
            link.name or "",
            link.href,
            link.href.removeprefix("urn:uuid:"),
            *values,
            unquote(parts.path.rpartition("/")[2]),
            parts.fragment,
        ]
    return list(dict.fromkeys(name for name in names if name))


def _serving(record: Record) -> Clause | None:
    """Services with a link that ends with the record's identifier, or has it as a parameter's value."""
    if record.type == "service" or len(record.identifier) < _LEAST_IDENTIFIER:
        return None
    forms = list(dict.fromkeys((record.identifier, quote(record.identifier, safe=""))))
    literals = [re.sub(r"([*?])", _ESCAPED, form) for form in forms]
    patterns = [f"*{mark}{literal}{end}" for literal in literals for mark in "=/#:" for end in ("", "&*")]
    links = [{"wildcard": {"links.href": {"value": pattern, "case_insensitive": True}}} for pattern in patterns]
    return {"bool": {"filter": [{"term": {"type": "service"}}, {"bool": {"should": links}}]}}


def _any_case(field: str, names: Sequence[str]) -> Clause:
    return {"bool": {"should": [{"term": {field: {"value": name, "case_insensitive": True}}} for name in names]}}


def _records(answer: Json) -> _Matches:
    hits = answer["hits"]
    return _Matches(tuple(from_document(hit["_source"]) for hit in hits["hits"]), int(hits["total"]["value"]))


def _in_order(record: Record, matches: Mapping[_Key, _Matches], limit: int) -> Iterable[Related]:
    by_relation: dict[Relation, tuple[list[Record], int, str | None]] = {}
    used_ids: set[str] = set()

    def take(relation: Relation, records: Iterable[Record], matched: int | None, name: str | None = None) -> None:
        unused_records = [related for related in records if related.id not in used_ids]
        if unused_records:
            used_ids.update(related.id for related in unused_records)
            by_relation[relation] = (unused_records, len(unused_records) if matched is None else matched, name)

    for version, records in _versions(record, matches).items():
        take(version, records, None)
    for relation, query in _QUERY_OF.items():
        answer = matches.get((query, None))
        if answer is not None:
            take(relation, answer.records, answer.matched)
    name, projects = _nearest_project(matches)
    if projects is not None:
        take("project", projects.records, projects.matched, name)
    for relation in RELATIONS:
        if relation in by_relation:
            members, matched, name = by_relation[relation]
            yield Related(relation, tuple(members[:limit]), max(matched, len(members)), name)


def _versions(record: Record, matches: Mapping[_Key, _Matches]) -> dict[VersionOrder, list[Record]]:
    """Newest first. A copy of the record itself is no version of it; one that names it as its source may be."""
    candidates = [
        candidate
        for query in ("versions", "sources", "derived")
        for candidate in getattr(matches.get((query, None)), "records", ())
        if candidate.identity != record.identity and are_versions(record, candidate)
    ]
    by_order: dict[VersionOrder, list[Record]] = {name: [] for name in get_args(VersionOrder)}
    for candidate in {candidate.id: candidate for candidate in candidates}.values():
        by_order[order_of(record, candidate)].append(candidate)
    return {name: sorted(records, key=_newest) for name, records in by_order.items()}


def _newest(record: Record) -> tuple[tuple[int, ...], str]:
    return tuple(-number for number in version_key(record) or ()), record.id


def _nearest_project(matches: Mapping[_Key, _Matches]) -> tuple[str | None, _Matches | None]:
    """The project with the fewest records: the most telling one."""
    small_projects = [
        (project.matched, name or "", project)
        for (query, name), project in matches.items()
        if query == "project" and project.matched
    ]
    if not small_projects:
        return None, None
    matched, name, project = min(small_projects, key=lambda entry: entry[:2])
    return (name, project) if matched <= _RARE_PROJECT else (None, None)
