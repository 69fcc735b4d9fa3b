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
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember, skipped_id
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
    skipped: tuple[SkippedMember, ...] = ()

    @property
    def ids(self) -> set[str]:
        """Of records and of members that cannot be read, because servers count both."""
        return {record.native_id for record in self.records} | {
            skipped_id(skipped_member.origin) for skipped_member in self.skipped
        }


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
    _seen_count: int = 0  # distinct records of the part so far
    _match_count: int = 0
    _sure: bool = True
    _known_ids: set[str] = field(default_factory=set)

    def pages(self, position: str | None) -> Iterator[RawPage]:
        """Raises SourceBroken if links lead in a circle, NothingToHarvest for an empty part, and fetcher's errors."""
        position_json = json.loads(position) if position else {}
        first = int(position_json.get("part", 0))
        self._match_count, self._sure = int(position_json.get("matched", 0)), bool(position_json.get("sure", True))
        for index in range(first, len(self.parts)):
            part_position = position_json if index == first else {}
            self._seen_count = int(part_position.get("seen", 0))
            yield from self._pages_of_part(index, part_position.get("next") or self.parts[index].url)
        if self._sure and self._match_count:
            yield RawPage((), total=self._match_count, matched=self._match_count)

    def _pages_of_part(self, index: int, url: str) -> Iterator[RawPage]:
        self._known_ids.clear()
        visited_urls: set[str] = set()
        while True:
            if url in visited_urls:
                raise SourceBroken(f"{self.fetcher.source}: the next links lead in a circle")
            visited_urls.add(url)
            linked_page = self._linked_page(self.parts[index], url)
            ids = linked_page.ids
            self._seen_count += len(ids - self._known_ids)
            self._known_ids |= ids
            next_url = rebase(urljoin(url, linked_page.next), self.fetcher.url) if linked_page.next and ids else None
            if next_url is None:
                if not self._seen_count and not self.may_be_empty:
                    raise NothingToHarvest(f"{address_of(url)} gives no records")
                self._count(linked_page)
            position = self._position(index, next_url)
            if ids:
                total = linked_page.matched if len(self.parts) == 1 else None
                yield RawPage(linked_page.records, position, total, linked_page.skipped)
            if next_url is None:
                return
            url = next_url

    def _linked_page(self, part: Part, url: str) -> LinkedPage:
        doubts = 0

        def check_page(answer: HttpAnswer) -> LinkedPage:
            nonlocal doubts
            linked_page = part.parse(answer)
            doubt = self._reason_to_ask_again(linked_page)
            doubts += 1
            if doubt is not None and doubts < _ASKED_AGAIN:
                raise BadAnswer(f"{self.fetcher.source} {doubt}")
            return linked_page

        return self.fetcher.get(url, check_page, accept=part.accept)

    def _reason_to_ask_again(self, linked_page: LinkedPage) -> str | None:
        """Why an answer is requested again; None if it is plausible."""
        ids = linked_page.ids
        if ids and ids <= self._known_ids:
            return "sent a page again instead of the next"
        if not ids and not self._seen_count and not self.may_be_empty and not linked_page.matched:
            return "says that it holds no records"
        ends = not ids or linked_page.next is None
        if (
            ends
            and linked_page.matched is not None
            and self._seen_count + len(ids - self._known_ids) < linked_page.matched
        ):
            return f"ends before its {linked_page.matched} records were given"
        return None

    def _count(self, linked_page: LinkedPage) -> None:
        if linked_page.matched is None:
            self._sure = False
        else:
            self._match_count += linked_page.matched

    def _position(self, index: int, next_url: str | None) -> str:
        count_fields = {"matched": self._match_count, "sure": self._sure}
        if next_url is None:
            return json.dumps({"part": index + 1, **count_fields})
        return json.dumps({"part": index, "next": next_url, "seen": self._seen_count, **count_fields})


def rebase(link: str, url: str) -> str:
    """Moves a link that a server behind a proxy wrote with its inner address to the requested address.

    Only if both paths begin alike; another link is unchanged (the gate decides whether it may be followed).
    """
    given_parts, own_parts = urlsplit(link), urlsplit(url)
    first = own_parts.path.strip("/").partition("/")[0]
    if given_parts[:2] == own_parts[:2] or (first and given_parts.path.strip("/").partition("/")[0] != first):
        return link
    return given_parts._replace(scheme=own_parts.scheme, netloc=own_parts.netloc).geturl()


def next_link(links: object) -> str | None:
    """The ``next`` of an array of link objects."""
    for link in links if isinstance(links, list) else ():
        if isinstance(link, dict) and link.get("rel") == "next" and isinstance(link.get("href"), str):
            return str(link["href"])
    return None


def join_path(base: str, path: str) -> str:
    """``path`` below ``base``, with one slash between them and without the query of ``base``."""
    return f"{base.partition('?')[0].rstrip('/')}/{path.lstrip('/')}"


def number_or_none(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class NothingToHarvest(SondeError):
    """The server offers none of what this source type reads."""


def with_id(
    items: list[object], url: str, name: str = "id", first: int = 1
) -> tuple[list[Json], tuple[SkippedMember, ...]]:
    """The objects that have a member ``name`` (empty: all objects), and each other member with its place.

    Nobody can tell which record such a member was, so that no record of the source counts as removed meanwhile.
    ``first`` is the number of the first member.
    """
    objects: list[Json] = []
    skipped_members: list[SkippedMember] = []
    for number, item in enumerate(items, first):
        if isinstance(item, dict) and item and (not name or item.get(name)):
            objects.append(item)
            continue
        reason = f"it has no {name}" if isinstance(item, dict) and item else describe_member(item)
        skipped_members.append(SkippedMember(f"{_page(url)}#entry {number}", reason, container=WHOLE_SOURCE))
    return objects, tuple(skipped_members)


def _page(url: str) -> str:
    """The address without its query, which may hold a secret; a short hash tells the pages of a listing apart."""
    bare_url, _, query = url.partition("?")
    return f"{bare_url} (page {blake2b(query.encode(), digest_size=3).hexdigest()})" if query else bare_url
