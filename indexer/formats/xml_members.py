"""Separates the records of an XML answer (CSW, OAI-PMH, CMR, any list), and accounts for the members beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from indexer.formats.detect import detect_element
from indexer.formats.unread import Members, Part, Unread
from indexer.formats.xml import FirstElement
from indexer.formats.xml_names import Element, name_of, one_of, text_at

_DEEPEST_ELEMENT = 5
_ISO_TYPE = "{http://www.isotc211.org/2005/gco}isoType"
_LISTS = frozenset({"SearchResults", "ListRecords", "GetRecord", "GetRecordByIdResponse", "results"})
_AMBIGUOUS = ("metadata", "Collection", "resource", "dc", "simpledc", "qualifieddc", "RDF", "eml")
_BESIDE_RECORDS = frozenset({"resumptionToken", "SearchStatus", "hits", "took"})


@dataclass(frozen=True, slots=True)
class _Record:
    """An outermost element that a reader knows, the elements above it, and the name that the protocol gives."""

    above: tuple[Element, ...]
    part: Part


def xml_members(root: Element) -> Members:
    """The outermost elements that a reader knows; of the list that holds them, also the members without one."""
    found = list(_records(root))
    if not found:
        return Members([])
    container = _container(found)
    return Members([one.part for one in found], [] if container is None else list(_unread(container, found)))


def _records(root: Element) -> Iterator[_Record]:
    level: list[tuple[Element, str, tuple[Element, ...]]] = [(root, "", (root,))]
    for _ in range(_DEEPEST_ELEMENT):
        deeper = []
        for element, name, above in level:
            for child in element.iterchildren("*"):
                content = _standing_alone(child)
                if content is not None:
                    yield _Record((*above, child), (name, content))
                else:
                    deeper.append((child, protocol_name(child) or name, (*above, child)))
        level = deeper


def _standing_alone(element: Element) -> bytes | None:
    """The element as a separate document if a reader knows it."""
    first = FirstElement(str(element.tag), element.get(_ISO_TYPE))
    if detect_element(first, b"") is None and not _may_be_record(element):
        return None
    content = etree.tostring(element, encoding="utf-8", with_tail=False)
    return content if detect_element(first, content) is not None else None


def _may_be_record(element: Element) -> bool:
    """Whether the content of an ambiguous root is a record; an OAI header beside it means an envelope."""
    return name_of(element) in _AMBIGUOUS and not any(
        detect_element(FirstElement(str(child.tag), child.get(_ISO_TYPE)), b"") for child in element.iterchildren("*")
    )


def protocol_name(element: Element) -> str:
    return element.get("concept-id") or text_at(element, "header/identifier")


def _container(found: list[_Record]) -> Element | None:
    """The list that holds the records: by its name, else the deepest element that holds them all.

    None for a single record in an element of no known name: what stands beside it may be a part of it.
    """
    for element in found[0].above:
        if name_of(element) in _LISTS:
            return element
    if len(found) < 2:
        return None
    shared = found[0].above
    for one in found[1:]:
        shared = tuple(mine for mine, other in zip(shared, one.above, strict=False) if mine is other)
    return shared[-1] if shared else None


def _unread(container: Element, found: list[_Record]) -> Iterator[Unread]:
    """The children of the list that hold no record. Where each record has a wrapper, only wrappers are members."""
    holders = {element for one in found for element in one.above}
    records = {one.above[-1] for one in found}
    inside = [child for child in container.iterchildren("*") if child in holders]
    names = None if any(child in records for child in inside) else {name_of(child) for child in inside}
    for number, child in enumerate(container.iterchildren("*"), 1):
        local = name_of(child)
        if child in holders or local in _BESIDE_RECORDS or (names is not None and local not in names):
            continue
        place, name = f"element {number} of {name_of(container)}", protocol_name(child)
        header = one_of(child, "header")
        if header is not None and header.get("status") == "deleted":
            yield Unread(place, "its header says that it is deleted", passed_over=True)
        else:
            yield Unread(place, _why(child), name)


def _why(element: Element) -> str:
    if not len(element):
        return f"the element {name_of(element)} holds nothing"
    held = one_of(element, "metadata/*")
    return f"no reader knows the element {name_of(held if held is not None else element)}"
