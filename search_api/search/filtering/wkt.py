"""Well-known text of a geometry in a CQL2 text, as GeoJSON."""

from __future__ import annotations

from collections.abc import Callable

from core.json_types import Json
from search_api.search.filtering.tokens import Tokens

Geometry = Json

_NAMES = {
    "POINT": "Point",
    "MULTIPOINT": "MultiPoint",
    "LINESTRING": "LineString",
    "MULTILINESTRING": "MultiLineString",
    "POLYGON": "Polygon",
    "MULTIPOLYGON": "MultiPolygon",
    "GEOMETRYCOLLECTION": "GeometryCollection",
}
_BRACKETS = {"LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3}
_DIMENSIONS = ("Z", "M", "ZM")
_EMPTY = "EMPTY"


def begins_geometry(tokens: Tokens) -> bool:
    """True for ``POINT(`` and ``POINT Z (``; a property may also be called ``point``."""
    return _type_of(tokens.current.word) is not None and tokens.following.word in ("(", _EMPTY, *_DIMENSIONS)


def read_geometry(tokens: Tokens) -> Geometry:
    """Raises InvalidInput for a missing bracket or number."""
    name = _type_of(tokens.take().word)
    tokens.accept(*_DIMENSIONS)
    if tokens.current.word == _EMPTY:
        raise tokens.wrong(f"a {name} that is not empty")
    if name == "GeometryCollection":
        return {"type": name, "geometries": _within_brackets(tokens, _member)}
    if name == "Point":
        return {"type": name, "coordinates": _bracketed_position(tokens)}
    if name == "MultiPoint":
        return {"type": name, "coordinates": _within_brackets(tokens, _loose_position)}
    return {"type": name, "coordinates": _nested(tokens, _BRACKETS[str(name)])}


def number(tokens: Tokens) -> float:
    """A number with its sign. Raises InvalidInput."""
    negative = tokens.current.word == "-"
    tokens.accept("-", "+")
    if tokens.current.kind != "number":
        raise tokens.wrong("a number")
    value = float(tokens.take().value)
    return -value if negative else value


def _type_of(word: str) -> str | None:
    """The geometry type; ``POINTZ`` is a point too."""
    return _NAMES.get(word) or _NAMES.get(word.removesuffix("M").removesuffix("Z"))


def _within_brackets(tokens: Tokens, read: Callable[[Tokens], object]) -> list[object]:
    tokens.expect("(")
    found = [read(tokens)]
    while tokens.accept(","):
        found.append(read(tokens))
    tokens.expect(")")
    return found


def _nested(tokens: Tokens, brackets: int) -> list[object]:
    if brackets == 1:
        return _within_brackets(tokens, _position)
    return _within_brackets(tokens, lambda inner: _nested(inner, brackets - 1))


def _member(tokens: Tokens) -> Geometry:
    """A collection holds no other collection (CQL2, geometryCollection)."""
    if not begins_geometry(tokens) or _type_of(tokens.current.word) == "GeometryCollection":
        raise tokens.wrong("a geometry that is no collection")
    return read_geometry(tokens)


def _position(tokens: Tokens) -> list[float]:
    found = [number(tokens), number(tokens)]
    while len(found) < 4 and (tokens.current.kind == "number" or tokens.current.word in ("-", "+")):
        found.append(number(tokens))
    return found


def _bracketed_position(tokens: Tokens) -> list[float]:
    tokens.expect("(")
    found = _position(tokens)
    tokens.expect(")")
    return found


def _loose_position(tokens: Tokens) -> list[float]:
    """``MULTIPOINT(1 2, 3 4)`` is as common as ``MULTIPOINT((1 2), (3 4))``."""
    return _bracketed_position(tokens) if tokens.current.word == "(" else _position(tokens)
