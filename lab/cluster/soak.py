"""Searches and harvests without a pause, and checks whether memory and file handles of Sonde's processes grow."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
from celery import Celery

from lab.chaos.harvests import catalogue_server
from lab.chaos.steady_searcher import BAD, SteadySearcher
from lab.cluster.chaos_cluster import ChaosCluster
from lab.cluster.harvested import SAMPLES, count_written, made_titles, search_samples, wait_for
from lab.cluster.trial import QUESTIONS
from workers.jobs import start_harvest

MOST_GROWTH = 0.05
"""Share by which memory may differ between the quarters compared: allocators keep what they freed in pieces."""
MOST_HANDLES = 8
"""Pools open a connection more now and then; a leak opens one with every request."""
PARTS = ("api", "worker", "beat")
_SOURCE = "chaos-soak"
_MIB = float(1 << 20)
_HARVEST_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class ResourceSample:
    """At ``at_s`` seconds after the beginning: resident memory in MiB, and open files and sockets."""

    at_s: float
    memory_mib: float
    handles: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Medians of the second quarter of the time (caches are full by then) and of the last one."""

    part: str
    memory_before: float
    memory_after: float
    handles_before: float
    handles_after: float
    samples: int

    @property
    def flat(self) -> bool:
        grown = self.memory_after - self.memory_before
        new_handles = self.handles_after - self.handles_before
        return grown <= MOST_GROWTH * self.memory_before and new_handles <= MOST_HANDLES


def trend(part: str, samples: Sequence[ResourceSample]) -> Trend:
    """Of samples in order of time. Raises ValueError for fewer than eight: a quarter of them is no median."""
    if len(samples) < 8:
        raise ValueError(f"{len(samples)} samples of {part} say nothing of a trend")
    quarter = len(samples) // 4
    early_samples, late_samples = samples[quarter : 2 * quarter], samples[-quarter:]
    return Trend(
        part,
        median(sample.memory_mib for sample in early_samples),
        median(sample.memory_mib for sample in late_samples),
        median(sample.handles for sample in early_samples),
        median(sample.handles for sample in late_samples),
        len(samples),
    )


@dataclass(frozen=True, slots=True)
class SoakPlan:
    """``minutes`` of searches, ``per_second`` of them, and a harvest of ``records`` every minute."""

    minutes: float = 20.0
    per_second: float = 20.0
    records: int = 500
    sample_every_s: float = 5.0


@dataclass(frozen=True, slots=True)
class SoakResult:
    """``searches``: verdicts and their number. ``harvests``: started, after the first."""

    trends: tuple[Trend, ...]
    searches: Mapping[str, int]
    harvests: int
    seconds: float

    @property
    def right(self) -> bool:
        return all(trend.flat for trend in self.trends) and not any(self.searches.get(verdict) for verdict in BAD)


def soak(
    cluster: ChaosCluster, celery: Celery, course: SoakPlan, samples: Path, tell: Callable[[str], None]
) -> SoakResult:
    """Every part is up when the clock starts, and has done what it does from then on. Raises TimeoutError."""
    with catalogue_server(made_titles(course.records)) as csw:
        search_samples(cluster, celery, csw, [_SOURCE], samples)
        start_harvest(celery, _SOURCE)
        wait_for(lambda: count_written(cluster.client, _SOURCE) >= course.records, 1200.0, _SOURCE)
        asker = SteadySearcher(cluster.api_url, QUESTIONS, SAMPLES)
        asker.learn()
        started_s = time.monotonic()
        with asker.ask_steadily(course.per_second):
            samples_by_part, harvests = _watch(cluster, celery, course, started_s, tell)
    searches: dict[str, int] = dict(Counter(search.verdict for search in asker.log))
    trends = tuple(trend(part, samples) for part, samples in samples_by_part.items())
    return SoakResult(trends, searches, harvests, time.monotonic() - started_s)


def _watch(
    cluster: ChaosCluster, celery: Celery, course: SoakPlan, started_s: float, tell: Callable[[str], None]
) -> tuple[dict[str, list[ResourceSample]], int]:
    samples_by_part: dict[str, list[ResourceSample]] = {part: [] for part in PARTS}
    harvests = 0
    while (at_s := time.monotonic() - started_s) < course.minutes * 60.0:
        if at_s >= harvests * _HARVEST_EVERY_S:
            start_harvest(celery, _SOURCE)
            harvests += 1
            tell(f"{at_s / 60.0:.0f} min")
        for part, samples in samples_by_part.items():
            samples.append(_measure(cluster.pid(part), at_s))
        time.sleep(course.sample_every_s)
    return samples_by_part, harvests


def _measure(pid: int, at_s: float) -> ResourceSample:
    """Of a process and all it started; one that ends just now holds nothing. Raises NoSuchProcess for a dead part."""
    memory, handles = 0.0, 0
    leader = psutil.Process(pid)
    for process in (leader, *leader.children(recursive=True)):
        try:
            memory += process.memory_info().rss / _MIB
            handles += process.num_fds()
        except psutil.NoSuchProcess:
            if process.pid == pid:
                raise
    return ResourceSample(at_s, memory, handles)
