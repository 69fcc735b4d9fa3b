"""The files of documents: each user's own, and public ones that may be shown."""

from __future__ import annotations

from dataclasses import dataclass

from core.document import FileKey, FileStore, PublicFiles, is_open
from core.errors import NotFound
from search_api.catalogue.documents.reader import SeenDocument


@dataclass(frozen=True, slots=True)
class DocumentFiles:
    """``public``: which public files are shown. It is looked at for each request, and so is the licence."""

    files: FileStore
    public: PublicFiles

    def is_shown(self, seen: SeenDocument) -> bool:
        """Whether ``get`` returns a file."""
        return self._may_show(seen) and self.files.has(_key(seen))

    def get(self, seen: SeenDocument) -> bytes:
        """Raises NotFound if the file is not stored, or may not be shown."""
        data = self.files.get(_key(seen)) if self._may_show(seen) else None
        if data is None:
            raise NotFound(f"The file of the document {seen.entry.id!r} is not shown here.")
        return data

    def _may_show(self, seen: SeenDocument) -> bool:
        licence = seen.record.licence if seen.record is not None else None
        return seen.is_private or self.public == "all" or (self.public == "licensed" and is_open(licence))


def _key(seen: SeenDocument) -> FileKey:
    return FileKey(seen.entry.owner, seen.entry.id)
