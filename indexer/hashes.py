"""Three hashes that show which work can be skipped."""

from __future__ import annotations

import hashlib

import orjson

from core.json_types import JsonMapping


def content_hash(content: bytes) -> str:
    """The hash of the bytes alone, as in ``native.hash`` and the natives index."""
    return hashlib.sha256(content).hexdigest()


def raw_hash(content: bytes, reading: str) -> str:
    """The hash of the bytes and of how they are read (format, reader's version): if unchanged, parsing is skipped."""
    digest = hashlib.sha256(reading.encode())
    digest.update(b"\0")
    digest.update(content)
    return digest.hexdigest()


def record_hash(document: JsonMapping) -> str:
    """The hash of the document to write, without harvest notes: if unchanged, the write is skipped."""
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()


def text_hash(text: str) -> str:
    """The hash of the embedder's text: if unchanged, with the same model, the vector stays."""
    return hashlib.sha256(text.encode()).hexdigest()
