"""What a document states of the fields that a survey counts, by the paths of its own format.

Each reader's module lists the paths of its format, apart from the code that reads them. So a value that the reader
drops is stated and not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from core.json_types import JsonMapping
from indexer.formats.json_documents.parsing import as_list
from indexer.formats.repair.dates import interval_in
from indexer.formats.repair.geologic_time import geologic_span
from indexer.formats.repair.shapes import PlaceCollector
from indexer.formats.repair.text import is_placeholder, line
from indexer.formats.xml_documents import Element, find_all, inner_text, parse
from indexer.raw import RawRecord

FIELDS = ("title", "abstract", "extents", "times")
_NO_TEXT = frozenset({"type", "crs", "srsName"})  # members that say how a place is written


@dataclass(frozen=True, slots=True)
class StatedIn:
    """Where documents of a format state title, abstract, extents and times.

    ``resource``: the part of a document that describes the data set, as XML or as a JSON object; None where there is
    none. Paths are names joined by ``/``, XML's without namespaces, from any depth after ``.//``. ``extents`` and
    ``times`` hold numbers; ``places`` and ``periods`` are texts that can be coordinates or a period, or just words.
    """

    resource: Callable[[RawRecord], Element | JsonMapping | None]
    title: tuple[str, ...] = ()
    abstract: tuple[str, ...] = ()
    extents: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()

    def fields(self, raw: RawRecord) -> frozenset[str]:
        """Those of ``FIELDS`` that the document states. Raises RecordRefused."""
        resource = self.resource(raw)
        if resource is None:
            return frozenset()
        stated_by_field: Mapping[str, bool] = {
            "title": any(map(_is_text, _texts(resource, self.title))),
            "abstract": any(map(_is_text, _texts(resource, self.abstract))),
            "extents": any(map(_has_digit, _texts(resource, self.extents)))
            or any(map(_is_place, _texts(resource, self.places))),
            "times": any(map(_has_digit, _texts(resource, self.times)))
            or any(map(_is_period, _texts(resource, self.periods))),
        }
        return frozenset(name for name in FIELDS if stated_by_field[name])


def xml_root(raw: RawRecord) -> Element:
    """The root of an XML document. Raises RecordRefused."""
    return parse(raw.content).root


def _texts(resource: Element | JsonMapping, paths: tuple[str, ...]) -> Iterator[str]:
    for path in paths:
        if isinstance(resource, Element):
            yield from (inner_text(element) for element in find_all(resource, path))
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
