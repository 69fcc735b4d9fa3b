"""Separates the records of a JSON document, and accounts for each member that is none."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.json_types import Json, JsonMapping
from indexer.formats.json_documents.linked_data import apply_context, plain_node, types_of, without_prefix
from indexer.formats.json_documents.parsing import (
    as_list,
    describe_member,
    in_fixed_order,
    objects_in,
    text_in,
    to_bytes,
)
from indexer.formats.readers import dcat, schema_org
from indexer.formats.recognition import format_of_json
from indexer.formats.repair.links import doi_in
from indexer.raw import Recognition


@dataclass(frozen=True, slots=True)
class RecordPart:
    """A record of a document, as a separate document.

    ``name`` is its native id; empty: the document has no identifier, and the source's name for it is used.
    """

    name: str
    content: bytes
    recognition: Recognition | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class UnreadableMember:
    """A member that gives no record. ``place`` names it for people, ``name`` is the identifier that it still has.

    ``passed_over``: it is no record (a person in a graph, a mark of deletion, a second copy); it has a name only if the
    record of that name may have become it.
    """

    place: str
    reason: str
    name: str = ""
    passed_over: bool = False


@dataclass(frozen=True, slots=True)
class SplitDocument:
    """All members of one document; ``nameless`` are the names of records that their own text does not name."""

    records: list[RecordPart]
    unreadable: list[UnreadableMember] = field(default_factory=list)
    nameless: frozenset[str] = frozenset()


def pass_over_references(members: Iterable[UnreadableMember], names: Iterable[str]) -> list[UnreadableMember]:
    """A member that only names a record which is read elsewhere in the document is no lost record."""
    known_names = frozenset(names) - {""}
    return [replace(member, passed_over=True, name="") if member.name in known_names else member for member in members]


SCHEMA_CONTEXT = "https://schema.org/"
DCAT_CONTEXT = "http://www.w3.org/ns/dcat#"

_DEEPEST_CATALOGUE = 20
_DEEPEST_LIST = 5
_LINKED_FORMATS = (None, "dcat", "schema.org")  # formats whose records may be joined from several nodes
_IN_A_CATALOGUE = (("dataset", "Dataset"), ("service", "DataService"), ("datasetSeries", "DatasetSeries"))


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """``recognition`` is None where the record was put together here."""

    value: Any
    recognition: Recognition | None = None


@dataclass(slots=True)
class JsonMembers:
    """The records of a document, and its other members."""

    records: list[JsonRecord] = field(default_factory=list)
    unreadable: list[UnreadableMember] = field(default_factory=list)

    def add(self, other_members: JsonMembers) -> None:
        self.records += other_members.records
        self.unreadable += other_members.unreadable


def json_members(document: object, depth: int = 0, place: str = "") -> JsonMembers:
    """The members of the first container that holds a known record; the document itself where it is one record.

    Nothing is unreadable where no record is found at all: then the whole document is refused.
    """
    if isinstance(document, list) and any(format_of_json(member) not in _LINKED_FORMATS for member in document):
        return _list(document, depth, place)
    if (name := format_of_json(document)) is not None:
        is_graph = isinstance(document, list) or (isinstance(document, dict) and "@graph" in document)
        members = _graph(document, place) if is_graph else JsonMembers()
        return members if members.records else JsonMembers([JsonRecord(document, Recognition(name))])
    if isinstance(document, list):
        members = _list(document, depth, place)
        return members if members.records else _graph(document, place)
    if not isinstance(document, dict):
        return JsonMembers()
    return next((members for find in _CONTAINERS if (members := find(document, depth, place)).records), JsonMembers())


def _list(entries: Sequence[object], depth: int, outer_place: str) -> JsonMembers:
    """Each entry that is a record, or that is itself a container of records."""
    members = JsonMembers()
    for number, entry in enumerate(entries, 1):
        place = f"entry {number}{outer_place}"
        if (name := format_of_json(entry)) is not None:
            members.records.append(JsonRecord(entry, Recognition(name)))
            continue
        inner_members = json_members(entry, depth + 1, f" of {place}") if depth < _DEEPEST_LIST else JsonMembers()
        if inner_members.records:
            members.add(inner_members)
        else:
            members.unreadable.append(UnreadableMember(place, describe_member(entry), record_name(entry)))
    return members


def _features(document: JsonMapping, depth: int, place: str) -> JsonMembers:
    is_collection = document.get("type") == "FeatureCollection"
    return _list_reader("features")(document, depth, place) if is_collection else JsonMembers()


def _list_reader(*path: str) -> Callable[[JsonMapping, int, str], JsonMembers]:
    def find(document: JsonMapping, depth: int, place: str) -> JsonMembers:
        value: object = document
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return _list(value, depth, f" of {path[-1]}{place}") if isinstance(value, list) else JsonMembers()

    return find


def _catalogue(document: JsonMapping, depth: int = 0, place: str = "") -> JsonMembers:
    """Data sets, services and series of a data.json and of its nested catalogues; identical ones once."""
    if types_of(document) & {"DataCatalog"}:
        return JsonMembers()
    entries, unreadable = _catalogue_entries(document, depth, place)
    by_content: dict[bytes, Json] = {}
    for entry in entries:
        key = _without_series(entry)
        if key in by_content:
            unreadable.append(UnreadableMember("entry", "it is listed twice, and read once", passed_over=True))
        by_content[key] = entry
    return JsonMembers([JsonRecord(entry) for entry in by_content.values()], unreadable)


def _catalogue_entries(
    document: JsonMapping, depth: int, outer_place: str
) -> tuple[list[Json], list[UnreadableMember]]:
    entries: list[Json] = []
    unreadable: list[UnreadableMember] = []
    if depth > _DEEPEST_CATALOGUE:
        return entries, unreadable
    members = {without_prefix(str(name)): value for name, value in apply_context(document).items()}
    for name, kind in _IN_A_CATALOGUE:
        value = members.get(name)
        for number, entry in enumerate(value if isinstance(value, list) else as_list(value), 1):
            if isinstance(entry, dict) and len(entry) > 1:  # more than a reference
                entries.append(entry if "@type" in entry else {**entry, "@type": kind})
            else:
                place = f"entry {number} of {name}{outer_place}"
                unreadable.append(UnreadableMember(place, describe_member(entry), _reference_name(entry)))
    for series in [entry for entry in entries if types_of(entry) & {"DatasetSeries"}]:
        for member in objects_in(series.get("seriesMember")):
            if "title" in member:
                series_name = series.get("@id") or series.get("identifier") or series.get("title")
                entries.append({**member, "inSeries": series_name})
    for number, inner_catalogue in enumerate(as_list(members.get("catalog")), 1):
        if isinstance(inner_catalogue, dict):
            inner_entries, faults = _catalogue_entries(inner_catalogue, depth + 1, f" of catalog {number}{outer_place}")
            entries += inner_entries
            unreadable += faults
    return entries, unreadable


def _reference_name(entry: object) -> str:
    """The address to which an entry refers, or the name that it has."""
    return record_name(entry) if not isinstance(entry, str) else entry if "://" in entry else ""


def _without_series(entry: JsonMapping) -> bytes:
    """The same bytes for a data set that is listed alone and as a member of a series."""
    return to_bytes({name: entry[name] for name in sorted(entry) if name not in ("inSeries", "@type")})


def _graph(document: object, outer_place: str = "") -> JsonMembers:
    """Data sets of a JSON-LD graph, each joined from its nodes; the nodes that are no data set are passed over."""
    document_in_order = in_fixed_order(document)
    datasets: list[Json] = [
        {**node, "@context": DCAT_CONTEXT} for node in dcat.resources_in(document_in_order) if types_of(node)
    ]
    datasets = datasets or [
        {**node, "@context": SCHEMA_CONTEXT} for node in schema_org.datasets_in([document_in_order])
    ]
    if not datasets:
        return JsonMembers()
    unmatched_counts, members = Counter(map(_likeness, datasets)), JsonMembers([JsonRecord(node) for node in datasets])
    names = {record_name(node) for node in datasets}
    for place, node in _nodes(apply_context(document), outer_place):
        if not isinstance(node, dict):
            members.unreadable.append(UnreadableMember(place, describe_member(node)))
        elif unmatched_counts[likeness := _likeness(plain_node(node, {}))]:
            unmatched_counts[likeness] -= 1
        else:
            kinds = ", ".join(sorted(types_of(node)))
            reason = f"it is of the type {kinds}, not a data set" if kinds else "it is a node without a type"
            name = record_name(plain_node(node, {}))
            members.unreadable.append(UnreadableMember(place, reason, "" if name in names else name, passed_over=True))
    return members


def _nodes(document: object, place: str) -> Iterator[tuple[str, object]]:
    """The top-level nodes with their places, also those that are no objects."""
    if isinstance(document, list):
        for number, entry in enumerate(document, 1):
            if (isinstance(entry, list) and entry) or (isinstance(entry, dict) and "@graph" in entry):
                yield from _nodes(entry, f" of entry {number}{place}")
            else:
                yield f"entry {number}{place}", entry
    elif isinstance(document, dict) and "@graph" in document:
        graph = document["@graph"]
        yield from _nodes(graph if isinstance(graph, list) else [graph], f" of @graph{place}")


def _likeness(node: Json) -> tuple[object, ...]:
    """What identifies a node before and after others are joined to it."""
    names = (text_in(node.get(name)) for name in ("@id", "identifier", "name", "title"))
    return (frozenset(types_of(node)), *names)


_CONTAINERS: tuple[Callable[[JsonMapping, int, str], JsonMembers], ...] = (
    _features,
    _catalogue,
    _list_reader("collections"),
    _list_reader("result", "results"),
    _list_reader("result"),
    _list_reader("results"),
    _list_reader("items"),
    _list_reader("data"),
    _list_reader("response", "docs"),
    _list_reader("docs"),
    _list_reader("records"),
    lambda document, _, where: _graph(document, where),
)


def record_name(value: object) -> str:
    """The name of the record, as its reader finds it."""
    if not isinstance(value, dict):
        return ""
    meta = value.get("meta")
    package = value if "notes" in value or "resources" in value else {}
    candidates = [
        meta.get("concept-id") if isinstance(meta, dict) else None,
        value.get("layer_slug_s"),
        value.get("doi") if "titles" in value else None,
        *(package.get(name) for name in ("id", "name")),
        *(value.get(name) for name in ("identifier", "dct:identifier", "id", "@id", "name")),
    ]
    for candidate in candidates:
        for item in as_list(candidate):
            inner_value = item.get("@id") or item.get("@value") or item.get("value") if isinstance(item, dict) else item
            if text := text_in(inner_value):
                return doi_in(text) or text if "doi.org" in text else text
    return ""


def fallback_name(value: object) -> str:
    """A name for a record without one: the hash of its title, so it changes only with the title."""
    title = text_in(value.get("title")) if isinstance(value, dict) else ""
    return hashlib.sha256(title.encode() or to_bytes(value)).hexdigest()[:16]
