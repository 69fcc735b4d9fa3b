"""Stores uploaded and public files in a folder that the API and the workers share.

An object store could implement the same port.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import structlog

from core.document import DocumentEntry, FileKey, StoredFile, is_open, owner_routing
from core.errors import Unavailable
from es_gateway.client import Elasticsearch
from indexer.documents.index.attempts import UnfinishedReadings
from indexer.documents.index.library import remove_document
from indexer.documents.index.steps import KeepFile
from indexer.documents.index.store import DocumentStore
from sonde.settings import Settings

_PARTIAL = ".part-"
log = structlog.get_logger(__name__)


class FolderFiles:
    """``{folder}/{owner_routing of the owner}/{document}``: names of users and files are never part of a path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: FileKey, data: Iterable[bytes]) -> None:
        """Writes to a temporary file, syncs it to disk, then renames it."""
        path = self._path(key)
        partial = path.with_name(f"{path.name}{_PARTIAL}{uuid.uuid4().hex}")
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with partial.open("xb") as file:
                for piece in data:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
            _to_disk(path.parent)
        except OSError as error:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            raise Unavailable(f"The file cannot be kept ({error.strerror}). Try again later.") from error

    def get(self, key: FileKey) -> bytes | None:
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable(f"The file cannot be read ({error.strerror}). Try again later.") from error

    def has(self, key: FileKey) -> bool:
        return self._path(key).is_file()

    def delete(self, key: FileKey) -> None:
        self._unlink(self._path(key))

    def files(self) -> Iterator[StoredFile]:
        for path in sorted(self._folder.glob("[!.]*/*")):  # not what slices of a reading keep
            with suppress(FileNotFoundError):  # deleted while we look
                yield StoredFile(path.parent.name, path.name, time.time() - path.stat().st_mtime)

    def discard(self, file: StoredFile) -> None:
        self._unlink(self._folder / file.folder / file.document)

    def _path(self, key: FileKey) -> Path:
        if not key.document.isalnum():
            raise ValueError(f"{key.document!r} is not a document's id")
        return self._folder / owner_routing(key.owner) / key.document

    def _unlink(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
            if path.parent.is_dir():
                _to_disk(path.parent)
        except OSError as error:
            raise Unavailable(f"The file cannot be deleted ({error.strerror}). Try again later.") from error


def _to_disk(folder: Path) -> None:
    """Syncs the folder: a renamed or deleted name survives a crash only after that."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unfinished_readings_of(settings: Settings) -> UnfinishedReadings | None:
    """Beside users' files, which all workers share; without such a folder, in this machine's temporary one. None where
    that belongs to somebody else: then each document is read at once.
    """
    folder = settings.library.folder
    existing_folder = next(path for path in (folder, *folder.parents) if path.exists())
    if os.access(existing_folder, os.W_OK):
        return UnfinishedReadings(folder / ".readings")
    temporary = Path(tempfile.gettempdir()) / f"sonde-readings-{os.getuid()}"
    temporary.mkdir(mode=0o700, exist_ok=True)
    return None if temporary.is_symlink() or temporary.stat().st_uid != os.getuid() else UnfinishedReadings(temporary)


def file_keeper(settings: Settings) -> KeepFile:
    """Keeps files by ``SONDE_DOCUMENTS__PUBLIC_FILES``, in the folder of the library."""
    files, public = FolderFiles(settings.library.folder), settings.documents.public_files

    def keep_file(entry: DocumentEntry, data: bytes, licence: str | None) -> None:
        """A folder that cannot be written loses the view of the file, not the document."""
        key = FileKey(entry.owner, entry.id)
        try:
            if public == "all" or (public == "licensed" and is_open(licence)):
                files.put(key, [data])
            else:
                files.delete(key)
        except Unavailable as error:
            log.warning("document.file_not_kept", document=entry.id, reason=str(error))

    return keep_file


def document_remover(settings: Settings, client: Elasticsearch) -> Callable[[DocumentEntry], None]:
    """Removes one document with its record, passages and file, anybody's."""
    store, files = DocumentStore(client, settings.index.prefix), FolderFiles(settings.library.folder)
    return partial(remove_document, store=store, files=files, unfinished_readings=unfinished_readings_of(settings))
