"""Listings whose pages link to the next one: OGC API, STAC API, DataCite, InvenioRDM, hydra."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from urllib.parse import urljoin, urlsplit

from core.errors import SondeError
from core.json_types import Json
from indexer.formats.json_documents.parsing import describe_member
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, Skipped, skipped_id
from indexer.sources.fetching import BadAnswer, Fetcher
from indexer.sources.members import SourceBroken
from net.exchange import HttpAnswer
from net.targets import address_of

_ASKED_AGAIN = 3  # a doubtful answer repeated this often is accepted


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """One page. ``next``: the following page's address as written; ``matched``: how many records all pages hold."""

    records: tuple[RawRecord, ...]
    next: str | None = None
    matched: int | None = None
    skipped: tuple[Skipped, ...] = ()

    @property
    def ids(self) -> set[str]:
        """Of records and of members that cannot be read, because servers count both."""
        return {record.native_id for record in self.records} | {skipped_id(one.origin) for one in self.skipped}


@dataclass(frozen=True, slots=True)
class Part:
    """A listing by its first page; ``accept`` is the media type to request."""

    url: str
    parse: Callable[[HttpAnswer], LinkedPage]
    accept: str = "application/json"


@dataclass(slots=True)
class LinkedWalk:
    """Reads one listing after the other. Asks again for repeated and empty pages, and reports links in a circle.

    ``may_be_empty``: an answer without records is accepted at once. A position holds the part, the next page, and the
    number of records before it.
    """

    fetcher: Fetcher
    parts: Sequence[Part]
    may_be_empty: bool = False
    _seen: int = 0  # distinct records of the part so far
    _matched: int = 0
    _sure: bool = True
    _known: set[str] = field(default_factory=set)

    def pages(self, position: str | None) -> Iterator[RawPage]:
        """Raises SourceBroken if links lead in a circle, NothingToHarvest for an empty part, and fetcher's errors."""
        stored = json.loads(position) if position else {}
        first = int(stored.get("part", 0))
        self._matched, self._sure = int(stored.get("matched", 0)), bool(stored.get("sure", True))
        for index in range(first, len(self.parts)):
            here = stored if index == first else {}
            self._seen = int(here.get("seen", 0))
            yield from self._of_part(index, here.get("next") or self.parts[index].url)
        if self._sure and self._matched:
            yield RawPage((), total=self._matched, matched=self._matched)

    def _of_part(self, index: int, url: str) -> Iterator[RawPage]:
        self._known.clear()
        visited: set[str] = set()
        while True:
            if url in visited:
                raise SourceBroken(f"{self.fetcher.source}: the next links lead in a circle")
            visited.add(url)
            leaf = self._linked_page(self.parts[index], url)
            ids = leaf.ids
            self._seen += len(ids - self._known)
            self._known |= ids
            following = rebased(urljoin(url, leaf.next), self.fetcher.url) if leaf.next and ids else None
            if following is None:
                if not self._seen and not self.may_be_empty:
                    raise NothingToHarvest(f"{address_of(url)} gives no records")
                self._count(leaf)
            position = self._position(index, following)
            if ids:
                total = leaf.matched if len(self.parts) == 1 else None
                yield RawPage(leaf.records, position, total, leaf.skipped)
            if following is None:
                return
            url = following

    def _linked_page(self, part: Part, url: str) -> LinkedPage:
        doubts = 0

        def checked(answer: HttpAnswer) -> LinkedPage:
            nonlocal doubts
            leaf = part.parse(answer)
            doubt = self._doubt(leaf)
            doubts += 1
            if doubt is not None and doubts < _ASKED_AGAIN:
                raise BadAnswer(f"{self.fetcher.source} {doubt}")
            return leaf

        return self.fetcher.get(url, checked, accept=part.accept)

    def _doubt(self, leaf: LinkedPage) -> str | None:
        """Why an answer is requested again; None if it is plausible."""
        ids = leaf.ids
        if ids and ids <= self._known:
            return "sent a page again instead of the next"
        if not ids and not self._seen and not self.may_be_empty and not leaf.matched:
            return "says that it holds no records"
        ends = not ids or leaf.next is None
        if ends and leaf.matched is not None and self._seen + len(ids - self._known) < leaf.matched:
            return f"ends before its {leaf.matched} records were given"
        return None

    def _count(self, leaf: LinkedPage) -> None:
        if leaf.matched is None:
            self._sure = False
        else:
            self._matched += leaf.matched

    def _position(self, index: int, following: str | None) -> str:
        counted = {"matched": self._matched, "sure": self._sure}
        if following is None:
            return json.dumps({"part": index + 1, **counted})
        return json.dumps({"part": index, "next": following, "seen": self._seen, **counted})


def rebased(link: str, url: str) -> str:
    """Moves a link that a server behind a proxy wrote with its inner address to the requested address.

    Only if both paths begin alike; another link is unchanged (the gate decides whether it may be followed).
    """
    given, own = urlsplit(link), urlsplit(url)
    first = own.path.strip("/").partition("/")[0]
    if given[:2] == own[:2] or (first and given.path.strip("/").partition("/")[0] != first):
        return link
    return given._replace(scheme=own.scheme, netloc=own.netloc).geturl()


def next_link(links: object) -> str | None:
    """The ``next`` of an array of link objects."""
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and link.get("rel") == "next" and isinstance(link.get("href"), str):
            return str(link["href"])
    return None


def joined(base: str, path: str) -> str:
    """``path`` below ``base``, with one slash between them and without the query of ``base``."""
    return f"{base.partition('?')[0].rstrip('/')}/{path.lstrip('/')}"


def number_or_none(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class NothingToHarvest(SondeError):
    """The server offers none of what this source type reads."""


def with_id(listed: list[object], url: str, name: str = "id", first: int = 1) -> tuple[list[Json], tuple[Skipped, ...]]:
    """The objects that have a member ``name`` (empty: all objects), and each other member with its place.

    Nobody can tell which record such a member was, so that no record of the source counts as removed meanwhile.
    ``first`` is the number of the first member.
    """
    named: list[Json] = []
    others: list[Skipped] = []
    for number, one in enumerate(listed, first):
        if isinstance(one, dict) and one and (not name or one.get(name)):
            named.append(one)
            continue
        reason = f"it has no {name}" if isinstance(one, dict) and one else describe_member(one)
        others.append(Skipped(f"{_page(url)}#entry {number}", reason, container=WHOLE_SOURCE))
    return named, tuple(others)


def _page(url: str) -> str:
    """The address without its query, which may hold a secret; a short hash tells the pages of a listing apart."""
    bare, _, query = url.partition("?")
    return f"{bare} (page {blake2b(query.encode(), digest_size=3).hexdigest()})" if query else bare
