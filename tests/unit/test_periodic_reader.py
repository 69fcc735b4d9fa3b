"""A table that callers read again after a while."""

from __future__ import annotations

import threading

from core.errors import Unavailable
from search_api.search.caches import PeriodicReader


class Source:
    def __init__(self) -> None:
        self.now_s, self.reads, self.is_down = 0.0, 0, False

    def read(self, _last: int) -> int:
        self.reads += 1
        if self.is_down:
            raise Unavailable("down")
        return self.reads

    def clock(self) -> float:
        return self.now_s


def test_it_reads_at_the_first_call_and_when_the_time_is_over() -> None:
    source = Source()
    table = PeriodicReader(source.read, 0, 60.0, "test", source.clock)
    assert (source.reads, table(), table()) == (0, 1, 1)
    source.now_s = 60.0
    assert table() == 2


def test_a_failure_keeps_the_last_table_until_the_next_time() -> None:
    source = Source()
    table = PeriodicReader(source.read, 0, 60.0, "test", source.clock)
    assert table() == 1
    source.is_down, source.now_s = True, 60.0
    assert (table(), table(), source.reads) == (1, 1, 2)
    source.is_down, source.now_s = False, 120.0
    assert table() == 3


def test_while_one_caller_reads_again_the_others_use_the_last_table() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def read(last: int) -> int:
        if last:
            begun.set()
            assert may_end.wait(10.0)
        return last + 1

    now_s = [0.0]
    table = PeriodicReader(read, 0, 60.0, "test", lambda: now_s[0])
    assert table() == 1
    now_s[0] = 60.0
    reader = threading.Thread(target=table)
    reader.start()
    assert begun.wait(10.0)
    assert table() == 1
    may_end.set()
    reader.join(10.0)
    assert table() == 2
