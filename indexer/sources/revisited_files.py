"""Requests a file with the version of its last answer, so that the server does not send an unchanged file again.

RFC 9110, 8.8 and 13.1: If-None-Match with the ETag, If-Modified-Since with Last-Modified; 304 means unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.errors import SondeError
from indexer.raw import FileVersion, VersionStore
from indexer.sources.fetching import Fetcher
from indexer.sources.politeness import http_moment
from net.exchange import HttpAnswer, Outgoing

T = TypeVar("T")

_LONGEST_VALIDATOR = 500
_TOO_YOUNG_S = 2.0
"""A file changed this shortly before the answer may change again within the same second of its time stamp."""


@dataclass(frozen=True, slots=True)
class SentFile(Generic[T]):
    """A parsed file, and the version that the server gave."""

    content: T
    etag: str | None
    last_modified: str | None

    def versions(
        self, url: str, tag: str, native_ids: Iterable[str] = (), note: str | None = None
    ) -> tuple[FileVersion, ...]:
        """The version to store, with the records that were read from the file; nothing if the server states none."""
        if self.etag is None and self.last_modified is None:
            return ()
        return (FileVersion(url, tag, tuple(native_ids), self.etag, self.last_modified, note),)


@dataclass(frozen=True, slots=True)
class RevisitedFiles:
    """Files of one source. Without a store of versions, every file is fetched and nothing is stored."""

    fetcher: Fetcher

    @property
    def memory(self) -> VersionStore | None:
        return self.fetcher.memory

    def versions_of(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        return self.memory.versions_of(urls) if self.memory is not None else {}

    def get(
        self, url: str, parse: Callable[[HttpAnswer], T], known_version: FileVersion | None = None, accept: str = "*/*"
    ) -> SentFile[T] | FileVersion:
        """The result of ``parse`` for the file; ``known_version`` itself if the server reports no change.

        An unrequested 304 goes to ``parse``, which refuses it. Raises what Fetcher.read raises.
        """

        def look(answer: HttpAnswer) -> SentFile[T] | FileVersion:
            if answer.status == 304 and known_version is not None:
                return known_version
            return SentFile(parse(answer), *validators(answer.headers))

        return self.fetcher.read(Outgoing(url, headers={"accept": accept, **conditions(known_version)}), look)

    def fetch_each(
        self, urls: Sequence[str], parse: Callable[[HttpAnswer], T]
    ) -> Iterator[tuple[str, SentFile[T] | FileVersion | SondeError]]:
        """Several in parallel, in the order of ``urls``, as Fetcher.fetch_each."""
        known_versions = self.versions_of(urls)
        return self.fetcher.fetch_each_with(urls, lambda url: self.get(url, parse, known_versions.get(url)))

    def versions_to_store(
        self, url: str, sent_file: SentFile[T], native_ids: Iterable[str] = (), note: str | None = None
    ) -> tuple[FileVersion, ...]:
        """The versions to store for the next run."""
        return sent_file.versions(url, self.memory.tag, native_ids, note) if self.memory is not None else ()


def conditions(known_version: FileVersion | None) -> dict[str, str]:
    """Headers that request the file only if it has changed."""
    if known_version is None:
        return {}
    headers = {"if-none-match": known_version.etag, "if-modified-since": known_version.last_modified}
    return {name: value for name, value in headers.items() if value is not None}


def validators(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """ETag and Last-Modified if usable: short, printable, and the time old enough to distinguish two versions."""
    etag, modified = (_usable(headers.get(name)) for name in ("etag", "last-modified"))
    return etag, modified if modified is not None and _is_settled(modified, headers.get("date")) else None


def _usable(value: str | None) -> str | None:
    return value if value and len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable() else None


def _is_settled(modified: str, sent_at: str | None) -> bool:
    modified_at, now = http_moment(modified), http_moment(sent_at)
    return modified_at is not None and (now is None or (now - modified_at).total_seconds() >= _TOO_YOUNG_S)
