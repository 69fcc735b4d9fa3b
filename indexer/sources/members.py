"""What folders and archives share: named members, limits, and which names are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath

from core.errors import SondeError

METADATA_SUFFIXES = frozenset({".xml", ".json", ".jsonld", ".ttl", ".rdf", ".txt"})

_MEDIA_TYPES = {
    ".xml": "application/xml",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".ttl": "text/turtle",
    ".rdf": "application/rdf+xml",
    ".txt": "text/plain",
}
_MIB = 1 << 20


class LimitReached(SondeError):
    """A source holds more than its limits allow; the message names the limit."""


class SourceBroken(SondeError):
    """The rest of a source cannot be read; the message names the place."""


class MemberBroken(SondeError):
    """One member cannot be read; the others can."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits of one run; ``total_bytes`` counts decompressed bytes, skipped members included."""

    file_bytes: int = 32 * _MIB
    files: int = 1_000_000
    total_bytes: int = 64 * 1024 * _MIB


@dataclass(frozen=True, slots=True)
class Member:
    """A file that may hold metadata, not yet read. ``read`` returns at most the requested number of bytes.

    ``position`` resumes after it. ``read`` raises MemberBroken, OSError, or SourceBroken.
    """

    name: str
    position: str
    size: int
    modified: str | None
    read: Callable[[int], bytes]


def is_wanted(name: str, suffixes: frozenset[str]) -> bool:
    """Whether a name looks like metadata: one of the suffixes, no hidden part (``.git``, ``._x.xml``)."""
    path = PurePosixPath(name.replace("\\", "/"))
    return path.suffix.lower() in suffixes and not any(is_hidden(part) for part in path.parts if part != "..")


def is_hidden(part: str) -> bool:
    """Whether a file or folder with that name is skipped."""
    return part.startswith(".") or part == "__MACOSX"


def unsafe_name(name: str) -> str | None:
    """Why a name in an archive is refused, None if it is valid."""
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or (path.parts and path.parts[0].endswith(":")):
        return "the name is absolute"
    if ".." in path.parts:
        return "the name leads out of the archive"
    return None


def media_type(name: str) -> str | None:
    return _MEDIA_TYPES.get(PurePosixPath(name).suffix.lower())


def iso_modified(timestamp: float) -> str | None:
    """``2024-05-01T12:00:00Z``; None for a time stamp outside the calendar."""
    try:
        return datetime.fromtimestamp(int(timestamp), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None
