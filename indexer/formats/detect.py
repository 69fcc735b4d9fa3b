"""Detects the format of a document from its content, never from its file name."""

from __future__ import annotations

from threading import Lock

from cachetools import LRUCache, cached

from indexer.formats.format import Inspection, inspect
from indexer.formats.formats import FORMATS
from indexer.formats.reader import Refused
from indexer.formats.xml import FirstElement
from indexer.hashes import content_hash

_REMEMBERED = 1_024


def detect(content: bytes) -> str | None:
    """The name of the format; None where it is unknown or the document holds several records.

    A harvest asks for it three times: to split a file, to see whether it must be read again, and to read it.
    """
    try:
        return _detect(content)
    except Refused:  # not remembered: the limits that refused it may change
        return None


@cached(LRUCache(_REMEMBERED), key=content_hash, lock=Lock())
def _detect(content: bytes) -> str | None:
    return _first(inspect(content))


def detect_element(first: FirstElement, content: bytes) -> str | None:
    """The format that starts with this element; ``content`` is the element with everything inside it."""
    return _first(Inspection(content, first))


def detect_json(document: object) -> str | None:
    """The format of a parsed JSON document."""
    return _first(Inspection(document=document))


def _first(inspection: Inspection) -> str | None:
    return next((one.name for one in FORMATS.values() if one.recognises(inspection)), None)
