"""Listings that state their number of records, read until that many different records have come."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import structlog

from indexer.raw import RawPage, RawRecord, SkippedMember, skipped_id
from indexer.sources.fetching import BadAnswer
from indexer.sources.members import SourceBroken

log = structlog.get_logger(__name__)

_WALKS = 3
_ASKED_AGAIN = 3  # a doubtful answer repeated this often for one offset is accepted
_REPEATED_PAGES = 5


@dataclass(frozen=True, slots=True)
class CountedPage:
    """The answer for one offset. ``matched``: the total that the server states; ``following``: the next offset.

    ``following`` None: directly after these records.
    """

    records: tuple[RawRecord, ...]
    matched: int
    following: int | None = None
    skipped: tuple[SkippedMember, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def ids(self) -> set[bytes]:
        """Of everything that the server counts: records, deleted ones, and members without an id."""
        nameless_keys = {
            _key(skipped_id(skipped_member.origin))
            for skipped_member in self.skipped
            if skipped_member.container is not None
        }
        return {_key(record.native_id) for record in self.records} | {_key(id) for id in self.deleted} | nameless_keys


Ask = Callable[[int, Callable[[CountedPage], CountedPage]], CountedPage]
"""Asks for the records from an offset (the first is 0) and passes each answer through a check that may raise
BadAnswer, which is worth another try."""


@dataclass(slots=True)
class CountedWalk:
    """Pages of an offset-based listing of ``size`` records to a page.

    A page that repeats known records, or is empty before the end, is requested again; the server's next offset is used
    only if it moves forward and skips nothing. If a walk ends below the count, the listing is walked again (records are
    added and removed while it is read). The last page carries the count, so that a run that saw fewer is incomplete.
    ``tolerated_count``: the number of records that the server may count and never return.
    ``may_be_empty``: zero records are accepted at once.
    ``beyond`` requests once what may follow the count; None: nothing. It detects a server whose count is too low, if
    its last page was full.
    """

    name: str
    ask: Ask
    size: int
    tolerated_count: int = 0
    may_be_empty: bool = False
    beyond: Callable[[int], CountedPage | None] | None = None
    _seen_keys: set[bytes] = field(default_factory=set)
    _count_before: int = 0  # distinct records of earlier slices
    _nameless: int = 0  # records that the server cannot return: their ids are unknown, so nothing may be swept
    _doubts: int = 0
    _repeated_count: int = 0
    _largest: int = 0  # page so far
    _empty: set[int] = field(default_factory=set)  # offsets at which the server repeatedly returns nothing

    def pages(self, position: str | None) -> Iterator[RawPage]:
        """Raises BadAnswer and SourceBroken if the server keeps sending wrong pages."""
        offset, walk = self._begin(position)
        while True:
            match_count = yield from self._walk(offset, walk)
            missing_count = match_count - self.tolerated_count - self._count_before - len(self._seen_keys)
            if missing_count <= 0 or walk >= _WALKS:
                yield RawPage(
                    (), total=match_count, matched=max(match_count - self.tolerated_count, 0) + self._nameless
                )
                return
            walk, offset, self._nameless = walk + 1, 0, 0
            log.info("source.short", source=self.name, missing=missing_count, walk=walk)

    def _begin(self, position: str | None) -> tuple[int, int]:
        if position is None:
            return 0, 1
        position_json = json.loads(position)
        self._count_before, self._nameless = int(position_json["seen"]), int(position_json["nameless"])
        return int(position_json["offset"]), int(position_json["walk"])

    def _walk(self, offset: int, walk: int) -> Generator[RawPage, None, int]:
        match_count, known_keys, further = 0, set[bytes](), None
        while True:
            answer_page = further or self._ask_checked(offset, match_count, known_keys)
            match_count = max(answer_page.matched, offset + len(answer_page.ids))
            known_keys |= answer_page.ids
            self._largest = max(self._largest, len(answer_page.ids))
            self._seen_keys |= answer_page.ids
            self._nameless += sum(skipped_member.container is None for skipped_member in answer_page.skipped)
            offset = self._next_offset(offset, answer_page)
            position = self._position(offset, walk)
            if answer_page.records or answer_page.skipped or answer_page.deleted:
                yield RawPage(answer_page.records, position, match_count, answer_page.skipped, answer_page.deleted)
            if (
                offset >= match_count
                and (further := self._beyond_stated_number(offset, answer_page, known_keys)) is None
            ):
                return match_count

    def _beyond_stated_number(self, offset: int, last: CountedPage, known_keys: set[bytes]) -> CountedPage | None:
        """New records after the count; None if the server has no more."""
        goes_on = last.following is not None and last.following >= offset
        if self.beyond is None or not last.ids or not (goes_on or len(last.ids) >= min(self.size, self._largest)):
            return None
        answer_page = self.beyond(offset)
        if answer_page is None or answer_page.ids <= known_keys:
            return None
        log.info("source.counts_too_few", source=self.name, counted=answer_page.matched, offset=offset)
        return answer_page

    def _position(self, offset: int, walk: int) -> str:
        seen_count = self._count_before + len(self._seen_keys)
        return json.dumps({"offset": offset, "seen": seen_count, "walk": walk, "nameless": self._nameless})

    def _ask_checked(self, offset: int, match_count: int, known_keys: set[bytes]) -> CountedPage:
        self._doubts = 0

        def check(answer_page: CountedPage) -> CountedPage:
            doubt = self._reason_to_ask_again(answer_page, offset, match_count, known_keys)
            self._doubts += 1
            if doubt is not None and self._doubts < _ASKED_AGAIN:
                raise BadAnswer(f"{self.name} {doubt}")
            return answer_page

        answer_page = self.ask(offset, check)
        if not answer_page.ids and not answer_page.skipped:
            self._empty.add(offset)
        if answer_page.ids and answer_page.ids <= known_keys:
            self._repeated_count += 1
        if self._repeated_count > _REPEATED_PAGES:
            raise SourceBroken(f"{self.name} sends the same page again and again, whatever is asked for")
        return answer_page

    def _reason_to_ask_again(
        self, answer_page: CountedPage, offset: int, match_count: int, known_keys: set[bytes]
    ) -> str | None:
        """Why an answer is requested again; None if it is plausible."""
        is_confirmed = not self._empty.isdisjoint((offset, offset - self.size))
        if (
            not answer_page.ids
            and not answer_page.skipped
            and not is_confirmed
            and offset < max(answer_page.matched, match_count)
        ):
            return f"sent no records from {offset} on, though it holds {max(answer_page.matched, match_count)}"
        if not answer_page.ids and not answer_page.skipped and not self.may_be_empty and offset == 0:
            return "says that it holds no records"
        if answer_page.ids and answer_page.ids <= known_keys:
            return f"sent a page again instead of the records from {offset} on"
        return None

    def _next_offset(self, offset: int, answer_page: CountedPage) -> int:
        given_count = len(answer_page.records) + len(answer_page.skipped) + len(answer_page.deleted)
        next_offset = offset + (given_count or self.size)  # where there was nothing, do not ask again
        if answer_page.following is not None and next_offset < answer_page.following <= offset + self.size:
            return answer_page.following  # the server omits what it cannot return
        return next_offset


def _key(id: str) -> bytes:
    return blake2b(id.encode(), digest_size=12).digest()
