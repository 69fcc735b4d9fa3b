"""Records from a folder of metadata and data files, from one tar or zip of metadata, or from a single file."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Protocol

from core.errors import NotFound, SondeError
from indexer.data_files.containers import (
    TO_INSTALL,
    ZARR,
    ZARR_MARKS,
    LocalFile,
    LocalStore,
    is_store,
    missing_libraries,
)
from indexer.formats.registry import Separation, separate
from indexer.raw import FileVersion, PassedOver, RawPage, RawRecord, SkippedMember, VersionStore
from indexer.sources.archives import TarMembers, UnpackFailed, ZipMembers, is_tar, unpack
from indexer.sources.data_members import DESCRIBED, DataMembers, description_beside, is_data
from indexer.sources.members import (
    METADATA_SUFFIXES,
    ArchiveLimits,
    LimitReached,
    Member,
    MemberBroken,
    OtherFile,
    SourceBroken,
    is_hidden,
    is_wanted,
    iso_modified,
    media_type,
    passed_over,
)

_MAX_NAMED = 100  # origins of passed-over files for one reason on one page, to limit memory
_PAGE_BYTES = 16 << 20  # a page ends early at this size, to limit memory
_VERSIONS = 500  # of files, in one request


@dataclass(frozen=True, slots=True)
class _DataMember:
    """A data file; ``description``: the metadata file beside it."""

    name: str
    file: LocalFile | LocalStore
    description: str | None = None

    @property
    def position(self) -> str:
        return self.name


class _Members(Protocol):
    def total(self) -> int | None: ...

    def members_after(
        self, position: str | None
    ) -> Iterator[Member | SkippedMember | OtherFile] | Iterator[Member | SkippedMember | OtherFile | _DataMember]: ...


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Files under ``path`` (a folder, an archive, or one file), ``page_size`` to a page.

    A folder and a zip are read sorted by name, a tar in its own order. Files with other suffixes are counted and not
    read, hidden ones are ignored. A
    link is followed if it leads to a file inside the folder that has no other name. A file that cannot be read, or is
    larger than the limit, is skipped and named. A file with several records returns them all; a run that ends among
    them starts with that file again.

    A data file without metadata beside it gives one record from its header. With ``memory`` those of the same size and
    time as before are not read again.
    """

    path: Path
    suffixes: frozenset[str] = METADATA_SUFFIXES
    limits: ArchiveLimits = field(default_factory=ArchiveLimits)
    page_size: int = 100
    memory: VersionStore | None = None

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NotFound, SourceBroken (a truncated archive) and LimitReached (files, total bytes)."""
        members = self._members()
        draft = _Draft(members.total(), position)
        data = _DataReading(self.memory)
        in_order = members.members_after(position)
        try:
            # only these have data files, and they may be listed before they are read
            for member in data.with_versions(in_order) if isinstance(members, _Folder | _OneData) else in_order:
                if isinstance(member, OtherFile):
                    draft.add(passed_over(member.origin), member.position)
                    continue
                draft.files += 1
                if isinstance(member, _DataMember):
                    data.read(member, draft)
                    if draft.is_full(self.page_size):
                        yield draft.close()
                    continue
                for outcome, position_after in self._outcomes(member):
                    draft.add(outcome, position_after)
                    self._check(draft)
                    if draft.is_full(self.page_size):
                        yield draft.close()
        except SondeError:
            if draft.is_filled:  # what was read before the break remains valid
                yield draft.close()
            raise
        finally:
            data.close()
        if draft.is_filled:
            yield draft.close()

    def _members(self) -> _Members:
        if self.path.is_dir():
            return _OneData(LocalStore(self.path)) if _is_zarr(self.path) else _Folder(self.path, self.suffixes)
        if not self.path.is_file():
            raise NotFound(f"{self.path}: there is no such file or folder")
        if is_data(self.path.name):
            return _OneData(LocalFile(self.path))
        if zipfile.is_zipfile(self.path):
            return ZipMembers(self.path, self.suffixes)
        if is_tar(self.path):
            return TarMembers(self.path, self.suffixes, self.limits)
        return _OneFile(self.path)

    def _outcomes(
        self, member: Member | SkippedMember
    ) -> Iterator[tuple[RawRecord | SkippedMember | PassedOver, str | None]]:
        """What a member holds; the last one has the position after it."""
        content = self._read(member) if isinstance(member, Member) else member
        separation = separate(content) if isinstance(content, RawRecord) else Separation((), (content,))
        outcomes: list[RawRecord | SkippedMember | PassedOver] = [
            *separation.passed_over,
            *separation.skipped,
            *separation.records,
        ]
        for outcome in outcomes[:-1]:
            yield outcome, None
        yield outcomes[-1], member.position if isinstance(member, Member) else None

    def _read(self, member: Member) -> RawRecord | SkippedMember:
        origin = str(self.path) if member.name == self.path.name else f"{self.path}{self._joint}{member.name}"
        if member.size > self.limits.file_bytes:
            return SkippedMember(origin, f"{member.size} bytes are more than the limit of {self.limits.file_bytes}")
        try:
            content = member.read(self.limits.file_bytes + 1)
        except MemberBroken as error:
            return SkippedMember(origin, f"it cannot be read: {error}")
        if len(content) > self.limits.file_bytes:
            return SkippedMember(origin, f"it unpacks to more than the limit of {self.limits.file_bytes} bytes")
        try:
            content = unpack(content, self.limits.file_bytes)
        except UnpackFailed as error:
            return SkippedMember(origin, str(error))
        return RawRecord(member.name, content, origin, media_type(member.name), member.modified)

    @property
    def _joint(self) -> str:
        return "/" if self.path.is_dir() else "!"

    def _check(self, draft: _Draft) -> None:
        if draft.files > self.limits.files:
            raise LimitReached(f"{self.path}: more than {self.limits.files} files")
        if draft.total_bytes > self.limits.total_bytes:
            raise LimitReached(f"{self.path}: more than {self.limits.total_bytes} bytes unpacked")


@dataclass(slots=True)
class _Draft:
    """The current page, and the totals of the run. ``position``: after the last file that was read completely."""

    total: int | None
    position: str | None
    records: list[RawRecord] = field(default_factory=list)
    skipped: list[SkippedMember] = field(default_factory=list)
    passed_over: dict[tuple[str, str | None], PassedOver] = field(default_factory=dict)  # by reason and id
    page_bytes: int = 0
    unchanged: list[str] = field(default_factory=list)
    visits: list[FileVersion] = field(default_factory=list)
    files: int = 0
    given: int = 0
    total_bytes: int = 0

    @property
    def is_filled(self) -> bool:
        return bool(self.records or self.skipped or self.passed_over or self.unchanged)

    def is_full(self, size: int) -> bool:
        return len(self.records) + len(self.unchanged) >= size or self.page_bytes >= _PAGE_BYTES

    def keep(self, version: FileVersion, position: str) -> None:
        """A file that has not changed."""
        self.position = position
        self.unchanged += version.natives
        self.given += 1

    def pass_over(self, passed_over: PassedOver) -> None:
        key = (passed_over.reason, passed_over.native_id)
        earlier_files = self.passed_over.get(key)
        if earlier_files is not None:
            other_origins = (*earlier_files.others, passed_over.origin)[:_MAX_NAMED]
            passed_over = replace(earlier_files, count=earlier_files.count + passed_over.count, others=other_origins)
        self.passed_over[key] = passed_over

    def add(self, outcome: RawRecord | SkippedMember | PassedOver, position: str | None) -> None:
        """``position`` is None within a file, and after a member that cannot be named."""
        self.position = position or self.position
        if isinstance(outcome, PassedOver):
            self.pass_over(outcome)
            return
        self.given += 1
        if isinstance(outcome, SkippedMember):
            self.skipped.append(outcome)
            return
        self.records.append(outcome)
        self.page_bytes += len(outcome.content)
        self.total_bytes += len(outcome.content)

    def close(self) -> RawPage:
        if self.given > self.files:  # the number of files is not that of records
            self.total = None
        page = RawPage(tuple(self.records), self.position, self.total, tuple(self.skipped))
        page = replace(
            page,
            passed_over=tuple(self.passed_over.values()),
            unchanged=tuple(self.unchanged),
            visits=tuple(self.visits),
        )
        self.records, self.skipped, self.passed_over, self.page_bytes = [], [], {}, 0
        self.unchanged, self.visits = [], []
        return page


@dataclass(frozen=True, slots=True)
class _Folder:
    """Regular files below a folder; a position is the last path, compared part by part."""

    path: Path
    suffixes: frozenset[str]

    def total(self) -> int | None:
        return sum(
            is_wanted(parts[-1], self.suffixes) or _is_data_entry(entry) for parts, entry in self._walk(self.path, ())
        )

    def members_after(self, position: str | None) -> Iterator[Member | SkippedMember | OtherFile | _DataMember]:
        last = () if position is None else tuple(position.split("/"))
        for parts, entry in self._walk(self.path, ()):
            if parts <= last:
                continue
            name = "/".join(parts)
            if is_wanted(parts[-1], self.suffixes):
                yield self._member(name, entry)
            elif entry.is_dir(follow_symlinks=False):
                yield _DataMember(name, LocalStore(Path(entry.path)), self._description(entry))
            elif is_data(parts[-1]) and entry.is_file(follow_symlinks=False):
                yield _DataMember(name, LocalFile(Path(entry.path)), self._description(entry))
            else:
                yield OtherFile(f"{self.path}/{name}", name)

    def _description(self, entry: os.DirEntry[str]) -> str | None:
        folder = Path(entry.path).parent
        return description_beside(entry.name, _names_in(folder, folder.stat().st_mtime_ns))

    def _walk(self, folder: Path, folders_above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], os.DirEntry[str]]]:
        """Files, and folders that are Zarr stores."""
        try:
            with os.scandir(folder) as entries:
                in_order = sorted(((_name_text(entry.name), entry) for entry in entries), key=itemgetter(0))
        except OSError as error:  # skipping it would make its records look removed
            raise SourceBroken(f"{folder}: it cannot be listed: {error}") from error
        for name, entry in in_order:
            if is_hidden(name):
                continue
            if entry.is_dir(follow_symlinks=False) and _is_zarr(Path(entry.path)):
                yield (*folders_above, name), entry
            elif entry.is_dir(follow_symlinks=False):
                yield from self._walk(Path(entry.path), (*folders_above, name))
            elif not self._is_listed_itself(entry):
                yield (*folders_above, name), entry

    def _is_listed_itself(self, entry: os.DirEntry[str]) -> bool:
        """Whether a link leads to a file inside the folder, which would then be read twice."""
        inner_path = self._target_inside(entry) if entry.is_symlink() else None
        if inner_path is None or not Path(entry.path).is_file():
            return False
        return not any(map(is_hidden, inner_path.parts))

    def _target_inside(self, entry: os.DirEntry[str]) -> Path | None:
        """The target of a link, relative to the folder; None if it is outside, a circle, or missing."""
        try:
            end = Path(entry.path).resolve(strict=True)
            return end.relative_to(self.path.resolve(strict=True))
        except (OSError, RuntimeError, ValueError):
            return None

    def _member(self, name: str, entry: os.DirEntry[str]) -> Member | SkippedMember:
        """A link to a file inside the folder is followed: Kubernetes shows the files of a ConfigMap like this."""
        if entry.is_symlink():
            inner_path = self._target_inside(entry)
            end = None if inner_path is None else self.path.resolve() / inner_path
            if end is None or not end.is_file():
                return SkippedMember(f"{self.path}/{name}", "a link to no file inside the folder, so not followed")
            return _file_member(end, name)
        if not entry.is_file(follow_symlinks=False):
            return SkippedMember(f"{self.path}/{name}", "a device or socket, not a file")
        return _file_member(Path(entry.path), name)


@dataclass(frozen=True, slots=True)
class _OneFile:
    path: Path

    def total(self) -> int | None:
        return 1

    def members_after(self, position: str | None) -> Iterator[Member | SkippedMember]:
        if position is None:
            yield _file_member(self.path, _name_text(self.path.name))


@dataclass(frozen=True, slots=True)
class _OneData:
    file: LocalFile | LocalStore

    def total(self) -> int | None:
        return 1

    def members_after(self, position: str | None) -> Iterator[Member | SkippedMember | OtherFile | _DataMember]:
        if position is None:
            yield _DataMember(_name_text(self.file.name), self.file)


@dataclass(slots=True)
class _DataReading:
    """Reads data files that have changed. ``_known``: the stored versions of the next ones, by their origins."""

    memory: VersionStore | None
    data: DataMembers = field(default_factory=DataMembers)
    _known: Mapping[str, FileVersion] = field(default_factory=dict)

    def with_versions(
        self, members: Iterator[Member | SkippedMember | OtherFile | _DataMember]
    ) -> Iterator[Member | SkippedMember | OtherFile | _DataMember]:
        """The same members; the versions of many are requested at once. What breaks the walk is raised in its place."""
        fault: SondeError | None = None
        while fault is None:
            batch: list[Member | SkippedMember | OtherFile | _DataMember] = []
            try:
                batch.extend(islice(members, _VERSIONS))
            except SondeError as error:  # what came before it is in the batch
                fault = error
            if not batch and fault is None:
                return
            origins = [str(member.file.path) for member in batch if isinstance(member, _DataMember)]
            self._known = self.memory.versions_of(origins) if self.memory is not None and origins else {}
            yield from batch
        raise fault

    def read(self, member: _DataMember, draft: _Draft) -> None:
        origin = str(member.file.path)
        if member.description is not None:
            draft.add(PassedOver(origin, DESCRIBED), member.position)
            return
        if missing_libraries():
            draft.add(PassedOver(origin, TO_INSTALL, native_id=member.name), member.position)
            return
        try:
            version = member.file.version
        except OSError as error:
            draft.add(SkippedMember(origin, f"it cannot be read: {error}", member.name), member.position)
            return
        known_version = self._known.get(origin)
        if known_version is not None and known_version.etag == version:
            draft.keep(known_version, member.position)
            return
        modified = iso_modified(member.file.path.stat().st_mtime)
        outcome = self.data.outcome(member.file, member.name, origin, modified)
        draft.add(outcome, member.position)
        if isinstance(outcome, RawRecord) and self.memory is not None:
            draft.visits.append(FileVersion(origin, self.memory.tag, (member.name,), version))

    def close(self) -> None:
        self.data.close()


@lru_cache(maxsize=4)
def _names_in(folder: Path, changed_ns: int) -> dict[str, str]:  # noqa: ARG001 - a change makes another key of the cache
    """By their lower case."""
    return {path.name.lower(): path.name for path in folder.iterdir()}


def _is_data_entry(entry: os.DirEntry[str]) -> bool:
    return is_data(entry.name) or entry.is_dir(follow_symlinks=False)


def _is_zarr(folder: Path) -> bool:
    """By its suffix, else by the metadata at its top."""
    return folder.suffix.lower() == ZARR or is_store(name for name in ZARR_MARKS if (folder / name).is_file())


def _file_member(path: Path, name: str) -> Member | SkippedMember:
    try:
        status = path.stat()
    except OSError as error:
        return SkippedMember(str(path), f"it cannot be read: {error}")

    def read(limit: int) -> bytes:
        try:
            with path.open("rb") as stream:
                return stream.read(limit)
        except OSError as error:
            raise MemberBroken(str(error)) from error

    return Member(name, name, status.st_size, iso_modified(status.st_mtime), read)


def _name_text(name: str) -> str:
    """A file name as text that is valid in JSON and UTF-8, whatever bytes it has on disk."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
