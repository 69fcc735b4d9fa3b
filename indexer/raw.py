"""What a source returns: raw documents, in pages that can be resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from core.errors import SondeError


class RecordRefused(SondeError):
    """The document gives no record; the message says what is wrong with it."""

    @property
    def reason(self) -> str:
        return str(self)


class PlainText(RecordRefused):
    """The document has no markup at all."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """What ``indexer.formats`` found out about a document's bytes, handed on so that nothing is parsed twice.

    ``format``: the name of the format that reads it; None where it is unknown or the document holds several records.
    ``parsed``: the value of a JSON document, the JSON-LD documents of a web page, or the data sets of an RDF graph;
    None if it was not parsed.
    """

    format: str | None
    parsed: Any = None


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One metadata document before it is read.

    ``native_id`` is stable within the source: the protocol's id of the record, for files the path inside the folder
    (a reader prefers the identifier in the document). ``origin`` is a path or URL for reports. ``record_id`` is set if
    the caller decides which record it is, whatever the document says.

    ``access_groups``: the groups that may see it; empty: everybody. None: the configuration does not say, so the groups
    that are stored stay (``indexer.plan.plan``): a lost configuration never opens a record.
    """

    native_id: str
    content: bytes
    origin: str
    media_type: str | None = None
    modified: str | None = None  # ISO 8601, as the source knows it
    record_id: str | None = None
    access_groups: tuple[str, ...] | None = ()
    container: str | None = None
    """The origin of the document it was separated from, if it has no name of its own there. See ``SkippedMember``."""
    recognition: Recognition | None = field(default=None, compare=False, repr=False)


WHOLE_SOURCE = "*"
"""The ``container`` of a nameless member that may be any record of its source."""


@dataclass(frozen=True, slots=True)
class SkippedMember:
    """A member that could not be returned or read, and the reason.

    ``native_id``: of the record that it was or would be, so that the last good version stays. ``container``: the
    origin of the document that holds a member without a name; such a member may be any record of that document, so
    that none which disappeared since can be called removed.
    """

    origin: str
    reason: str
    native_id: str | None = None
    container: str | None = None


def skipped_id(origin: str) -> str:
    """The native id for a skipped member, of which only the origin is known."""
    return f"skipped {origin}"


@dataclass(frozen=True, slots=True)
class PassedOver:
    """Members that are no records: ``count`` of them for one reason, the first one's origin, and those of some others.

    ``native_id``: of the record that such a member would be. If one was read from it before, it counts as unread: what
    is still there, and is no record any more, may have been broken.
    """

    origin: str
    reason: str
    count: int = 1
    native_id: str | None = None
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The version in a file's last answer, and the records from it.

    ``tag`` says how it was read: with another reader or other options, the file must be read again. ``note``: what
    the source itself needs to know of the file when it is not sent again.
    """

    url: str
    tag: str
    natives: tuple[str, ...] = ()
    etag: str | None = None
    last_modified: str | None = None  # as the server sent it
    note: str | None = None


class VersionStore(Protocol):
    """The stored versions of a source's files."""

    @property
    def tag(self) -> str:
        """How files are read now; part of each stored version."""

    def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        """The versions for conditional requests; empty in a run that requests everything."""


@dataclass(frozen=True, slots=True)
class RawPage:
    """Some records in the source's stable order.

    ``position`` is an opaque string that resumes after this page; None if the source cannot resume. ``total`` is the
    number of records in the whole source, if known before the end. ``deleted`` are native ids that the source itself
    marks as deleted (tombstones). ``unchanged`` are native ids that the source reports as unchanged, without sending
    them again. ``visits``: of files whose records are all in this page or an earlier one. ``matched``, on the last
    page: the number of distinct records that the source claims; with fewer, a run is incomplete.
    """

    records: tuple[RawRecord, ...]
    position: str | None = None
    total: int | None = None
    skipped: tuple[SkippedMember, ...] = ()
    deleted: tuple[str, ...] = ()
    matched: int | None = None
    unchanged: tuple[str, ...] = ()
    visits: tuple[FileVersion, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()


class Source(Protocol):
    """A catalogue as a stream of pages. A stream that ends without an error was complete."""

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Pages after ``position`` (a RawPage's), from the start for None.

        Raises a core.errors.SondeError if the source fails: earlier pages remain valid, and the run is incomplete.
        """
        ...


def restrict(source: Source, groups: Sequence[str] | None) -> Source:
    """The source, each record marked with the groups that may see it.

    Empty: everybody, so the same source. None: not stated, so each record keeps the groups that it has.
    """
    if groups is None:
        return _RestrictedSource(source, None)
    return _RestrictedSource(source, tuple(sorted(set(groups)))) if groups else source


@dataclass(frozen=True, slots=True)
class _RestrictedSource:
    source: Source
    groups: tuple[str, ...] | None

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        for page in self.source.pages(position):
            yield replace(page, records=tuple(replace(raw, access_groups=self.groups) for raw in page.records))
