"""The parts of `make cluster-check` that need no cluster."""

from __future__ import annotations

import re
from dataclasses import replace

import httpx
import pytest

from tests.cluster.asking import Count
from tests.cluster.faults import FAULTS, merged
from tests.cluster.table import PAGE, Row

ROW = Row("upgrade", 60.2, asked=240, lost=0, lost_with_retry=0, degraded=0, slowest_s=1.23, failures=())


def test_the_page_has_a_row_for_each_fault() -> None:
    (block,) = re.findall(r"<!-- cluster-check -->\n(.*?)<!-- end of cluster-check -->", PAGE.read_text("utf-8"), re.S)
    names = [line.split("|")[1].strip() for line in block.splitlines() if line.startswith("| ")]
    assert names[1:] == list(FAULTS)


def test_a_row_says_what_was_asked_and_lost() -> None:
    assert ROW.line() == "| upgrade | 60 s | 240 | 0 | 0 | 0 | 1.2 s |"


@pytest.mark.parametrize(
    ("row", "holds"),
    [
        (ROW, True),
        (replace(ROW, lost=1), False),
        (replace(ROW, name="`kill -9` of a process", lost=1), True),
        (replace(ROW, name="`kill -9` of a process", lost=2, lost_with_retry=1), False),
    ],
)
def test_only_a_kill_may_lose_what_is_in_progress(row: Row, holds: bool) -> None:
    assert row.holds is holds


def test_a_search_is_lost_without_a_hit_or_an_answer_and_once_more_with_a_retry() -> None:
    answers = iter([200, 503, 200, 503, 503])

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(next(answers), json={"features": [1], "sonde:degraded": ["dense"]})

    count = Count()
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        for _ in range(3):
            count.ask(client, "http://sonde/search", retry_after_s=0)
    assert (count.asked, count.degraded, count.lost, count.lost_with_retry) == (3, 2, 2, 1)


def test_values_are_laid_over_each_other_as_helm_does() -> None:
    given = {"api": {"replicas": 1, "threads": 64}, "sources": [1]}
    assert merged(given, {"api": {"replicas": 2}, "sources": [2]}) == {
        "api": {"replicas": 2, "threads": 64},
        "sources": [2],
    }
    assert given["api"] == {"replicas": 1, "threads": 64}
