"""Converts passages and the entries of their documents to the forms of their indices, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields

from core.document import (
    DocumentEntry,
    Passage,
    PassageSection,
    WhereWhen,
    explained_record,
    read_boxes,
    write_boxes,
)
from core.json_types import Json, JsonMapping
from core.record import Record
from es_mappings.codecs.records import box_text, envelope, span_text, time_range, where_and_when

_FIELD_NAMES = frozenset(field.name for field in fields(DocumentEntry)) - {"id"}


def entry_to_document(entry: DocumentEntry) -> Json:
    """Without the id and empty fields."""
    values = asdict(entry)
    del values["id"]
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, (), {})}


def entry_from_document(id: str, source: JsonMapping) -> DocumentEntry:
    """The entry that ``to_document`` wrote; unknown members are ignored."""
    values: Json = {name: tuple(v) if isinstance(v, list) else v for name, v in source.items() if name in _FIELD_NAMES}
    return DocumentEntry(id=id, **values)


_OF_ITS_RECORD: Mapping[str, Callable[[Record], object]] = {
    "source": lambda record: record.source,
    "type": lambda record: record.type,
    "keywords": lambda record: [keyword.term for keyword in record.keywords],
    "organisations": lambda record: sorted(
        {contact.organisation for contact in record.contacts if contact.organisation}
    ),
    "themes": lambda record: list(record.themes),
    "licence": lambda record: record.licence,
    "provenance_kind": lambda record: record.provenance.kind,
    "media_types": lambda record: sorted({link.media_type for link in record.links if link.media_type}),
    "access": lambda record: record.access,
}
_WHERE_AND_WHEN = ("extent", "boxes", "time", "spans")

INHERITED = (*_OF_ITS_RECORD, *_WHERE_AND_WHEN)
"""The record's fields in a passage, besides the record's id and groups."""


def inherited(record: Record) -> Json:
    """The fields that filter passages like records; without empty ones."""
    place_and_time = where_and_when(record)
    return _without_empty(
        {
            "record": record.id,
            **{name: getter(record) for name, getter in _OF_ITS_RECORD.items()},
            "access_groups": list(record.access_groups),
            **{name: place_and_time.get(name) for name in _WHERE_AND_WHEN},
        }
    )


def to_document(
    passage: Passage, title: str, heading: str, place_and_time: WhereWhen, record: JsonMapping | None, vectors: Json
) -> Json:
    """The passage's own fields start with ``own_``; ``record`` comes from ``inherited``, None without a record.

    ``vectors``: the fields of its vectors. ``title`` is its document's; ``heading`` is a search field with the title
    and the nearest headings.
    """
    return _without_empty(
        {
            "document": passage.document,
            "owner": passage.owner,
            "ordinal": passage.ordinal,
            "text": passage.text,
            "kind": passage.kind,
            "title": title,
            "heading": heading,
            "section_path": list(passage.section_path),
            "section_role": passage.section_role,
            "sections": [asdict(section) for section in passage.sections],
            "first_page": passage.first_page,
            "last_page": passage.last_page,
            "table": passage.table,
            "word_boxes": write_boxes(passage.words),
            "language": place_and_time.language,
            "own_places": list(place_and_time.places),
            "own_extent": [envelope(box) for box in place_and_time.boxes],
            "own_boxes": [box_text(box) for box in place_and_time.boxes],
            "own_time": [time_range(span) for span in place_and_time.spans],
            "own_spans": [span_text(span) for span in place_and_time.spans],
            **(record or {}),
            **vectors,
        }
    )


def from_document(id: str, source: JsonMapping) -> tuple[Passage, str]:
    """The passage and its document's title; fields that were not fetched have their defaults."""
    passage = Passage(
        id=id,
        document=source["document"],
        ordinal=int(source["ordinal"]),
        text=source["text"],
        record=explained_record(source.get("record")),
        owner=source.get("owner", "public"),
        kind=source.get("kind", "text"),
        section_path=tuple(source.get("section_path") or ()),
        section_role=source.get("section_role"),
        first_page=source.get("first_page"),
        last_page=source.get("last_page"),
        table=source.get("table"),
        words=read_boxes(source.get("word_boxes") or ""),
        sections=sections_of(source),
    )
    return passage, source.get("title") or ""


def sections_of(source: JsonMapping) -> tuple[PassageSection, ...]:
    """The sections that a stored passage joins; none for one section, and for passages of an earlier version."""
    return tuple(
        PassageSection(section["start"], tuple(section["path"]), section.get("role"))
        for section in source.get("sections") or ()
    )


def _without_empty(document: JsonMapping) -> Json:
    return {name: value for name, value in document.items() if value not in (None, [], "")}
