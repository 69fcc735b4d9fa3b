"""Reads users' documents: uploaded files directly; for a reference, fetches its PDF first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from core.document import UNREAD, DocumentEntry, FileKey, FileStore, with_edits
from core.errors import NotFound, SondeError
from core.timespan import now_iso
from indexer.documents.index.attempts import UnfinishedReadings, refusal_by_defect, sonde_version
from indexer.documents.index.ingest import IncomingDocument, ingest
from indexer.documents.index.linked_documents import pdf_of_page
from indexer.documents.index.registries import complete_entry
from indexer.documents.index.steps import IngestParts
from indexer.documents.index.store import DocumentGone, DocumentStore
from indexer.documents.parse.limits import MEDIA_TYPES, DocumentRefused, file_kind
from net.errors import Forbidden, UnknownName
from net.exchange import Outgoing
from net.gate import Gate

log = structlog.get_logger(__name__)

NOT_PUBLIC = "The address of the reference is no server of the open internet; upload the file."
_WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class LibraryReading:
    """What reading users' documents needs. ``most_file_bytes`` of one that is fetched, ``most_bytes`` of all of one
    user's."""

    parts: IngestParts
    files: FileStore
    gate: Callable[[], Gate]
    most_file_bytes: int
    most_bytes: int

    @property
    def store(self) -> DocumentStore:
        return DocumentStore(self.parts.client, self.parts.prefix)


def read_queued(id: str, reading: LibraryReading, seconds: float | None = None) -> DocumentEntry | None:
    """The entry, ``ready`` or ``failed``; None if there is nothing to do. Idempotent. With ``seconds`` it reads one
    slice (``ingest``).

    Raises core.errors.Unavailable if Elasticsearch does not answer, ModelMissing if the embedder is not installed.
    """
    entry = reading.store.entry(id)
    if entry is None or entry.state not in UNREAD:
        return None
    key = FileKey(entry.owner, entry.id)
    try:
        data = reading.files.get(key)
        if data is None:
            entry = _complete(entry, reading)
            data = _file_of(entry, reading)
            reading.files.put(key, [data])
            entry = replace(entry, bytes=len(data), media_type=MEDIA_TYPES["pdf"])
            reading.store.keep_entry(entry)
        document = IncomingDocument(data, entry.origin, entry.name, entry.owner, entry.record, known_id=entry.id)
        return ingest(document, reading.parts, seconds=seconds).entry
    except DocumentGone:
        reading.files.delete(key)
        return None
    except DocumentRefused as refusal:
        return _park(entry, refusal, reading)
    except NotFound as error:
        return _park(entry, DocumentRefused("record_gone", str(error)), reading)
    except (SondeError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - a defect of ours on the way to its bytes; ``ingest`` parks those of reading itself
        return _park(entry, refusal_by_defect(error), reading)


def _complete(entry: DocumentEntry, reading: LibraryReading) -> DocumentEntry:
    """The entry with a registry's metadata: a reference may be only a DOI, and needs a title even without a PDF."""
    registries = reading.parts.registries
    work = registries.of(entry, None) if registries is not None else None
    if work is None:
        return entry
    entry = with_edits(complete_entry(entry, work, None))
    reading.store.keep_entry(entry)
    return entry


def _file_of(entry: DocumentEntry, reading: LibraryReading) -> bytes:
    """Raises DocumentRefused: ``file_lost``, ``unreachable``, ``over_quota``."""
    if not entry.origin.startswith(_WEB):
        raise DocumentRefused("file_lost", "The uploaded file is no longer there; upload it again.")
    data = fetch_pdf(entry.origin, reading.gate(), reading.most_file_bytes)
    if reading.store.bytes_of(entry.owner) + len(data) > reading.most_bytes:
        raise DocumentRefused("over_quota", "Its PDF does not fit in the library any more; delete something first.")
    return data


def fetch_pdf(address: str, gate: Gate, max_bytes: int) -> bytes:
    """The PDF at the address, or the PDF that the page at the address links as its own.

    Raises DocumentRefused ``unreachable`` if there is neither.
    """
    try:
        answer = gate.request(Outgoing(address, max_bytes=max_bytes)).expect_ok()
        if _is_pdf(answer.content):
            return answer.content
        pdf_address = pdf_of_page(answer.content, answer.url)
        if pdf_address is None:
            raise DocumentRefused("unreachable", "The page behind the reference names no PDF; upload the file.")
        content = gate.request(Outgoing(pdf_address, max_bytes=max_bytes)).expect_ok().content
    except DocumentRefused:
        raise
    except (
        Forbidden,
        UnknownName,
    ) as error:  # one message: it reveals no name of our network
        raise DocumentRefused("unreachable", NOT_PUBLIC) from error
    except SondeError as error:
        raise DocumentRefused("unreachable", str(error)) from error
    if not _is_pdf(content):
        raise DocumentRefused("unreachable", "What the page names as its PDF is none; upload the file.")
    return content


def _is_pdf(content: bytes) -> bool:
    try:
        return file_kind(content) == "pdf"
    except DocumentRefused:
        return False


def _park(entry: DocumentEntry, refusal: DocumentRefused, reading: LibraryReading) -> DocumentEntry | None:
    parked_entry = replace(
        entry,
        state="failed",
        reason=refusal.reason,
        message=str(refusal)[:500],
        attempts=entry.attempts + 1,
        version=sonde_version(),
        updated=now_iso(),
    )
    log.warning("document.failed", document=entry.id, reason=refusal.reason)
    try:
        reading.store.keep_entry(parked_entry)
    except DocumentGone:
        return None
    return parked_entry


def remove_document(
    entry: DocumentEntry, store: DocumentStore, files: FileStore, unfinished_readings: UnfinishedReadings | None = None
) -> None:
    """Marks the document, then deletes passages, what slices kept, file and entry; after a crash ``repair_library``
    finishes this.
    """
    store.put_entry(replace(entry, state="deleted", updated=now_iso()))
    store.drop_passages(entry)
    if unfinished_readings is not None:
        unfinished_readings.drop(entry.id)
    files.delete(FileKey(entry.owner, entry.id))
    store.drop_entry(entry)
