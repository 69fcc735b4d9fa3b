"""Separates the records of a JSON document, and accounts for each member that is none."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.json_types import Json, JsonMapping
from indexer.formats.json_documents.linked_data import in_context, plain_node, short, types_of
from indexer.formats.json_documents.parsing import listed, objects_in, text_in, to_bytes, why_unread
from indexer.formats.readers import dcat, schema_org
from indexer.formats.recognition import detect_json
from indexer.formats.repair.links import doi_in
from indexer.formats.splitting.members import Unread

SCHEMA_CONTEXT = "https://schema.org/"
DCAT_CONTEXT = "http://www.w3.org/ns/dcat#"

_DEEPEST_CATALOGUE = 20
_DEEPEST_LIST = 5
_LINKED = (None, "dcat", "schema.org")  # formats whose records may be joined from several nodes
_IN_A_CATALOGUE = (("dataset", "Dataset"), ("service", "DataService"), ("datasetSeries", "DatasetSeries"))


@dataclass(slots=True)
class Found:
    """The records of a document as JSON, and its other members."""

    records: list[Any] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    def add(self, other: Found) -> None:
        self.records += other.records
        self.unread += other.unread


def json_members(document: object, depth: int = 0, where: str = "") -> Found:
    """The members of the first container that holds a known record; the document itself where it is one record.

    Nothing is unread where no record is found at all: then the whole document is refused.
    """
    if isinstance(document, list) and any(detect_json(one) not in _LINKED for one in document):
        return _list(document, depth, where)
    if detect_json(document) is not None:
        several = isinstance(document, list) or (isinstance(document, dict) and "@graph" in document)
        found = _graph(document, where) if several else Found()
        return found if found.records else Found([document])
    if isinstance(document, list):
        found = _list(document, depth, where)
        return found if found.records else _graph(document, where)
    if not isinstance(document, dict):
        return Found()
    return next((found for find in _CONTAINERS if (found := find(document, depth, where)).records), Found())


def _list(members: Sequence[object], depth: int, where: str) -> Found:
    """Each member that is a record, or that is itself a container of records."""
    found = Found()
    for number, member in enumerate(members, 1):
        place = f"entry {number}{where}"
        if detect_json(member) is not None:
            found.records.append(member)
            continue
        inner = json_members(member, depth + 1, f" of {place}") if depth < _DEEPEST_LIST else Found()
        if inner.records:
            found.add(inner)
        else:
            found.unread.append(Unread(place, why_unread(member), record_name(member)))
    return found


def _features(document: JsonMapping, depth: int, where: str) -> Found:
    is_collection = document.get("type") == "FeatureCollection"
    return _member_list("features")(document, depth, where) if is_collection else Found()


def _member_list(*path: str) -> Callable[[JsonMapping, int, str], Found]:
    def find(document: JsonMapping, depth: int, where: str) -> Found:
        found: object = document
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        return _list(found, depth, f" of {path[-1]}{where}") if isinstance(found, list) else Found()

    return find


def _catalogue(document: JsonMapping, depth: int = 0, where: str = "") -> Found:
    """Data sets, services and series of a data.json and of its nested catalogues; identical ones once."""
    if types_of(document) & {"DataCatalog"}:
        return Found()
    found = _in_catalogue(document, depth, where)
    once: dict[bytes, Json] = {}
    for one in found.records:
        key = _whatever_its_series(one)
        if key in once:
            found.unread.append(Unread("entry", "it is listed twice, and read once", passed_over=True))
        once[key] = one
    return Found(list(once.values()), found.unread)


def _in_catalogue(document: JsonMapping, depth: int, where: str) -> Found:
    found = Found()
    if depth > _DEEPEST_CATALOGUE:
        return found
    names = {short(str(name)): value for name, value in in_context(document).items()}
    for name, kind in _IN_A_CATALOGUE:
        given = names.get(name)
        for number, one in enumerate(given if isinstance(given, list) else listed(given), 1):
            if isinstance(one, dict) and len(one) > 1:  # more than a reference
                found.records.append(one if "@type" in one else {**one, "@type": kind})
            else:
                found.unread.append(Unread(f"entry {number} of {name}{where}", why_unread(one), _referred(one)))
    for series in [one for one in found.records if types_of(one) & {"DatasetSeries"}]:
        for one in objects_in(series.get("seriesMember")):
            if "title" in one:
                name = series.get("@id") or series.get("identifier") or series.get("title")
                found.records.append({**one, "inSeries": name})
    for number, inner in enumerate(listed(names.get("catalog")), 1):
        if isinstance(inner, dict):
            found.add(_in_catalogue(inner, depth + 1, f" of catalog {number}{where}"))
    return found


def _referred(one: object) -> str:
    """The address to which an entry refers, or the name that it has."""
    return record_name(one) if not isinstance(one, str) else one if "://" in one else ""


def _whatever_its_series(one: JsonMapping) -> bytes:
    """The same bytes for a data set that is listed alone and as a member of a series."""
    return to_bytes({name: one[name] for name in sorted(one) if name not in ("inSeries", "@type")})


def _graph(document: object, where: str = "") -> Found:
    """Data sets of a JSON-LD graph, each joined from its nodes; the nodes that are no data set are passed over."""
    content = to_bytes(document)
    sets: list[Json] = [{**one, "@context": DCAT_CONTEXT} for one in dcat.resources(content) if types_of(one)]
    sets = sets or [{**one, "@context": SCHEMA_CONTEXT} for one in schema_org.datasets(content)]
    if not sets:
        return Found()
    left, found = Counter(_likeness(one) for one in sets), Found(sets)
    read = {record_name(one) for one in sets}
    for place, node in _nodes(in_context(document), where):
        if not isinstance(node, dict):
            found.unread.append(Unread(place, why_unread(node)))
        elif left[likeness := _likeness(plain_node(node, {}))]:
            left[likeness] -= 1
        else:
            kinds = ", ".join(sorted(types_of(node)))
            reason = f"it is of the type {kinds}, not a data set" if kinds else "it is a node without a type"
            name = record_name(plain_node(node, {}))
            found.unread.append(Unread(place, reason, "" if name in read else name, passed_over=True))
    return found


def _nodes(document: object, where: str) -> Iterator[tuple[str, object]]:
    """The top-level nodes with their places, also those that are no objects."""
    if isinstance(document, list):
        for number, one in enumerate(document, 1):
            if (isinstance(one, list) and one) or (isinstance(one, dict) and "@graph" in one):
                yield from _nodes(one, f" of entry {number}{where}")
            else:
                yield f"entry {number}{where}", one
    elif isinstance(document, dict) and "@graph" in document:
        graph = document["@graph"]
        yield from _nodes(graph if isinstance(graph, list) else [graph], f" of @graph{where}")


def _likeness(node: Json) -> tuple[object, ...]:
    """What identifies a node before and after others are joined to it."""
    names = (text_in(node.get(name)) for name in ("@id", "identifier", "name", "title"))
    return (frozenset(types_of(node)), *names)


_CONTAINERS: tuple[Callable[[JsonMapping, int, str], Found], ...] = (
    _features,
    _catalogue,
    _member_list("collections"),
    _member_list("result", "results"),
    _member_list("result"),
    _member_list("results"),
    _member_list("items"),
    _member_list("data"),
    _member_list("response", "docs"),
    _member_list("docs"),
    _member_list("records"),
    lambda document, _, where: _graph(document, where),
)


def record_name(part: object) -> str:
    """The name of the record, as its reader finds it."""
    if not isinstance(part, dict):
        return ""
    meta = part.get("meta")
    package = part if "notes" in part or "resources" in part else {}
    candidates = [
        meta.get("concept-id") if isinstance(meta, dict) else None,
        part.get("layer_slug_s"),
        part.get("doi") if "titles" in part else None,
        *(package.get(name) for name in ("id", "name")),
        *(part.get(name) for name in ("identifier", "dct:identifier", "id", "@id", "name")),
    ]
    for candidate in candidates:
        for one in listed(candidate):
            inner = one.get("@id") or one.get("@value") or one.get("value") if isinstance(one, dict) else one
            if text := text_in(inner):
                return doi_in(text) or text if "doi.org" in text else text
    return ""


def fallback_name(part: object) -> str:
    """A name for a part without one: the hash of its title, so it changes only with the title."""
    title = text_in(part.get("title")) if isinstance(part, dict) else ""
    return hashlib.sha256(title.encode() or to_bytes(part)).hexdigest()[:16]
