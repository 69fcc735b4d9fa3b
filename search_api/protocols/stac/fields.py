"""STAC's Fields extension: which members of an Item the client wants."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.json_types import Json


@dataclass(frozen=True, slots=True)
class Document:
    """``members``: its own names; another name is one of its properties, if it has some. ``always``: what makes it
    valid.
    """

    members: frozenset[str]
    always: tuple[str, ...]


ITEM = Document(
    frozenset(
        ("type", "stac_version", "stac_extensions", "id", "collection", "geometry", "bbox", "properties", "links",
         "assets")
    ),
    ("type", "stac_version", "id", "collection", "geometry", "bbox", "links", "assets", "properties.datetime",
     "properties.start_datetime", "properties.end_datetime"),
)  # fmt: skip
COLLECTION = Document(frozenset(), ("type", "stac_version", "id", "description", "license", "extent", "links"))


@dataclass(frozen=True, slots=True)
class Fields:
    """Paths of members: ``geometry``, ``properties.gsd``."""

    include: frozenset[str]
    exclude: frozenset[str]


def read_fields(text: str, document: Document = ITEM) -> Fields:
    """``id,-geometry,gsd``: a minus leaves out. A name that is no member of an Item is one of its properties."""
    names = [one.strip() for one in text.split(",") if one.strip(" +-")]
    out = frozenset(_path(one, document) for one in names if one.startswith("-"))
    return Fields(frozenset(_path(one, document) for one in names if not one.startswith("-")), out)


def _path(name: str, document: Document) -> str:
    plain = name.strip(" +-")
    return plain if not document.members or plain.partition(".")[0] in document.members else f"properties.{plain}"


def chosen(item: Json, fields: Fields, document: Document = ITEM) -> Json:
    """The members that a valid document needs and the included ones, without the excluded ones.

    Without an inclusion, an exclusion leaves everything else. An included inner member outlives its excluded parent.
    """
    if not fields.include and fields.exclude:
        return _without(item, fields)
    return _without(_only(item, [*document.always, *fields.include]), fields)


def _only(item: Json, wanted: Iterable[str]) -> Json:
    kept: Json = {}
    for path in wanted:
        member, _, inner = path.partition(".")
        if member not in item:
            continue
        if not inner:
            kept[member] = item[member]
        elif isinstance(item[member], dict) and inner in item[member]:
            kept[member] = {**kept.get(member, {}), inner: item[member][inner]}
    return {member: kept[member] for member in item if member in kept}


def _without(item: Json, fields: Fields) -> Json:
    kept = dict(item)
    for path in fields.exclude:
        member, _, inner = path.partition(".")
        if inner and isinstance(kept.get(member), dict):
            kept[member] = {name: value for name, value in kept[member].items() if name != inner}
        elif not inner:
            named = {name: value for name, value in _inside(item, member) if f"{member}.{name}" in fields.include}
            kept = {name: value for name, value in kept.items() if name != member} | ({member: named} if named else {})
    return kept


def _inside(item: Json, member: str) -> Iterable[tuple[str, object]]:
    inside = item.get(member)
    return inside.items() if isinstance(inside, dict) else ()
