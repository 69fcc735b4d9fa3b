"""Keeps the files of public documents that the page may show."""

from __future__ import annotations

import structlog

from core.document import DocumentEntry, FileKey
from core.errors import Unavailable
from core.licences import is_open
from indexer.documents.index.steps import KeepFile
from sonde.settings import Settings
from sonde.wiring.file_store import FolderFiles

log = structlog.get_logger(__name__)


def keeper(settings: Settings) -> KeepFile:
    """Keeps files by ``SONDE_DOCUMENTS__PUBLIC_FILES``, in the folder of the library."""
    files, public = FolderFiles(settings.library.folder), settings.documents.public_files

    def keep(entry: DocumentEntry, data: bytes, licence: str | None) -> None:
        """A folder that cannot be written loses the view of the file, not the document."""
        key = FileKey(entry.owner, entry.id)
        try:
            if public == "all" or (public == "licensed" and is_open(licence)):
                files.put(key, [data])
            else:
                files.delete(key)
        except Unavailable as error:
            log.warning("document.file_not_kept", document=entry.id, reason=str(error))

    return keep
