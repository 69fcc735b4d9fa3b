"""Separates the records of an XML answer (CSW, OAI-PMH, CMR, any list), and accounts for the members beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from indexer.formats.recognition import format_of_element
from indexer.formats.splitting.members import RecordPart, SplitDocument, UnreadableMember
from indexer.formats.xml_documents import Element, element_start, find, local_name, text_at
from indexer.raw import Recognition

_DEEPEST_ELEMENT = 5
_LISTS = frozenset({"SearchResults", "ListRecords", "GetRecord", "GetRecordByIdResponse", "results"})
_AMBIGUOUS = ("metadata", "Collection", "resource", "dc", "simpledc", "qualifieddc", "RDF", "eml")
_NO_MEMBERS = frozenset({"resumptionToken", "SearchStatus", "hits", "took"})


@dataclass(frozen=True, slots=True)
class _RecordElement:
    """An outermost element that a reader knows, with the elements above it; ``path`` ends with the element itself."""

    path: tuple[Element, ...]
    part: RecordPart


def xml_members(root: Element) -> SplitDocument:
    """The outermost elements that a reader knows; of the list that holds them, also the members without one."""
    records = list(_records(root))
    if not records:
        return SplitDocument([])
    container = _container(records)
    unreadable = [] if container is None else list(_unreadable(container, records))
    return SplitDocument([record.part for record in records], unreadable)


def _records(root: Element) -> Iterator[_RecordElement]:
    level: list[tuple[Element, str, tuple[Element, ...]]] = [(root, "", (root,))]
    for _ in range(_DEEPEST_ELEMENT):
        deeper = []
        for element, name, path in level:
            for child in element.iterchildren("*"):
                part = _separate_record(child, name)
                if part is not None:
                    yield _RecordElement((*path, child), part)
                else:
                    deeper.append((child, _protocol_name(child) or name, (*path, child)))
        level = deeper


def _separate_record(element: Element, name: str) -> RecordPart | None:
    """The element as a separate document if a reader knows it."""
    start = element_start(element)
    if format_of_element(start, b"") is None and not _may_be_record(element):
        return None
    content = etree.tostring(element, encoding="utf-8", with_tail=False)
    format = format_of_element(start, content)
    return None if format is None else RecordPart(name, content, Recognition(format))


def _may_be_record(element: Element) -> bool:
    """Whether the content of an ambiguous root is a record; an OAI header beside it means an envelope."""
    return local_name(element) in _AMBIGUOUS and not any(
        format_of_element(element_start(child), b"") for child in element.iterchildren("*")
    )


def _protocol_name(element: Element) -> str:
    return element.get("concept-id") or text_at(element, "header/identifier")


def _container(records: list[_RecordElement]) -> Element | None:
    """The list that holds the records: by its name, else the deepest element that holds them all.

    None for a single record in an element of no known name: its siblings may be parts of it.
    """
    for element in records[0].path:
        if local_name(element) in _LISTS:
            return element
    if len(records) < 2:
        return None
    shared = records[0].path
    for record in records[1:]:
        shared = tuple(mine for mine, other in zip(shared, record.path, strict=False) if mine is other)
    return shared[-1] if shared else None


def _unreadable(container: Element, records: list[_RecordElement]) -> Iterator[UnreadableMember]:
    """The children of the list that hold no record. Where each record has a wrapper, only wrappers are members."""
    holders = {element for record in records for element in record.path}
    elements = {record.path[-1] for record in records}
    inside = [child for child in container.iterchildren("*") if child in holders]
    wrappers = None if any(child in elements for child in inside) else {local_name(child) for child in inside}
    for number, child in enumerate(container.iterchildren("*"), 1):
        local = local_name(child)
        if child in holders or local in _NO_MEMBERS or (wrappers is not None and local not in wrappers):
            continue
        place, name = f"element {number} of {local_name(container)}", _protocol_name(child)
        header = find(child, "header")
        if header is not None and header.get("status") == "deleted":
            yield UnreadableMember(place, "its header says that it is deleted", passed_over=True)
        else:
            yield UnreadableMember(place, _fault(child), name)


def _fault(element: Element) -> str:
    if not len(element):
        return f"the element {local_name(element)} holds nothing"
    metadata = find(element, "metadata/*")
    return f"no reader knows the element {local_name(metadata if metadata is not None else element)}"
