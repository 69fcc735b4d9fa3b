"""A user's actions on documents: upload, import, read, delete; within the user's quota."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from core.access import NotAllowed
from core.document import DocumentEntry, Edited, FileKey, FileStore, State, document_id
from core.errors import Conflict, InvalidInput, NotFound, TooLarge
from core.timespan import now_iso
from search_api.library.entries import LibraryEntries, LibraryUsage
from search_api.library.references import Reference, ReferenceProblem, read_references

log = structlog.get_logger(__name__)

_MIB = 1024 * 1024
_LONGEST_NAME = 200
_SETTLED: tuple[State, ...] = ("queued", "parsing", "embedding", "ready")


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits for one user; ``file_bytes`` limits one upload."""

    file_bytes: int = 20 * _MIB
    documents: int = 500
    bytes: int = 1024 * _MIB


@dataclass(frozen=True, slots=True)
class PersonalLibraryParts:
    """``prepare`` creates missing indices. ``enqueue`` queues a document; if the queue is down, the document is found
    there later. ``delete`` deletes passages, file and entry. ``retitle`` gives passages
    the document's new title. ``media_type`` detects by content and raises
    core.errors.Unsupported. ``accepts_uploads``: whether uploads and references are accepted at all.
    """

    entries: LibraryEntries
    files: FileStore
    prepare: Callable[[], None]
    enqueue: Callable[[str], None]
    delete: Callable[[DocumentEntry], None]
    retitle: Callable[[DocumentEntry, str], None]
    media_type: Callable[[bytes], str]
    quota: Quota = Quota()
    accepts_uploads: bool = True


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as uploaded. ``record``: the catalogue's record that it explains."""

    name: str
    data: bytes
    record: str | None = None


