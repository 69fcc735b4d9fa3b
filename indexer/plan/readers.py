"""Reads documents: in a large harvest in processes beside the one that writes, because reading is most of its work."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

import structlog

from indexer.confinement import prctl
from indexer.plan.parsed_record import ParsedRecord, parse
from indexer.raw import RawRecord, RecordRefused
from reading.concepts import NO_LISTS, NameLists

log = structlog.get_logger(__name__)

LARGE = 500
"""Documents that are read here before processes start: a small harvest is over sooner without them."""
_MOST_PROCESSES = 4  # more read faster than one process writes
_CHUNK = 16  # documents that a process gets at once
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG

ReadResult = ParsedRecord | RecordRefused


def read_document(raw: RawRecord, source: str, lists: NameLists) -> ReadResult:
    """Raises as ``parse``, but returns a refusal."""
    try:
        return parse(raw, source, lists)
    except RecordRefused as refusal:
        return refusal


@dataclass(slots=True)
class Readers:
    """``processes``: how many may read at the same time; 1: only this one."""

    source: str
    lists: NameLists = NO_LISTS
    processes: int = 1
    _count: int = 0
    _pool: ProcessPoolExecutor | None = None

    def read(self, documents: Sequence[RawRecord]) -> list[ReadResult]:
        """One result for each document, in order. Raises as ``read_document``.

        If a process is killed, all of them are given up, and this one reads on.
        """
        self._count += len(documents)
        if self._pool is not None:
            try:
                return list(self._pool.map(_read_in_child, documents, chunksize=_CHUNK))
            except BrokenProcessPool:
                log.warning("harvest.reader_killed", source=self.source)
                self.close()
                self.processes = 1
        return [read_document(raw, self.source, self.lists) for raw in documents]

    def start_if_large(self) -> None:
        """Starts the processes once. Call it while no other thread of this harvest works: they are copies of this
        process, and a lock that another thread holds would stay locked in them.
        """
        if self._pool is not None or self.processes < 2 or self._count < LARGE or sys.platform != "linux":
            return
        self._pool = ProcessPoolExecutor(
            min(self.processes, _MOST_PROCESSES),
            multiprocessing.get_context("fork"),
            _begin,
            (os.getpid(), self.source, self.lists),
        )
        try:
            self._pool.submit(os.getpid).result()  # all of them start with the first task
        except (BrokenProcessPool, OSError) as error:
            log.warning("harvest.readers_not_started", source=self.source, error=str(error))
            self.close()
            self.processes = 1
            return
        log.info("harvest.readers_started", source=self.source, processes=min(self.processes, _MOST_PROCESSES))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


_in_child: tuple[str, NameLists] = ("", NO_LISTS)


def _begin(parent: int, source: str, lists: NameLists) -> None:
    """The parent ends its readers, also by its own death; an interrupt of the terminal is for the parent alone."""
    global _in_child
    _in_child = (source, lists)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)


def _read_in_child(raw: RawRecord) -> ReadResult:
    return read_document(raw, *_in_child)
