"""What folders and archives share: named members, limits, and which names are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath

from core.errors import SondeError
from indexer.raw import PassedOver

METADATA_SUFFIXES = frozenset({".xml", ".json", ".jsonld", ".geojson", ".ttl", ".nt", ".n3", ".rdf", ".txt"})

_MEDIA_TYPES = {
    ".xml": "application/xml",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".geojson": "application/geo+json",
    ".ttl": "text/turtle",
    ".nt": "application/n-triples",
    ".n3": "text/n3",
    ".rdf": "application/rdf+xml",
    ".txt": "text/plain",
}
_ARCHIVES = frozenset({".zip", ".mef", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar"})
_NO_METADATA = {
    **dict.fromkeys((".csv", ".tsv", ".xls", ".xlsx", ".ods"), "tables are data"),
    **dict.fromkeys((".pdf", ".docx", ".html", ".htm", ".md"), "documents belong to `sonde ingest`"),
    **dict.fromkeys((".hdf", ".shp"), "they are data"),
    **dict.fromkeys(
        (".nc", ".nc4", ".h5", ".tif", ".tiff", ".gpkg", ".grib", ".grib2", ".grb", ".grb2"),
        "they are data, which a folder or `data-files` source reads",
    ),
}
"""Why a file is no metadata, by its suffix."""
_MIB = 1 << 20


class LimitReached(SondeError):
    """A source holds more than its limits allow; the message names the limit."""


class SourceBroken(SondeError):
    """The rest of a source cannot be read; the message names the place."""


class MemberBroken(SondeError):
    """One member cannot be read; the others can."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
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
    """Whether a name looks like metadata: one of the suffixes, also with ``.gz`` behind it, and not hidden."""
    return suffix_of(name) in suffixes and not is_hidden_path(name)


def is_hidden_path(name: str) -> bool:
    """Whether a part of the path is hidden (``.git``, ``._x.xml``)."""
    return any(is_hidden(part) for part in PurePosixPath(name.replace("\\", "/")).parts if part != "..")


def suffix_of(name: str) -> str:
    """In lower case; of a compressed file the suffix of what is in it."""
    path = PurePosixPath(name.replace("\\", "/").lower())
    inner_suffix = path.with_suffix("").suffix if path.suffix == ".gz" else ""
    return inner_suffix if inner_suffix and inner_suffix != ".tar" else path.suffix


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file whose name does not look like metadata; ``position`` resumes after it."""

    origin: str
    position: str


def passed_over(origin: str) -> PassedOver:
    """A file whose name does not look like metadata."""
    suffix = suffix_of(origin)
    if suffix in _ARCHIVES:
        return PassedOver(origin, f"an archive inside a folder ({suffix}) is not opened; harvest it by itself")
    if not suffix:
        return PassedOver(origin, "its name has no suffix")
    reason = f": {_NO_METADATA[suffix]}" if suffix in _NO_METADATA else ""
    return PassedOver(origin, f"files with the suffix {suffix} are not read{reason}")


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
    return _MEDIA_TYPES.get(suffix_of(name))


def iso_modified(timestamp: float) -> str | None:
    """``2024-05-01T12:00:00Z``; None for a time stamp outside the calendar."""
    try:
        return datetime.fromtimestamp(int(timestamp), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return None
