"""A document's entry as the documents index keeps it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from core.document import DocumentEntry

_KNOWN = frozenset(field.name for field in fields(DocumentEntry)) - {"id"}


def to_document(entry: DocumentEntry) -> dict[str, Any]:
    """Without the id and without what is empty."""
    values = asdict(entry)
    del values["id"]
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, (), {})}


def from_document(id: str, source: Mapping[str, Any]) -> DocumentEntry:
    """What ``to_document`` wrote; members that this version does not know are left out."""
    values: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in source.items() if name in _KNOWN
    }
    return DocumentEntry(id=id, **values)
