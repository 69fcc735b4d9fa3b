"""Run after run over a catalogue that changes in between and a proxy that spoils its answers; the index must follow."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from core.errors import Unavailable
from es_mappings.codecs.runs import RunReport
from es_mappings.names import alias
from indexer.harvest.harvest import harvest, open_run
from indexer.parts import Options, Parts
from indexer.sources.csw import CswOptions, CswSource
from indexer.sources.fetching import Fetcher
from indexer.sources.politeness import HostLimits, RequestPolicy
from indexer.store.ledger import scan
from indexer.store.runs import Runs
from lab.chaos.csw import catalogue_server
from lab.chaos.fault_proxy import FaultPlan, fault_proxy
from net.gate import Gate, GatePolicy

SOURCE = "chaos"
_MOST_TRIES = 12
_HURRIED = RequestPolicy(
    per_second=1000, attempts=6, first_pause_s=0.002, longest_pause_s=0.05, breaker_failures=50, robots=False
)


@dataclass(frozen=True, slots=True)
class ChaosRun:
    """One run. ``lost``, ``doubled`` and ``wrong`` (kept though gone, or an old title) must be 0.

    ``tries``: how often the harvest had to be taken up again before it was complete.
    """

    run: int
    seed: int
    state: str
    expected: int
    found: int
    lost: int
    doubled: int
    wrong: int
    tries: int
    requests: int
    faults: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        return self.state == "complete" and not (self.lost or self.doubled or self.wrong)


def chaos(parts: Parts, runs: int, *, records: int = 1000, seed: int = 1, share: float = 0.3) -> Iterator[ChaosRun]:
    """Harvests ``runs`` times into the indices of ``parts``, which must be there and hold nothing of ``SOURCE``."""
    rng = random.Random(seed)  # noqa: S311  # nosec B311 (to be repeated)
    catalogue = {f"rec-{index:05d}": f"Title {index}" for index in range(records)}
    with catalogue_server(catalogue) as upstream:
        for run in range(1, runs + 1):
            if run > 1:
                change(catalogue, rng, run)
            plan = FaultPlan(seed=seed * 100_000 + run, share=share)
            with fault_proxy(upstream, plan) as url:
                yield one_run(parts, run, plan, lambda: open_csw(url), catalogue)


def change(catalogue: dict[str, str], rng: random.Random, run: int) -> None:
    """A fiftieth goes, as many come, a twentieth gets another title; the number stays."""
    some = max(len(catalogue) // 50, 1)
    for id in rng.sample(sorted(catalogue), some):
        del catalogue[id]
    for id in rng.sample(sorted(catalogue), max(len(catalogue) // 20, 1)):
        catalogue[id] = f"Title of run {run}: {id}"
    catalogue.update({f"new-{run:03d}-{index:03d}": f"New in run {run}: {index}" for index in range(some)})


def one_run(
    parts: Parts, run: int, plan: FaultPlan, open_source: Callable[[], CswSource], catalogue: Mapping[str, str]
) -> ChaosRun:
    """Taken up again, as workers do, until it is complete."""
    begun = time.perf_counter()
    report, tries = _until_complete(parts, open_source)
    titles_found = titles(parts, SOURCE)
    expected = {f"{SOURCE}:{id}": title for id, title in catalogue.items()}
    right = {id for id, title in titles_found if expected.get(id) == title}
    return ChaosRun(
        run=run,
        seed=plan.seed,
        state=report.state,
        expected=len(expected),
        found=len(titles_found),
        lost=len(expected.keys() - {id for id, _ in titles_found}),
        doubled=len(titles_found) - len({id for id, _ in titles_found}),
        wrong=len({id for id, _ in titles_found} - right),
        tries=tries,
        requests=plan.requests,
        faults=dict(plan.done),
        seconds=time.perf_counter() - begun,
    )


def _until_complete(parts: Parts, open_source: Callable[[], CswSource]) -> tuple[RunReport, int]:
    runs = Runs(parts.client, parts.prefix)
    report = open_run(SOURCE, Options())
    for attempt in range(1, _MOST_TRIES + 1):
        run = runs.unfinished(SOURCE) or open_run(SOURCE, Options())
        try:
            report = harvest(SOURCE, open_source(), parts, Options(), run)
        except Unavailable:
            report = runs.load(run.id) or run
            continue
        if report.state == "complete":
            return report, attempt
    return report, _MOST_TRIES


def titles(parts: Parts, source: str) -> list[tuple[str, str]]:
    """Every record of the source with its title."""
    index = alias(parts.prefix, "records")
    parts.client.indices.refresh(index=index)
    hits = scan(parts.client, index, {"term": {"source": source}}, ["id", "title"])
    return [(hit["_source"]["id"], hit["_source"]["title"]) for hit in hits]


def open_csw(url: str, *, page_size: int = 100, timeout_s: float = 10.0) -> CswSource:
    """A CSW at an address of this machine, asked without pauses."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"}), timeout_s=timeout_s))
    fetcher = Fetcher(gate, SOURCE, url, HostLimits(), _HURRIED)
    return CswSource(fetcher, url, None, CswOptions(page_size=page_size))
