"""How a document is read, in a word: kept with it, so that one that was read in another way is read again."""

from __future__ import annotations

from core.document import DocumentEntry
from indexer.documents.segment import SegmentOptions

READING = "3"
"""Raised when documents are read in another way, so that what was read before is read again."""


def recipe(options: SegmentOptions, segmenter: str) -> str:
    """``segmenter`` names the model that parts passages; empty without one."""
    named = f":{segmenter}" if segmenter else ""
    return f"{READING}:{options.most_tokens}:{options.overlap}{named}"


def is_outdated(entry: DocumentEntry) -> bool:
    """Whether a ready document was read by an older reader than this one."""
    return entry.state == "ready" and entry.recipe is not None and entry.recipe.split(":", 1)[0] != READING
