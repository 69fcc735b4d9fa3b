"""What a document states of the fields that a survey counts, by the paths of its own format.

``stated_paths.json`` lists the paths of each format, apart from the code that reads them. So a value that the reader
drops is stated and not given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

from core.json_types import JsonMapping
from indexer.formats.json_documents.parsing import as_list
from indexer.formats.repair.dates import interval_in
from indexer.formats.repair.geologic_time import geologic_span
from indexer.formats.repair.shapes import PlaceCollector
from indexer.formats.repair.text import is_placeholder, line
from indexer.formats.xml_documents import Element, find_all, inner_text

FIELDS = ("title", "abstract", "extents", "times")
_NO_TEXT = frozenset({"type", "crs", "srsName"})  # members that say how a place is written


@cache
def _paths_by_format() -> dict[str, dict[str, list[str]]]:
    paths: dict[str, dict[str, list[str]]] = json.loads(
        Path(__file__).with_name("stated_paths.json").read_text("utf-8")
    )
    return paths


def stated_in(format: str, resource: Element | JsonMapping | None) -> frozenset[str] | None:
    """Those of ``FIELDS`` that the part of a document that describes the data set states; None without paths.

    Paths are names joined by ``/``, XML's without namespaces, from any depth after ``.//``; ``@`` is an attribute.
    ``extents`` and ``times`` hold numbers; ``places`` and ``periods`` are texts that can be coordinates or a period, or
    just words.
    """
    paths = _paths_by_format().get(format)
    if paths is None or resource is None:
        return None if paths is None else frozenset()

    def holds(is_stated: Callable[[str], bool], name: str) -> bool:
        return any(map(is_stated, _texts(resource, paths.get(name, []))))

    stated_by_field = {
        "title": holds(_is_text, "title"),
        "abstract": holds(_is_text, "abstract"),
        "extents": holds(_has_digit, "extents") or holds(_is_place, "places"),
        "times": holds(_has_digit, "times") or holds(_is_period, "periods"),
    }
    return frozenset(name for name in FIELDS if stated_by_field[name])


def _texts(resource: Element | JsonMapping, paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if isinstance(resource, Element):
            elements_path, _, attribute = path.partition("/@")
            elements = find_all(resource, elements_path)
            yield from (element.get(attribute, "") if attribute else inner_text(element) for element in elements)
        else:
            for value in _values_at(resource, path.split("/")):
                yield from _leaves(value)


def _values_at(value: object, names: list[str]) -> Iterator[object]:
    """The values at the end of a path; each value of a list on the way counts."""
    if not names:
        yield value
        return
    for item in as_list(value):
        if isinstance(item, dict):
            members = item.values() if names[0] == "*" else [item.get(names[0])]
            for member in members:
                yield from _values_at(member, names[1:])


def _leaves(value: object) -> Iterator[str]:
    """Every text and number inside a value, without addresses of nodes and names of types."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name not in _NO_TEXT and (name[:1] != "@" or name == "@value"):
                yield from _leaves(member)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _is_text(text: str) -> bool:
    return not is_placeholder(line(text))


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))


def _is_place(text: str) -> bool:
    """Whether a text is coordinates, good or bad ones."""
    places = PlaceCollector()
    return places.add_text(text) or bool(places.warnings)


def _is_period(text: str) -> bool:
    return not _is_place(text) and (interval_in(text) is not None or geologic_span(line(text)) is not None)
