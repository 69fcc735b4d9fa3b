"""The keys by which a record is found by its names, whatever their case and separators. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.name_words import bare_version, looks_like_code
from core.names import name_key
from core.record import Record

MOST_KEYS = 64
LONGEST_KEY = 96  # characters; the longest short names of NASA's have 85
_LEAST = 2
_ACRONYM_BEHIND = re.compile(r"(?:\(([A-Z][\w/-]{1,14})\)|\s-\s([A-Z][A-Z0-9/-]{1,14}))\s*$")
_LAST_PART = re.compile(r"[^:/]+$")


def keys_of(record: Record) -> tuple[str, ...]:
    """Each key once, the product's own first: short names, with the version behind, then alternate titles, identifiers,
    platforms, instruments and projects. At most ``MOST_KEYS`` of at most ``LONGEST_KEY`` characters.
    """
    keys = dict.fromkeys(name_key(text) for text in _texts(record))
    return tuple(key for key in keys if _LEAST <= len(key) <= LONGEST_KEY)[:MOST_KEYS]


def _texts(record: Record) -> Iterator[str]:
    names = record.names
    yield from names.short_names
    for short in names.short_names:
        yield from (f"{short}{version}" for version in _versions(record.edition))
    yield from filter(looks_like_code, record.alternate_titles)
    for identifier in filter(None, (record.identifier, record.doi)):
        yield identifier
        last = _LAST_PART.search(identifier)
        if last is not None and looks_like_code(last[0]):
            yield last[0]
    for name in (*names.platforms, *names.instruments, *names.projects, *names.written):
        yield name
        behind = _ACRONYM_BEHIND.search(name)
        if behind is not None:
            yield behind[1] or behind[2]


def _versions(edition: str | None) -> tuple[str, ...]:
    """``V006`` as ``006`` and ``6``."""
    bare = bare_version(edition or "")
    if not bare or len(bare.split()) != 1:
        return ()
    return tuple(dict.fromkeys((bare, bare.lstrip("0."))))
