"""One trial: during a harvest and searches something breaks, is repaired, and everything must be right again.

The soak breaks nothing: it checks whether memory and file handles of Sonde's processes grow.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import psutil
from celery import Celery
from kombu.exceptions import OperationalError

from core.errors import SondeError
from lab.chaos.harvests import catalogue_server
from lab.chaos.steady_searcher import BAD, SearchOutcome, SteadySearcher
from lab.cluster.breakages import Breakage, mend_all
from lab.cluster.chaos_cluster import (
    SAMPLES,
    ChaosCluster,
    count_written,
    made_titles,
    native_ids,
    search_samples,
)
from lab.waiting import seconds_until, wait_until
from local_stack.errors import StackError
from workers.jobs import start_harvest

NOT_TRIED = "not tried"
QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "sea surface temperature",
    "greenhouse gases north of Italy",
    "soil moisture from satellites",
    "bathymetry",
)
_TRIAL_ERRORS = (StackError, SondeError, TimeoutError, OperationalError, LookupError)
"""What may end one trial: its row says so, and the next is tried."""
_SEARCH_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """``missing``: records that are absent; ``strange``: records that should not be there.

    ``left``: records that were still to be written when the part was put right; where there were none the harvest met
    little of the breakage. ``searches``: verdicts and their number. ``search_back_s``, ``harvest_back_s``: from when
    the part was put right to the first answer as good as before, and to the first record written (0 where all were);
    None if that was not seen. ``bad``: what searches that failed were told, and how often.
    """

    name: str
    what: str
    expected: int
    missing: int
    strange: int
    left: int = 0
    searches: Mapping[str, int] = field(default_factory=dict)
    search_back_s: float | None = None
    harvest_back_s: float | None = None
    seconds: float = 0.0
    note: str = ""
    bad: Mapping[str, int] = field(default_factory=dict)

    @property
    def was_tried(self) -> bool:
        return not self.note.startswith(NOT_TRIED)

    @property
    def right(self) -> bool:
        is_incomplete = self.missing or self.strange
        return not (is_incomplete or self.note or any(self.searches.get(verdict) for verdict in BAD)) and (
            self.search_back_s is not None
        )

    def back_within(self, seconds: float) -> bool:
        """Whether searches were right and the harvest wrote again so soon after the part was put right."""
        return all(back is not None and back <= seconds for back in (self.search_back_s, self.harvest_back_s))

    def wrong(self, within: float) -> str | None:
        """The first condition that failed, as a phrase; None if all are met, or if it could not be tried."""
        if not self.was_tried:
            return None
        if not self.right:
            return "WRONG" + (f" ({why})" if (why := self.explanation) else "")
        return None if self.back_within(within) else f"LATE (more than {within:.0f} s)"

    @property
    def explanation(self) -> str:
        """The note, and the answers to bad searches."""
        return "; ".join(
            [*([self.note] if self.note else []), *(f"{count} x {detail}" for detail, count in self.bad.items())]
        )


def bad_ones(log: Sequence[SearchOutcome], limit: int = 5) -> dict[str, int]:
    """The most frequent answers to searches that failed."""
    return dict(
        Counter(f"{search.verdict}: {search.detail}" for search in log if search.verdict in BAD).most_common(limit)
    )


@dataclass(frozen=True, slots=True)
class TrialSize:
    """``records`` are harvested in each trial, ``per_second`` searches asked; a harvest may take ``timeout_s``."""

    records: int = 5000
    per_second: float = 20.0
    timeout_s: float = 600.0


def trials(
    cluster: ChaosCluster, celery: Celery, breakages: list[Breakage], course: TrialSize, samples: Path
) -> Iterator[TrialOutcome]:
    """One trial after the other, each with another source; the first harvest loads the samples to search.

    Raises TimeoutError or StackError if the service does not come up at all; later nothing ends the others.
    """
    catalogue = made_titles(course.records)
    with catalogue_server(catalogue) as csw:
        ids = [f"chaos-{breakage.name}" for breakage in breakages]
        search_samples(cluster, celery, csw, ids, samples, course.timeout_s)
        asker = SteadySearcher(cluster.api_url, QUESTIONS, SAMPLES)
        asker.learn()
        for breakage, source in zip(breakages, ids, strict=True):
            if (why := breakage.needs(cluster)) is not None:
                yield TrialOutcome(breakage.name, breakage.what, 0, 0, 0, note=f"{NOT_TRIED}: {why}")
                continue
            yield _Trial(cluster, celery, breakage, source, asker, course, frozenset(catalogue)).go()


@dataclass(slots=True)
class _Trial:
    """``mended``: when the part was put right, ``missing_parts``: what answers went without before it broke (a machine
    that is full leaves the cross-encoder out), ``left``: records to be written when it was put right."""

    cluster: ChaosCluster
    celery: Celery
    breakage: Breakage
    source: str
    asker: SteadySearcher
    course: TrialSize
    catalogue: frozenset[str]
    mended: float | None = None
    missing_parts: frozenset[str] = frozenset()
    left: int = 0
    harvest_back_s: float | None = None

    def go(self) -> TrialOutcome:
        started_s = time.monotonic()
        self.asker.log.clear()
        note = ""
        try:
            with self.asker.ask_steadily(self.course.per_second):
                self._break_and_mend()
                self._wait()
        except _TRIAL_ERRORS as error:
            note = f"broken off: {error}"
        note = "; ".join(sentence for sentence in (note, self._repair_all()) if sentence)
        if not note:
            self.asker.learn_answers()
        ids, log = self._found_ids(), self._log()
        return TrialOutcome(
            self.breakage.name,
            self.breakage.what,
            len(self.catalogue),
            len(self.catalogue - ids),
            len(ids - self.catalogue),
            self.left,
            dict(Counter(search.verdict for search in log)),
            None if self.mended is None else self.asker.first_right_after(self.mended, self.missing_parts),
            self.harvest_back_s,
            time.monotonic() - started_s,
            note,
            bad_ones(log),
        )

    def _break_and_mend(self) -> None:
        start_harvest(self.celery, self.source)
        break_at = max(1, int(self.breakage.at_share * len(self.catalogue)))
        wait_until(lambda: self._count_written() >= break_at, self.course.timeout_s, self.source)
        before = self._count_written()
        self.missing_parts = self.asker.missing_parts()
        self.breakage.begin(self.cluster)
        time.sleep(self.breakage.lasts_s)
        before = max(before, self._count_written())  # nobody may be able to say how many while it is broken
        self.breakage.mend(self.cluster)
        self.mended = time.monotonic()
        self.left = len(self.catalogue) - before
        resumed_at = min(before + 1, len(self.catalogue))  # all of it may have been written before it broke
        self.harvest_back_s = seconds_until(
            lambda: self._count_written() >= resumed_at, self.mended, self.course.timeout_s
        )

    def _wait(self) -> None:
        """For the harvest's end, and for a search that is right again."""
        mended_at = self.mended or 0.0
        wait_until(lambda: self._count_written() >= len(self.catalogue), self.course.timeout_s, self.source)
        seconds_until(
            lambda: self.asker.first_right_after(mended_at, self.missing_parts) is not None,
            mended_at,
            _SEARCH_PATIENCE_S,
        )

    def _repair_all(self) -> str:
        """Repairs everything for the next trial, also after a failure; a sentence about what could not be repaired."""
        try:
            mend_all(self.cluster)
        except _TRIAL_ERRORS as error:
            return f"afterwards: {error}"
        return ""

    def _log(self) -> list[SearchOutcome]:
        """Linux takes connections for a server that still starts: who asked then and gave up found nobody there."""
        down_until = self.mended if self.breakage.takes_api and self.mended is not None else -math.inf
        return [
            replace(search, verdict="unreachable")
            if search.gave_up and search.began < down_until
            else self.asker.rejudge(search)
            for search in self.asker.log
        ]

    def _count_written(self) -> int:
        return count_written(self.cluster.client, self.source)

    def _found_ids(self) -> frozenset[str]:
        try:
            return frozenset(native_ids(self.cluster.client, self.source))
        except _TRIAL_ERRORS:
            return frozenset()


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
    cluster: ChaosCluster, celery: Celery, course: SoakPlan, samples: Path, report: Callable[[str], None]
) -> SoakResult:
    """Every part is up when the clock starts, and has done what it does from then on. Raises TimeoutError."""
    with catalogue_server(made_titles(course.records)) as csw:
        search_samples(cluster, celery, csw, [_SOURCE], samples)
        start_harvest(celery, _SOURCE)
        wait_until(lambda: count_written(cluster.client, _SOURCE) >= course.records, 1200.0, _SOURCE)
        asker = SteadySearcher(cluster.api_url, QUESTIONS, SAMPLES)
        asker.learn()
        started_s = time.monotonic()
        with asker.ask_steadily(course.per_second):
            samples_by_part, harvests = _watch(cluster, celery, course, started_s, report)
    searches: dict[str, int] = dict(Counter(search.verdict for search in asker.log))
    trends = tuple(trend(part, samples) for part, samples in samples_by_part.items())
    return SoakResult(trends, searches, harvests, time.monotonic() - started_s)


def _watch(
    cluster: ChaosCluster, celery: Celery, course: SoakPlan, started_s: float, report: Callable[[str], None]
) -> tuple[dict[str, list[ResourceSample]], int]:
    samples_by_part: dict[str, list[ResourceSample]] = {part: [] for part in PARTS}
    harvests = 0
    while (at_s := time.monotonic() - started_s) < course.minutes * 60.0:
        if at_s >= harvests * _HARVEST_EVERY_S:
            start_harvest(celery, _SOURCE)
            harvests += 1
            report(f"{at_s / 60.0:.0f} min")
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