@dataclass(frozen=True, slots=True)
class PersonalLibrary:
    """The library of all users, one owner per call; stateless."""

    parts: PersonalLibraryParts

    def upload(self, owner: str, upload: Upload) -> tuple[DocumentEntry, bool]:
        """The entry, and whether it is new; equal bytes are the same document.

        Raises NotAllowed if uploads are disabled, TooLarge, Unsupported, Conflict if the quota is exceeded,
        InvalidInput for an unknown record.
        """
        self._refuse_if_disabled()
        self._refuse_large(upload.data)
        media_type = self.parts.media_type(upload.data)
        if upload.record is not None and not self.parts.entries.has_record(upload.record):
            raise InvalidInput("record", f"record: there is no record {upload.record!r}")
        digest = hashlib.sha256(upload.data).hexdigest()
        id = document_id(owner, upload.record, digest)
        stored_entry = self.parts.entries.find(owner, id)
        if stored_entry is not None and stored_entry.state in _SETTLED:
            return stored_entry, False
        entry = DocumentEntry(
            id=id,
            owner=owner,
            origin=f"upload:{id}",
            name=clean_name(upload.name),
            state="queued",
            record=upload.record,
            media_type=media_type,
            hash=digest,
            bytes=len(upload.data),
            created=stored_entry.created if stored_entry is not None else now_iso(),
            updated=now_iso(),
        )
        self._store(entry, upload.data, stored_entry)
        return entry, stored_entry is None

    def attach(self, owner: str, id: str, upload: Upload) -> DocumentEntry:
        """Adds the file to an entry that waits for it, or whose file could not be fetched.

        Raises NotFound, Conflict if the entry has its file, and the errors of ``upload``.
        """
        self._refuse_if_disabled()
        stored_entry = self.document(owner, id)
        if stored_entry.state in _SETTLED:
            raise Conflict("This document has a file; delete it first, or upload the other file as a new document.")
        self._refuse_large(upload.data)
        entry = replace(
            stored_entry,
            state="queued",
            name=clean_name(upload.name) if upload.name else stored_entry.name,
            origin=f"upload:{id}",
            media_type=self.parts.media_type(upload.data),
            hash=hashlib.sha256(upload.data).hexdigest(),
            bytes=len(upload.data),
            reason=None,
            message=None,
            attempts=0,
            updated=now_iso(),
        )
        self._store(entry, upload.data, stored_entry)
        return entry

    def retry(self, owner: str, id: str) -> DocumentEntry:
        """Queues a document that failed once more, with the file that it has, or the address that it came from.

        Raises NotFound, NotAllowed if uploads are disabled, Conflict if it did not fail, or lacks its file.
        """
        self._refuse_if_disabled()
        stored_entry = self.document(owner, id)
        if stored_entry.state != "failed":
            raise Conflict("Only a document that failed can be read again.")
        if not can_retry(stored_entry) or not (is_fetched(stored_entry) or self.parts.files.has(FileKey(owner, id))):
            raise Conflict("The file of this document is not there; upload it.")
        entry = replace(stored_entry, state="queued", reason=None, message=None, attempts=0, updated=now_iso())
        self.parts.entries.put(entry)
        self.parts.enqueue(id)
        return entry

    def references(self, owner: str, text: str) -> tuple[list[DocumentEntry], tuple[ReferenceProblem, ...]]:
        """An entry for each work of the list: ``queued`` if its PDF can be fetched, else ``waiting`` for its file.

        Second, the parts of the list that could not be read.

        Existing entries are unchanged; failed fetches are retried. Raises NotAllowed if uploads are disabled,
        InvalidInput, Conflict if the quota does not suffice for all.
        """
        self._refuse_if_disabled()
        parsed_references = read_references(text)
        references_by_id = {reference_id(owner, reference): reference for reference in parsed_references.references}
        stored_entry = self.parts.entries.find_many(owner, list(references_by_id))
        self._refuse_too_many(self.parts.entries.usage(owner), documents=len(references_by_id) - len(stored_entry))
        self.parts.prepare()
        entries = []
        for id, reference in references_by_id.items():
            entry = stored_entry.get(id)
            if entry is None or (entry.state == "failed" and entry.hash is None):
                entry = _entry_of(id, owner, reference)
                self.parts.entries.put(entry)
                if entry.state == "queued":
                    self.parts.enqueue(id)
            entries.append(entry)
        log.info("library.imported", references=len(entries))
        return entries, parsed_references.problems

    def usage(self, owner: str) -> LibraryUsage:
        """The totals of the owner's documents in all states."""
        return self.parts.entries.usage(owner)

    def document(self, owner: str, id: str) -> DocumentEntry:
        """Raises NotFound, also for another user's document, so that its existence is not revealed."""
        entry = self.parts.entries.find(owner, id)
        if entry is None:
            raise NotFound(f"There is no document {id!r} in your library.")
        return entry

    def file(self, owner: str, id: str) -> tuple[DocumentEntry, bytes]:
        """Raises NotFound."""
        entry = self.document(owner, id)
        data = self.parts.files.get(FileKey(owner, id))
        if data is None:
            raise NotFound("This document has no file yet.")
        return entry, data

    def edit(self, owner: str, id: str, edited: Edited) -> DocumentEntry:
        """Replaces metadata by what their owner says; a later reading keeps them. Raises NotFound."""
        before = self.document(owner, id)
        self.parts.entries.edit(owner, id, edited)
        after = self.document(owner, id)
        if after.title != before.title:
            self.parts.retitle(before, after.title or after.name)
        return after

    def remove(self, owner: str, id: str) -> None:
        """Deletes passages, file and entry before it returns. Raises NotFound."""
        self.parts.delete(self.document(owner, id))

    def _store(self, entry: DocumentEntry, data: bytes, stored_entry: DocumentEntry | None) -> None:
        """Writes the file, then the entry, then queues it: ``repair_library`` completes this after a crash."""
        before = stored_entry.bytes or 0 if stored_entry is not None else 0
        more = (0 if stored_entry is not None else 1, len(data) - before)
        self._refuse_too_many(self.parts.entries.usage(entry.owner), *more)
        self.parts.prepare()
        self.parts.files.put(FileKey(entry.owner, entry.id), [data])
        self.parts.entries.put(entry)
        try:  # checks again, because concurrent uploads are visible now
            self._refuse_too_many(self.parts.entries.usage(entry.owner))
        except Conflict:
            self.parts.delete(entry)
            raise
        self.parts.enqueue(entry.id)
        log.info("library.uploaded", document=entry.id, bytes=len(data))

    def _refuse_if_disabled(self) -> None:
        if not self.parts.accepts_uploads:
            raise NotAllowed("This installation does not accept documents of users (SONDE_LIBRARY__ENABLED).")

    def _refuse_large(self, data: bytes) -> None:
        if len(data) > self.parts.quota.file_bytes:
            raise TooLarge(too_large(self.parts.quota))

    def _refuse_too_many(self, usage: LibraryUsage, documents: int = 0, more_bytes: int = 0) -> None:
        quota = self.parts.quota
        if usage.documents + documents > quota.documents:
            raise Conflict(f"Your library holds {usage.documents} of {quota.documents} documents; delete some first.")
        if usage.bytes + more_bytes > quota.bytes:
            raise Conflict(
                f"Your library holds {usage.bytes / _MIB:.1f} of {quota.bytes / _MIB:g} MiB, and this does not fit; "
                "delete something first."
            )


def can_retry(entry: DocumentEntry) -> bool:
    """Whether it failed, and may be read again without another file."""
    has_file = entry.hash is not None and entry.reason != "file_lost"
    return entry.state == "failed" and (has_file or is_fetched(entry))


def is_fetched(entry: DocumentEntry) -> bool:
    """Whether its file comes from an address of the web."""
    return entry.origin.startswith(("http://", "https://"))


def too_large(quota: Quota) -> str:
    return f"A file may have at most {quota.file_bytes / _MIB:g} MiB ({quota.file_bytes:,} bytes)."


def reference_id(owner: str, reference: Reference) -> str:
    return hashlib.sha256("\n".join((owner, "reference", reference.identity)).encode()).hexdigest()[:32]


def _entry_of(id: str, owner: str, reference: Reference) -> DocumentEntry:
    return DocumentEntry(
        id=id,
        owner=owner,
        origin=reference.link or f"import:{id}",
        name=clean_name(reference.title.replace("/", " ")),
        state="queued" if reference.link else "waiting",
        title=reference.title,
        authors=reference.authors,
        doi=reference.doi,
        journal=reference.journal,
        published=reference.published,
        created=now_iso(),
        updated=now_iso(),
    )


def clean_name(name: str) -> str:
    """A file name without folders and control characters, at most 200 characters."""
    name_only = "".join(
        letter for letter in name.replace("\\", "/").rsplit("/", 1)[-1] if unicodedata.category(letter)[0] != "C"
    )
    return name_only.strip()[:_LONGEST_NAME] or "document"
