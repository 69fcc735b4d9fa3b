"""Members of a tar or zip, one after the other, without unpacking to disk; single files compressed with gzip."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from lzma import LZMAError
from pathlib import Path

from indexer.raw import SkippedMember
from indexer.sources.members import (
    ArchiveLimits,
    LimitReached,
    Member,
    MemberBroken,
    OtherFile,
    SourceBroken,
    is_hidden_path,
    is_wanted,
    iso_modified,
    unsafe_name,
)

_LONGEST_TAR_HEADER_BYTES = 1 << 20
_LONG_HEADERS = frozenset(
    {tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE}
)
_BREAKS_A_TAR = (tarfile.TarError, EOFError, OSError, zlib.error, LZMAError)
_BREAKS_A_ZIP_MEMBER = (zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError, NotImplementedError)


class _BoundedTarInfo(tarfile.TarInfo):
    """Refuses a member name of gigabytes, because tarfile would read it into memory."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _BoundedTarInfo:
        info = super().frombuf(buf, encoding, errors)
        if info.type in _LONG_HEADERS and info.size > _LONGEST_TAR_HEADER_BYTES:
            raise SourceBroken(f"the archive holds a name of {info.size} bytes")
        return info


def is_tar(path: Path) -> bool:
    """Whether a file is a tar, compressed or not. Raises SourceBroken for one that must not be opened."""
    try:
        with tarfile.open(path, "r|*", tarinfo=_BoundedTarInfo):
            return True
    except _BREAKS_A_TAR:
        return False


@dataclass(frozen=True, slots=True)
class TarMembers:
    """A tar in its own order (it is a stream); a position is ``index:name``.

    If the member at that index has another name now, the archive has changed, and all of it is read again.
    """

    path: Path
    suffixes: frozenset[str]
    limits: ArchiveLimits

    def total(self) -> int | None:
        return None

    def members_after(self, position: str | None) -> Iterator[Member | SkippedMember | OtherFile]:
        """Raises SourceBroken (cut off, not a tar) and LimitReached."""
        if position is not None and not self._holds(position):
            position = None
        start = -1 if position is None else int(position.partition(":")[0])
        for index, tar, info in self._infos():
            if index > start:
                member = self._member(index, tar, info)
                if member is not None:
                    yield member

    def _holds(self, position: str) -> bool:
        start, _, name = position.partition(":")
        return any(index == int(start) and info.name == name for index, _, info in self._infos(int(start)))

    def _infos(self, last: int | None = None) -> Iterator[tuple[int, tarfile.TarFile, tarfile.TarInfo]]:
        index, total_bytes = 0, 0
        try:
            with tarfile.open(self.path, "r|*", tarinfo=_BoundedTarInfo) as tar:
                while (last is None or index <= last) and (info := tar.next()) is not None:
                    tar.members = []  # type: ignore[attr-defined]  # tarfile would keep every header to the end
                    total_bytes += info.size
                    if total_bytes > self.limits.total_bytes:
                        raise LimitReached(f"{self.path}: more than {self.limits.total_bytes} bytes unpacked")
                    yield index, tar, info
                    index += 1
        except _BREAKS_A_TAR as error:
            raise SourceBroken(f"{self.path}: the archive breaks off after {index} members: {error}") from error

    def _member(
        self, index: int, tar: tarfile.TarFile, info: tarfile.TarInfo
    ) -> Member | SkippedMember | OtherFile | None:
        if info.isdir() or is_hidden_path(info.name):
            return None
        if not is_wanted(info.name, self.suffixes):
            return OtherFile(f"{self.path}!{info.name}", f"{index}:{info.name}")
        reason = unsafe_name(info.name) or (None if info.isreg() else "a link or device, not followed")
        if reason is not None:
            return SkippedMember(f"{self.path}!{info.name}", reason)

        def read(limit: int) -> bytes:
            try:
                stream = tar.extractfile(info)
                return b"" if stream is None else stream.read(limit)
            except _BREAKS_A_TAR as error:  # a stream cannot continue after the damage
                raise SourceBroken(f"{self.path}: the archive breaks off in {info.name}: {error}") from error

        return Member(info.name.removeprefix("./"), f"{index}:{info.name}", info.size, iso_modified(info.mtime), read)


@dataclass(frozen=True, slots=True)
class ZipMembers:
    """A zip sorted by name; a position is the last name."""

    path: Path
    suffixes: frozenset[str]

    def total(self) -> int | None:
        with self._open() as archive:
            return sum(is_wanted(info.filename, self.suffixes) for info in self._infos(archive))

    def members_after(self, position: str | None) -> Iterator[Member | SkippedMember | OtherFile]:
        """Raises SourceBroken if it is not a zip."""
        with self._open() as archive:
            for info in self._infos(archive):
                if position is not None and info.filename <= position:
                    continue
                if is_wanted(info.filename, self.suffixes):
                    yield self._member(archive, info)
                else:
                    yield OtherFile(f"{self.path}!{info.filename}", info.filename)

    def _open(self) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, OSError) as error:
            raise SourceBroken(f"{self.path}: {error}") from error

    def _infos(self, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
        infos = {info.filename: info for info in archive.infolist() if not info.is_dir()}
        return [infos[name] for name in sorted(infos) if not is_hidden_path(name)]

    def _member(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member | SkippedMember:
        reason = unsafe_name(info.filename)
        if reason is not None:
            return SkippedMember(f"{self.path}!{info.filename}", reason)

        def read(limit: int) -> bytes:
            try:
                with archive.open(info) as stream:
                    return stream.read(limit)
            except _BREAKS_A_ZIP_MEMBER as error:
                raise MemberBroken(str(error)) from error

        return Member(info.filename, info.filename, info.file_size, _zip_modified(info.date_time), read)


def _zip_modified(date_time: tuple[int, int, int, int, int, int]) -> str | None:
    """A zip stores local time without a zone; only the date is certain."""
    try:
        return datetime(*date_time[:3]).date().isoformat()
    except ValueError:
        return None


GZIP = b"\x1f\x8b"


class UnpackFailed(ValueError):
    """A compressed file that is broken, or larger than the limit; the message says which."""


def unpack(content: bytes, limit_bytes: int) -> bytes:
    """The content of a gzip file; other content unchanged. Raises UnpackFailed."""
    if not content.startswith(GZIP):
        return content
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content_unpacked = unpacker.decompress(content, limit_bytes)
    except zlib.error as error:
        raise UnpackFailed(f"it is compressed with gzip and cannot be read: {error}") from None
    if unpacker.unconsumed_tail:
        raise UnpackFailed(f"it unpacks to more than {limit_bytes} bytes")
    if not unpacker.eof:
        raise UnpackFailed("it is compressed with gzip and breaks off")
    return content_unpacked
