"""Splits a file or answer with several records, for every source that reads whole files."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexer.formats.refused import Refused
from indexer.formats.registry import read
from indexer.formats.splitting.members import Members, Part, Unread
from indexer.formats.splitting.split import members
from indexer.raw import PassedOver, RawRecord, Skipped


@dataclass(frozen=True, slots=True)
class Parted:
    """The records of one document, its members that cannot be read, and those that are no records."""

    records: tuple[RawRecord, ...]
    skipped: tuple[Skipped, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


def parted(raw: RawRecord) -> Parted:
    """The records of one document as ``{its id}#{their own names}``; a document of one record is unchanged.

    A document that cannot be split is returned unchanged too: its reader reports the reason. Every other member of a
    document is accounted for (``account``).
    """
    try:
        found = members(raw.content) if raw.content.strip() else Members([])
    except Refused:
        return Parted((raw,))
    skipped, passed_over = account(found.unread, raw.native_id, raw.origin)
    whole = [name for name, _ in found.parts] == [""]
    if not found.parts or (len(found.parts) == 1 and (whole or not skipped)):
        return Parted((raw,), skipped if whole else (), passed_over if found.parts else ())
    records = tuple(
        replace(
            raw,
            native_id=f"{raw.native_id}#{name}",
            content=content,
            origin=f"{raw.origin}#{name}",
            media_type=_media_type(content, raw.media_type),
            container=raw.origin if name in found.nameless else None,
        )
        for name, content in named_apart(found.parts)
    )
    return Parted(records, skipped, passed_over)


def account(
    unread: Sequence[Unread], native_id: str, origin: str, container: str | None = None
) -> tuple[tuple[Skipped, ...], tuple[PassedOver, ...]]:
    """The members without a record, for the report. One without a name may be any record of its ``container``, which
    is the document itself if nothing else is said.
    """
    skipped = tuple(
        Skipped(f"{origin}#{one.name}", f"{one.place}: {one.reason}", f"{native_id}#{one.name}")
        if one.name
        else Skipped(f"{origin}#{one.place}", one.reason, container=container or origin)
        for one in unread
        if not one.passed_over
    )
    passed_over = tuple(
        PassedOver(f"{origin}#{one.place}", one.reason, native_id=f"{native_id}#{one.name}" if one.name else None)
        for one in unread
        if one.passed_over
    )
    return skipped, passed_over


def _media_type(part: bytes, whole: str | None) -> str | None:
    """Data sets from RDF and web pages become JSON-LD."""
    return "application/ld+json" if part[:1] == b"{" and "json" not in (whole or "") else whole


def named_apart(parts: Sequence[Part]) -> Iterator[Part]:
    """Gives each part a unique name that does not depend on the order.

    A part without a name is named by its content. Parts with the same name are distinguished by their editions, else
    by their titles. Only parts that agree in these are numbered.
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
    """What distinguishes a part from another one with the same name."""
    try:
        record = read(RawRecord(name, content, name), "")
    except Refused:
        return _hashed(content)
    return record.edition or _hashed(record.title.encode())


def _hashed(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def files_of(origin: str) -> Iterator[str]:
    """The origins to which a part's origin can belong: itself, and the text before each ``#`` in it."""
    yield origin
    for index, character in enumerate(origin):
        if character == "#":
            yield origin[:index]
