"""A short name for how a document was read, stored with it; after a change it is read again."""

from __future__ import annotations

from core.document import DocumentEntry
from indexer.documents.segment import SegmentOptions

READING = "8"
"""Increase this when documents are read differently, so that they are read again."""


def recipe(options: SegmentOptions, segmenter: str) -> str:
    """``segmenter`` names the model that splits passages; empty without one."""
    named = f":{segmenter}" if segmenter else ""
    return f"{READING}:{options.most_tokens}:{options.overlap}{named}"


def is_outdated(entry: DocumentEntry) -> bool:
    """Whether an older reader read this ready document."""
    return entry.state == "ready" and entry.recipe is not None and entry.recipe.split(":", 1)[0] != READING
