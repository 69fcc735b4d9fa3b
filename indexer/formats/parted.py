"""A file or answer that holds several records, as the records it holds: for every source that reads whole files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexer.formats.reader import Refused
from indexer.formats.registry import read
from indexer.formats.split import Part, split
from indexer.raw import RawRecord


def parted(raw: RawRecord) -> tuple[RawRecord, ...]:
    """The records of one document under ``{its id}#{their own names}``; a document of one record as it is.

    What cannot be parted comes as it is too: its reader says why.
    """
    try:
        parts = split(raw.content) if raw.content.strip() else []
    except Refused:
        return (raw,)
    if len(parts) < 2:
        return (raw,)
    return tuple(
        replace(
            raw,
            native_id=f"{raw.native_id}#{name}",
            content=content,
            origin=f"{raw.origin}#{name}",
            media_type=_media_type(content, raw.media_type),
        )
        for name, content in named_apart(parts)
    )


def _media_type(part: bytes, whole: str | None) -> str | None:
    """Data sets of RDF and of web pages are handed on as JSON-LD."""
    return "application/ld+json" if part[:1] == b"{" and "json" not in (whole or "") else whole


def named_apart(parts: Sequence[Part]) -> Iterator[Part]:
    """Each part under a name that no other has, whatever their order.

    What has no name goes by its content; several of one name go by their editions too, else by their titles. Only
    those that agree in these are counted.
    """
    often = Counter(name for name, _ in parts)
    counted: dict[str, int] = {}
    for name, content in parts:
        stem = name or _hashed(content)
        if name and often[name] > 1:
            stem = f"{name}#{_difference(name, content)}"
        own = stem
        while own in counted:
            counted[stem] += 1
            own = f"{stem}#{counted[stem]}"
        counted[own] = 1
        yield own, content


def _difference(name: str, content: bytes) -> str:
    """What tells a part from another one of its name."""
    try:
        record = read(RawRecord(name, content, name), "")
    except Refused:
        return _hashed(content)
    return record.edition or _hashed(record.title.encode())


def _hashed(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def files_of(origin: str) -> Iterator[str]:
    """The origins that a part's origin may be of: itself, and what stands before each ``#`` in it."""
    yield origin
    for index, character in enumerate(origin):
        if character == "#":
            yield origin[:index]
