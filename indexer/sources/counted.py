"""Listings that state their number of records, read until that many different records have come."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import structlog

from indexer.raw import RawPage, RawRecord, Skipped, skipped_id
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
    skipped: tuple[Skipped, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def ids(self) -> set[bytes]:
        """Of everything that the server counts: records, deleted ones, and members without an id."""
        unnamed = {_key(skipped_id(one.origin)) for one in self.skipped if one.container is not None}
        return {_key(record.native_id) for record in self.records} | {_key(id) for id in self.deleted} | unnamed


Ask = Callable[[int, Callable[[CountedPage], CountedPage]], CountedPage]
"""Asks for the records from an offset (the first is 0) and passes each answer through a check that may raise
BadAnswer, which is worth another try."""


@dataclass(slots=True)
class CountedWalk:
    """Pages of an offset-based listing of ``size`` records to a page.

    A page that repeats known records, or is empty before the end, is requested again; the server's next offset is used
    only if it moves forward and skips nothing. If a walk ends below the count, the listing is walked again (records are
    added and removed while it is read). The last page carries the count, so that a run that saw fewer is incomplete.
    ``tolerated``: the number of records that the server may count and never return. ``may_be_empty``: zero records are
    accepted at once. ``beyond`` requests once what may follow the count, None for nothing: it detects a server whose
    count is too low, if its last page was full.
    """

    name: str
    ask: Ask
    size: int
    tolerated: int = 0
    may_be_empty: bool = False
    beyond: Callable[[int], CountedPage | None] | None = None
    _seen: set[bytes] = field(default_factory=set)
    _before: int = 0  # distinct records of earlier slices
    _nameless: int = 0  # records that the server cannot return: their ids are unknown, so nothing may be swept
    _doubts: int = 0
    _repeated: int = 0
    _largest: int = 0  # page so far
    _empty: set[int] = field(default_factory=set)  # offsets at which the server repeatedly returns nothing

    def pages(self, position: str | None) -> Iterator[RawPage]:
        """Raises BadAnswer and SourceBroken if the server keeps sending wrong pages."""
        offset, walk = self._begin(position)
        while True:
            matched = yield from self._walk(offset, walk)
            short = matched - self.tolerated - self._before - len(self._seen)
            if short <= 0 or walk >= _WALKS:
                yield RawPage((), total=matched, matched=max(matched - self.tolerated, 0) + self._nameless)
                return
            walk, offset, self._nameless = walk + 1, 0, 0
            log.info("source.short", source=self.name, missing=short, walk=walk)

    def _begin(self, position: str | None) -> tuple[int, int]:
        if position is None:
            return 0, 1
        stored = json.loads(position)
        self._before, self._nameless = int(stored["seen"]), int(stored["nameless"])
        return int(stored["offset"]), int(stored["walk"])

    def _walk(self, offset: int, walk: int) -> Generator[RawPage, None, int]:
        matched, known, further = 0, set[bytes](), None
        while True:
            slab = further or self._asked(offset, matched, known)
            matched = max(slab.matched, offset + len(slab.ids))
            known |= slab.ids
            self._largest = max(self._largest, len(slab.ids))
            self._seen |= slab.ids
            self._nameless += sum(one.container is None for one in slab.skipped)
            offset = self._next(offset, slab)
            position = self._position(offset, walk)
            if slab.records or slab.skipped or slab.deleted:
                yield RawPage(slab.records, position, matched, slab.skipped, slab.deleted)
            if offset >= matched and (further := self._further(offset, slab, known)) is None:
                return matched

    def _further(self, offset: int, last: CountedPage, known: set[bytes]) -> CountedPage | None:
        """New records after the count; None if the server has no more."""
        goes_on = last.following is not None and last.following >= offset
        if self.beyond is None or not last.ids or not (goes_on or len(last.ids) >= min(self.size, self._largest)):
            return None
        slab = self.beyond(offset)
        if slab is None or slab.ids <= known:
            return None
        log.info("source.counts_too_few", source=self.name, counted=slab.matched, offset=offset)
        return slab

    def _position(self, offset: int, walk: int) -> str:
        seen = self._before + len(self._seen)
        return json.dumps({"offset": offset, "seen": seen, "walk": walk, "nameless": self._nameless})

    def _asked(self, offset: int, matched: int, known: set[bytes]) -> CountedPage:
        self._doubts = 0

        def check(slab: CountedPage) -> CountedPage:
            doubt = self._doubt(slab, offset, matched, known)
            self._doubts += 1
            if doubt is not None and self._doubts < _ASKED_AGAIN:
                raise BadAnswer(f"{self.name} {doubt}")
            return slab

        slab = self.ask(offset, check)
        if not slab.ids and not slab.skipped:
            self._empty.add(offset)
        if slab.ids and slab.ids <= known:
            self._repeated += 1
        if self._repeated > _REPEATED_PAGES:
            raise SourceBroken(f"{self.name} sends the same page again and again, whatever is asked for")
        return slab

    def _doubt(self, slab: CountedPage, offset: int, matched: int, known: set[bytes]) -> str | None:
        """Why an answer is requested again; None if it is plausible."""
        confirmed = not self._empty.isdisjoint((offset, offset - self.size))
        if not slab.ids and not slab.skipped and not confirmed and offset < max(slab.matched, matched):
            return f"sent no records from {offset} on, though it holds {max(slab.matched, matched)}"
        if not slab.ids and not slab.skipped and not self.may_be_empty and offset == 0:
            return "says that it holds no records"
        if slab.ids and slab.ids <= known:
            return f"sent a page again instead of the records from {offset} on"
        return None

    def _next(self, offset: int, slab: CountedPage) -> int:
        given = len(slab.records) + len(slab.skipped) + len(slab.deleted)
        next_offset = offset + (given or self.size)  # where there was nothing, do not ask again
        if slab.following is not None and next_offset < slab.following <= offset + self.size:
            return slab.following  # the server omits what it cannot return
        return next_offset


def _key(id: str) -> bytes:
    return blake2b(id.encode(), digest_size=12).digest()
