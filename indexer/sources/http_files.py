"""Data files behind HTTP, read by ranges where the server sends them (RFC 9110, 14), else as a whole within a limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import quote

from indexer.data_files.containers import ZARR_MARKS, is_metadata_key
from indexer.data_files.messages import FileFault
from indexer.raw import FileVersion
from indexer.sources.fetching import Fetcher, expect_2xx
from indexer.sources.revisited_files import conditions, validators
from net.errors import Refused
from net.exchange import HttpAnswer, Outgoing
from net.targets import address_of

_BLOCK = 256 << 10
_MOST_WHOLE = 64 << 20
_CONTENT_RANGE = re.compile(r"bytes (?P<first>\d+)-(?P<last>\d+)/(?P<size>\d+)")
_ABSENT = frozenset({403, 404, 410})  # S3 answers 403 for a missing key that may not be listed


@dataclass(frozen=True, slots=True)
class HttpVersion:
    """``key``: of which part of a Zarr store."""

    etag: str | None = None
    last_modified: str | None = None
    key: str | None = None


@dataclass(slots=True)
class HttpFile:
    """``start``: its first bytes, or all of it from a server that sends no parts."""

    fetcher: Fetcher
    url: str
    name: str
    size: int | None
    start: bytes
    version: HttpVersion
    block: int = _BLOCK

    def keys(self) -> list[str] | None:
        return None

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:  # noqa: ARG002 - it has no keys
        """Raises FileFault if the file changed meanwhile, and what Fetcher.read raises."""
        end = (self.size or 0) if length is None else min(self.size or 0, offset + length)
        if end <= len(self.start):
            return self.start[offset:end]
        part = self.fetcher.read(_part(self.url, offset, end), _sent_part)
        if part.first != offset or part.size != self.size or part.version.etag != self.version.etag:
            raise FileFault("it changed while it was read")
        return part.content


@dataclass(frozen=True, slots=True)
class _Part:
    """``first`` is 0 and ``size`` the length of a whole file."""

    content: bytes
    first: int
    size: int
    version: HttpVersion


def open_file(fetcher: Fetcher, url: str, name: str, known_version: FileVersion | None) -> HttpFile | FileVersion:
    """The file with its first block; ``known_version`` itself if the server reports no change.

    Raises FileFault for a large file of a server that sends no parts, and what Fetcher.read raises.
    """

    def look(answer: HttpAnswer) -> _Part | FileVersion:
        return known_version if answer.status == 304 and known_version is not None else _sent_part(answer)

    request = _part(url, 0, _BLOCK, conditions(known_version))
    try:
        part = fetcher.read(request, look)
    except Refused as error:
        raise FileFault(f"the server sends no parts of it, only the whole file: {error}") from None
    if isinstance(part, FileVersion):
        return part
    return HttpFile(fetcher, url, name, part.size, part.content, part.version)


def is_unchanged(fetcher: Fetcher, known_version: FileVersion) -> bool:
    """Whether the metadata at the top of a Zarr store are those of the last run. Raises what Fetcher.read raises."""
    headers = conditions(known_version)
    request = Outgoing(f"{known_version.url}{known_version.note or ''}", headers=headers, max_bytes=_MOST_WHOLE)
    return bool(known_version.note and headers) and fetcher.read(request, lambda answer: answer.status == 304)


def _part(url: str, start: int, end: int, headers: dict[str, str] | None = None) -> Outgoing:
    """``accept-encoding``: a range of a compressed answer would be another part of the file."""
    wanted = {"range": f"bytes={start}-{end - 1}", "accept-encoding": "identity", **(headers or {})}
    return Outgoing(url, headers=wanted, max_bytes=max(_MOST_WHOLE, end - start))


def _sent_part(answer: HttpAnswer) -> _Part:
    if answer.status == 416:  # of an empty file there is no first byte
        return _Part(b"", 0, 0, HttpVersion())
    expect_2xx(answer)
    version = HttpVersion(*validators(answer.headers))
    if answer.status != 206:
        return _Part(answer.content, 0, len(answer.content), version)
    match = _CONTENT_RANGE.fullmatch(answer.headers.get("content-range", "").strip())
    if match is None or int(match["last"]) - int(match["first"]) + 1 != len(answer.content):
        raise FileFault(f"{address_of(answer.url)} sent a part of the file without saying which")
    return _Part(answer.content, int(match["first"]), int(match["size"]), version)


@dataclass(slots=True)
class HttpStore:
    """A Zarr store; ``listed_keys`` lists its metadata. ``version``: that of the metadata at its top."""

    fetcher: Fetcher
    url: str
    name: str
    listed_keys: Callable[[], list[str]]
    size: int | None = None
    block: int = _BLOCK
    version: HttpVersion = field(default_factory=HttpVersion)
    _parts: dict[str, bytes | None] = field(default_factory=dict)

    def keys(self) -> list[str] | None:
        return self.listed_keys()

    def read(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Metadata are requested once, chunks as a whole: they are small beside the cost of a request."""
        if key not in self._parts or not is_metadata_key(key):
            self._parts[key] = self._fetched(key)
        content = self._parts[key]
        return None if content is None else content[offset:][:length]

    def _fetched(self, key: str) -> bytes | None:
        request = Outgoing(f"{self.url}{quote(key)}", max_bytes=_MOST_WHOLE)
        part = self.fetcher.read(request, lambda answer: None if answer.status in _ABSENT else _sent_part(answer))
        if part is not None and self.version.key is None and key in ZARR_MARKS:
            self.version = HttpVersion(part.version.etag, part.version.last_modified, key)
        return None if part is None else part.content
