"""Reads rules from JSON, CSV, or places in GeoJSON, line by line. A wrong line does not stop the others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import shapely
from pydantic import ValidationError
from shapely.geometry import shape

from core.errors import InvalidInput, TooLarge
from core.json_types import Json
from search_api.search.curation.rules import RULES, CurationRule, RuleKind

MOST_LINES = 2_000
MOST_OVERLAYS = 200
"""Each record is read and embedded again during the request."""
_LISTS = frozenset(("words", "other_names", "keywords"))
_BOX = ("west", "south", "east", "north")


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """``line``: number of the rule in the body, from 1."""

    line: int
    problem: str


@dataclass(frozen=True, slots=True)
class RuleLines:
    """Valid rules by line, and the refused lines."""

    rules: Mapping[int, CurationRule]
    refused: tuple[RefusedLine, ...]


def read_lines(kind: RuleKind, body: bytes, media_type: str) -> RuleLines:
    """Raises InvalidInput if the body as a whole cannot be read, TooLarge."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("body", "body: is not UTF-8") from None
    sent = list(_of_csv(kind, text) if media_type == "text/csv" else _of_json(text))
    most = MOST_OVERLAYS if kind == "overlays" else MOST_LINES
    if len(sent) > most:
        raise TooLarge(f"At most {most} {kind} can be sent at once; these are {len(sent)}.")
    rules: dict[int, CurationRule] = {}
    refused: list[RefusedLine] = []
    for line, members in enumerate(sent, 1):
        try:
            rules[line] = _checked(kind, members)
        except ValueError as error:
            refused.append(RefusedLine(line, _message(error)))
    return RuleLines(rules, tuple(refused))


def _of_csv(kind: RuleKind, text: str) -> Iterator[object]:
    """The columns are the members of a rule; values of a list are separated by ``|``.

    Spreadsheets of many countries separate columns by semicolons, which the header shows.
    """
    list_columns = _LISTS if kind in ("synonyms", "places", "overlays") else frozenset[str]()
    header = text.partition("\n")[0]
    delimiter = ";" if ";" in header and "," not in header else ","
    try:
        for row in csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter):
            members: Json = {name: value for name, value in row.items() if name and value not in (None, "")}
            if None in row:
                members["too many columns"] = True
            if any(edge in members for edge in _BOX):
                members["bbox"] = [members.pop(edge, "") for edge in _BOX]
            yield {name: value.split("|") if name in list_columns else value for name, value in members.items()}
    except csv.Error as error:
        raise InvalidInput("body", f"body: is not CSV: {error}") from None


def _of_json(text: str) -> Iterator[object]:
    try:
        sent = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidInput("body", "body: is neither JSON, nor sent as text/csv") from None
    if isinstance(sent, dict) and isinstance(sent.get("features"), list):
        yield from sent["features"]
    elif isinstance(sent, list):
        yield from sent
    else:
        yield sent


def _checked(kind: RuleKind, members: object) -> CurationRule:
    """Raises ValueError."""
    if not isinstance(members, dict):
        raise ValueError("is not an object")
    if kind == "places" and members.get("type") == "Feature":
        members = _of_feature(members)
    return RULES[kind].model_validate(members)


def _of_feature(feature: Json) -> Json:
    """A GeoJSON feature: its ``properties`` are the members, its ``bbox`` or geometry gives the box."""
    properties, geometry = feature.get("properties"), feature.get("geometry") or {}
    rule: Json = dict(properties) if isinstance(properties, dict) else {}
    if "bbox" in feature:
        return rule | {"bbox": feature["bbox"]}
    try:
        bounds = shapely.bounds(shape(geometry)).tolist()
    except (AttributeError, KeyError, TypeError, ValueError, shapely.errors.ShapelyError):
        raise ValueError("geometry: is not a geometry of GeoJSON") from None
    return rule | {"bbox": bounds}


def _message(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    text = "is not a member of this rule" if first["type"] == "extra_forbidden" else first["msg"]
    message = str(text).removeprefix("Value error, ")
    return f"{where}: {message}" if where else message
