"""Converts a document entry to the form of the documents index, and back."""

from __future__ import annotations

from dataclasses import asdict, fields

from core.document import DocumentEntry
from core.json_types import Json, JsonMapping

_FIELD_NAMES = frozenset(field.name for field in fields(DocumentEntry)) - {"id"}


def to_document(entry: DocumentEntry) -> Json:
    """Without the id and empty fields."""
    values = asdict(entry)
    del values["id"]
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, (), {})}


def from_document(id: str, source: JsonMapping) -> DocumentEntry:
    """The entry that ``to_document`` wrote; unknown members are ignored."""
    values: Json = {name: tuple(v) if isinstance(v, list) else v for name, v in source.items() if name in _FIELD_NAMES}
    return DocumentEntry(id=id, **values)
