"""Files asked for with what their last answer said of their version: one that has not changed is not sent again.

RFC 9110, 8.8 and 13.1: If-None-Match with the ETag, If-Modified-Since with the Last-Modified; 304: it is as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Generic, TypeVar

from core.errors import SondeError
from indexer.raw import FileVersion, VersionStore
from indexer.sources.fetching import Fetcher
from net.exchange import Answer, Outgoing

T = TypeVar("T")

_LONGEST_VALIDATOR = 500
_TOO_YOUNG_S = 2.0
"""A file that was changed this shortly before the answer may change again within the same second of its time stamp."""


@dataclass(frozen=True, slots=True)
class Sent(Generic[T]):
    """A file that was sent, as it was parsed. ``visit``: its version, where the server said one."""

    content: T
    etag: str | None
    last_modified: str | None

    def visit(
        self, url: str, tag: str, natives: Iterable[str] = (), note: str | None = None
    ) -> tuple[FileVersion, ...]:
        """What to remember, nothing where the server tells no version."""
        if self.etag is None and self.last_modified is None:
            return ()
        return (FileVersion(url, tag, tuple(natives), self.etag, self.last_modified, note),)


@dataclass(frozen=True, slots=True)
class Revisiting:
    """Files of one source. Where its fetcher has no memory everything is fetched, and nothing noted."""

    fetcher: Fetcher

    @property
    def memory(self) -> VersionStore | None:
        return self.fetcher.memory

    def known(self, urls: Sequence[str]) -> Mapping[str, FileVersion]:
        return self.memory.known(urls) if self.memory is not None else {}

    def get(
        self, url: str, parse: Callable[[Answer], T], visit: FileVersion | None = None, accept: str = "*/*"
    ) -> Sent[T] | FileVersion:
        """What ``parse`` makes of the file; the visit itself where the server says that it is as it was then.

        A 304 that nobody asked for is ``parse``'s, which refuses it. Raises what Fetcher.read raises.
        """

        def look(answer: Answer) -> Sent[T] | FileVersion:
            if answer.status == 304 and visit is not None:
                return visit
            return Sent(parse(answer), *validators(answer.headers))

        return self.fetcher.read(Outgoing(url, headers={"accept": accept, **conditions(visit)}), look)

    def each(
        self, urls: Sequence[str], parse: Callable[[Answer], T]
    ) -> Iterator[tuple[str, Sent[T] | FileVersion | SondeError]]:
        """Several at a time, in the order of ``urls``, as Fetcher.each."""
        known = self.known(urls)
        return self.fetcher.each_by(urls, lambda url: self.get(url, parse, known.get(url)))

    def noted(
        self, url: str, sent: Sent[T], natives: Iterable[str] = (), note: str | None = None
    ) -> tuple[FileVersion, ...]:
        """What to hand on for the next run."""
        return sent.visit(url, self.memory.tag, natives, note) if self.memory is not None else ()


def conditions(visit: FileVersion | None) -> dict[str, str]:
    """The headers that ask for the file only if it is another."""
    given = {} if visit is None else {"if-none-match": visit.etag, "if-modified-since": visit.last_modified}
    return {name: value for name, value in given.items() if value is not None}


def validators(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """ETag and Last-Modified where they are of use: short, printable, and the time old enough to tell two versions."""
    etag, modified = (_usable(headers.get(name)) for name in ("etag", "last-modified"))
    return etag, modified if modified is not None and _is_settled(modified, headers.get("date")) else None


def _usable(value: str | None) -> str | None:
    return value if value and len(value) <= _LONGEST_VALIDATOR and value.isascii() and value.isprintable() else None


def _is_settled(modified: str, sent: str | None) -> bool:
    then, now = _moment(modified), _moment(sent)
    return then is not None and (now is None or (now - then).total_seconds() >= _TOO_YOUNG_S)


def _moment(text: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(text) if text else None
    except ValueError:
        return None
