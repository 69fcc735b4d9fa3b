"""The three hashes that say how much of the work can be spared."""

from __future__ import annotations

import hashlib
import json

from core.json_types import JsonMapping


def content_hash(content: bytes) -> str:
    """Of the bytes alone: what ``native.hash`` and the natives index show."""
    return hashlib.sha256(content).hexdigest()


def raw_hash(content: bytes, reading: str) -> str:
    """Of the bytes and of how they are read (format, reader's version): the same means it need not even be parsed."""
    digest = hashlib.sha256(reading.encode())
    digest.update(b"\0")
    digest.update(content)
    return digest.hexdigest()


def record_hash(document: JsonMapping) -> str:
    """Of what would be written, harvest notes aside: the same means it need not be written."""
    text = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def text_hash(text: str) -> str:
    """Of what the embedder reads: the same, by the same model, means the vector stands."""
    return hashlib.sha256(text.encode()).hexdigest()
