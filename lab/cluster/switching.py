"""Another index in service, and back, while searches and a harvest go on; then the API from nothing to ready."""

from __future__ import annotations

import subprocess  # nosec B404: this program's own command
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from celery import Celery

from es_mappings.codecs.runs import RunReport
from indexer.store.runs import Runs
from lab.chaos.harvests import catalogue_server
from lab.chaos.steady_searcher import BAD, SteadySearcher
from lab.cluster.chaos_cluster import (
    PREFIX,
    SAMPLES,
    ChaosCluster,
    count_written,
    made_titles,
    native_ids,
    search_samples,
)
from lab.cluster.trial import QUESTIONS, TrialSize, bad_ones
from lab.waiting import seconds_until, trouble, wait_until
from workers.jobs import start_harvest

_SOURCE = "chaos-reindex"
_ROLLBACK_S, _COLD_START_S = 5.0, 15.0
_COMMAND_S = 3600.0
_BEGINS_S = 30.0


@dataclass(frozen=True, slots=True)
class SwitchStep:
    """``meanwhile``: records that a harvest wrote while the command ran. ``at_most_s``: None: no limit.

    ``missing`` and ``strange``: records that should be there at the end of the step and are not, and the other way
    round. ``serves``: the index behind the alias afterwards. ``trouble``: the error message of the command.
    """

    name: str
    seconds: float
    at_most_s: float | None = None
    meanwhile: int = 0
    missing: int = 0
    strange: int = 0
    searches: Mapping[str, int] = field(default_factory=dict)
    serves: str = ""
    trouble: str = ""

    @property
    def right(self) -> bool:
        is_wrong = self.missing or self.strange or self.trouble or any(self.searches.get(verdict) for verdict in BAD)
        return not is_wrong and (self.at_most_s is None or self.seconds <= self.at_most_s)


def run_switching(cluster: ChaosCluster, celery: Celery, course: TrialSize, samples: Path) -> Iterator[SwitchStep]:
    """The reindex, its rollback, and a cold start. Raises TimeoutError if a harvest does not end."""
    titles = made_titles(course.records)
    thirds = [sorted(titles)[part::3] for part in range(3)]  # there at first, new at the reindex, new at the way back
    catalogue = {id: titles[id] for id in thirds[0]}
    with catalogue_server(catalogue) as csw:
        search_samples(cluster, celery, csw, [_SOURCE], samples, course.timeout_s)
        asker = SteadySearcher(cluster.api_url, QUESTIONS, SAMPLES)
        asker.learn()
        switching_run = _Switching(cluster, celery, asker, course)
        switching_run.harvested()
        catalogue.update({id: titles[id] for id in thirds[1]})
        yield switching_run.step("reindex", set(catalogue))
        catalogue.update({id: titles[id] for id in thirds[2]})
        yield switching_run.step("rollback", set(catalogue), _ROLLBACK_S)
    yield _cold_start(cluster)


@dataclass(frozen=True, slots=True)
class _Switching:
    cluster: ChaosCluster
    celery: Celery
    asker: SteadySearcher
    course: TrialSize

    def step(self, name: str, catalogue: set[str], at_most_s: float | None = None) -> SwitchStep:
        """Runs the command once the harvest has begun to write what is new in the catalogue."""
        self.asker.log.clear()
        with self.asker.ask_steadily(self.course.per_second):
            before = self._count_written()
            run = start_harvest(self.celery, _SOURCE)
            seconds_until(lambda: self._count_written() > before, time.monotonic(), _BEGINS_S)
            first, started_s = self._count_written(), time.monotonic()
            trouble = _run(self.cluster, *(() if name == "reindex" else (f"--{name}",)))
            seconds = time.monotonic() - started_s
            meanwhile = self._count_written() - first
            self._wait_for_end(run)
            if name == "rollback":  # what only the left index held is harvested again
                self.harvested()
        ids = native_ids(self.cluster.client, _SOURCE)
        return SwitchStep(
            name,
            seconds,
            at_most_s,
            max(0, meanwhile),
            len(catalogue - ids),
            len(ids - catalogue),
            dict(Counter(search.verdict for search in self.asker.log)),
            next(iter(self.cluster.client.indices.get_alias(name=f"{PREFIX}-records").body)),
            trouble or "; ".join(f"{count} x {answer}" for answer, count in bad_ones(self.asker.log).items()),
        )

    def harvested(self) -> None:
        """A run from its beginning to its end. One that is asked for while another has the source never begins."""
        self._wait_for_end(start_harvest(self.celery, _SOURCE))

    def _wait_for_end(self, run: str) -> None:
        runs = Runs(self.cluster.client, PREFIX)
        wait_until(lambda: _is_complete(runs.load(run)), self.course.timeout_s, f"the end of run {run} of {_SOURCE}")

    def _count_written(self) -> int:
        return count_written(self.cluster.client, _SOURCE)


def _is_complete(run: RunReport | None) -> bool:
    return run is not None and run.state == "complete"


def _run(cluster: ChaosCluster, *options: str) -> str:
    """Runs ``sonde reindex`` as an operator does; empty if it succeeded, else the end of its error message."""
    process = subprocess.run(  # noqa: S603  # nosec B603: constants
        [sys.executable, "-m", "sonde", "reindex", *options],
        env=dict(cluster.environment),
        capture_output=True,
        text=True,
        timeout=_COMMAND_S,
        check=False,
    )
    return (
        ""
        if process.returncode == 0
        else (process.stderr or process.stdout).strip()[-300:] or f"code {process.returncode}"
    )


def _cold_start(cluster: ChaosCluster) -> SwitchStep:
    """From the start of the process to the first 200 of ``/readyz``."""
    cluster.kill("api")
    started_s = time.monotonic()
    cluster.start("api")
    seconds = seconds_until(lambda: trouble(f"{cluster.api_url}/readyz") is None, started_s, 300.0)
    return SwitchStep(
        "cold start of the API",
        time.monotonic() - started_s,
        _COLD_START_S,
        trouble="" if seconds is not None else "never ready",
    )
