"""What a source hands over: documents as they came, in pages that can be resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One metadata document before it is read.

    ``native_id`` is stable within the source: what the protocol calls the record, for files the path inside the
    folder (a reader prefers the identifier in the document). ``origin`` is a path or URL that a report can name.
    ``record_id`` is set where whoever hands the document over says which record it is, whatever the document says.
    """

    native_id: str
    content: bytes
    origin: str
    media_type: str | None = None
    modified: str | None = None  # ISO 8601, as the source knows it
    record_id: str | None = None
    access_groups: tuple[str, ...] = ()  # who alone may see it, as the operator says of its source


@dataclass(frozen=True, slots=True)
class Skipped:
    """A member that could not be handed over, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileVersion:
    """What a file's last answer said of its version, and which records came of it.

    ``tag`` says how it was read: by another reader, or with other options, it has to be read again. ``note``: what
    the source itself needs to know of the file when it is not sent again.
    """

    url: str
    tag: str
    natives: tuple[str, ...] = ()
    etag: str | None = None
    last_modified: str | None = None  # as the server wrote it
    note: str | None = None


class VersionStore(Protocol):
    """What is remembered of a source's files."""

    @property
    def tag(self) -> str:
        """How files are read now: what is noted carries it."""

    def known(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        """The visits that may be asked with; none in a run that asks for everything."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some records in the source's stable order.

    ``position`` is an opaque string that resumes after this page; None where the source cannot resume.
    ``total`` is the number of records the whole source holds, where it is known before the end.
    ``deleted`` are native ids that the source itself calls deleted (tombstones).
    ``unchanged`` are native ids of which the source says that they are as they were, without sending them again.
    ``visits``: of files whose records are all in this page or before it.
    ``matched``, on the last page: how many distinct records the source says it has; with fewer a run is not complete.
    """

    records: tuple[RawRecord, ...]
    position: str | None = None
    total: int | None = None
    skipped: tuple[Skipped, ...] = ()
    deleted: tuple[str, ...] = ()
    matched: int | None = None
    unchanged: tuple[str, ...] = ()
    visits: tuple[FileVersion, ...] = ()


class Source(Protocol):
    """A catalogue as a stream of pages. A stream that ends without an error was complete."""

    def pages(self, position: str | None = None) -> Iterator[Page]:
        """Pages after ``position`` (a Page's), from the start for None.

        Raises a core.errors.SondeError where the source breaks off: what came before stands, the run is not complete.
        """
        ...
