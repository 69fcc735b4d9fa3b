"""A trial that is broken off: its row says so, everything is put right, and the next is tried."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery

from es_gateway.errors import NotReachable
from lab.chaos.steady_searcher import SearchOutcome, SteadySearcher
from lab.cluster.breakages import Breakage, breakages
from lab.cluster.trial import TrialSize, _Trial
from local_stack.errors import StackError


class ChaosCluster:
    """Stands for servers: ten records of ten are written until it breaks; what is started is noted."""

    def __init__(self, nodes: int = 1) -> None:
        self.nodes = [f"node-{number + 1}" for number in range(nodes)]
        self.proxies: list[Any] = []
        self.clock = None
        self.broken = False
        self.started: list[str] = []
        self.client = SimpleNamespace(
            indices=SimpleNamespace(refresh=self._refresh, put_settings=lambda **_: None),
            count=lambda **_: {"count": 10},
            cluster=SimpleNamespace(put_settings=lambda **_: None, health=lambda **_: None),
        )
        self.client.options = lambda **_: self.client

    def _refresh(self, **_: object) -> None:
        if self.broken:
            raise NotReachable("gone")

    def start(self, *names: str) -> None:
        self.started += names


def trial(cluster: ChaosCluster, mend: Callable[[Any], None], *, takes_api: bool = False) -> _Trial:
    def begin(_: object) -> None:
        cluster.broken = True

    breakage = Breakage("part", "kill -9 of a part", begin, mend, lasts_s=0.0, takes_api=takes_api)
    asker = SteadySearcher("http://127.0.0.1:1", ("rain",), "samples", expected={"rain": frozenset({"a"})})
    catalogue = frozenset(f"rec-{number}" for number in range(10))
    course = TrialSize(records=10, per_second=5.0, timeout_s=1.0)
    return _Trial(cluster, Celery(broker="memory://localhost"), breakage, "s", asker, course, catalogue)  # type: ignore[arg-type]


def test_a_part_that_does_not_come_up_ends_its_own_trial_alone() -> None:
    def mend(_: object) -> None:
        raise StackError("api does not answer, 180 s after its start")

    cluster = ChaosCluster()
    outcome = trial(cluster, mend).go()
    assert outcome.note == "broken off: api does not answer, 180 s after its start"
    assert (outcome.expected, outcome.missing) == (10, 10)  # nobody could say what is there
    assert (outcome.wrong(within=30.0) or "").startswith("WRONG (broken off: api")
    assert cluster.started == ["node-1", "broker", "worker", "beat", "api"]


def test_who_gave_up_while_the_api_was_starting_found_nobody_there() -> None:
    one = trial(ChaosCluster(), lambda _: None, takes_api=True)
    one.mended = 100.0
    one.asker.log += [
        SearchOutcome(105.0, "failed", 30_000.0, "ReadTimeout"),
        SearchOutcome(140.0, "failed", 30_000.0, "ReadTimeout"),
    ]
    assert [asked.verdict for asked in one._log()] == ["unreachable", "failed"]  # begun at 75 and at 110
    other = trial(ChaosCluster(), lambda _: None)
    other.mended = 100.0
    other.asker.log += [SearchOutcome(105.0, "failed", 30_000.0, "ReadTimeout")]
    assert [asked.verdict for asked in other._log()] == ["failed"]  # the API was up all the time


@pytest.mark.parametrize(("nodes", "tried"), [(1, False), (2, True)])
def test_another_node_is_killed_only_where_there_is_one(nodes: int, *, tried: bool) -> None:
    node = next(each for each in breakages() if each.name == "node")
    assert (node.needs(ChaosCluster(nodes)) is None) is tried  # type: ignore[arg-type]
