"""One trial: during a harvest and searches something breaks, is mended, and everything must be right again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from celery import Celery
from elasticsearch import ApiError, Elasticsearch, TransportError

from evaluation.chaos.asking import BAD, Asker
from evaluation.chaos.catalogue_server import catalogue_server
from indexer.scan import scan
from sonde.faults.breakages import Breakage
from sonde.faults.yard import PREFIX, Yard
from workers.app import start_harvest

SAMPLES = "samples"
QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "sea surface temperature",
    "greenhouse gases north of Italy",
    "soil moisture from satellites",
    "bathymetry",
)
# Words of no question: what is harvested must not move what is searched.
_TOPICS = (
    "quarry dust",
    "tram noise",
    "street lamps",
    "bakery ovens",
    "harbour cranes",
    "bus stops",
    "well lids",
    "kites",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """``missing`` and ``strange``: records that should be there and are not, and the other way round.

    ``searches``: verdicts and their number. ``search_back_s``, ``harvest_back_s``: from when the part was put right to
    the first right answer, and to the first record written (0 where all were); None where that was not seen.
    """

    name: str
    what: str
    expected: int
    missing: int
    strange: int
    searches: Mapping[str, int] = field(default_factory=dict)
    search_back_s: float | None = None
    harvest_back_s: float | None = None
    seconds: float = 0.0
    note: str = ""

    @property
    def right(self) -> bool:
        lost = self.missing or self.strange
        return not (lost or any(self.searches.get(verdict) for verdict in BAD)) and self.search_back_s is not None

    def back_within(self, seconds: float) -> bool:
        """Whether searches were right and the harvest wrote again so soon after the part was put right."""
        return all(back is not None and back <= seconds for back in (self.search_back_s, self.harvest_back_s))


@dataclass(frozen=True, slots=True)
class Course:
    """``records`` are harvested in each trial, ``per_second`` searches asked; a harvest may take ``patience_s``."""

    records: int = 5000
    per_second: float = 20.0
    patience_s: float = 600.0


def trials(yard: Yard, celery: Celery, chosen: list[Breakage], course: Course, samples: Path) -> Iterator[Outcome]:
    """One after the other, each with a source of its own; the first harvest of all brings the samples to search."""
    catalogue = made_titles(course.records)
    with catalogue_server(catalogue) as csw:
        ids = [f"chaos-{breakage.name}" for breakage in chosen]
        search_samples(yard, celery, csw, ids, samples, course.patience_s)
        asker = Asker(yard.api_url, QUESTIONS, SAMPLES)
        asker.learn()
        for breakage, source in zip(chosen, ids, strict=True):
            yield _one(yard, celery, breakage, source, asker, course, set(catalogue))


def search_samples(
    yard: Yard, celery: Celery, csw: str, ids: list[str], samples: Path, patience_s: float = 600.0
) -> None:
    """Worker, beat and API up, the samples harvested; ``ids`` are sources to harvest at ``csw``.

    Raises TimeoutError where the samples are not there in time.
    """
    _write_sources(yard, csw, ids, samples)
    yard.start("worker", "beat")
    start_harvest(celery, SAMPLES)
    until(lambda: written(yard.client, SAMPLES) >= len(list(samples.glob("*.xml"))), patience_s, "samples")
    yard.start("api")


def _one(
    yard: Yard, celery: Celery, breakage: Breakage, source: str, asker: Asker, course: Course, catalogue: set[str]
) -> Outcome:
    if (why := breakage.needs(yard)) is not None:
        return Outcome(breakage.name, breakage.what, 0, 0, 0, note=f"not tried: {why}")
    begun = time.monotonic()
    asker.log.clear()
    note = ""
    with asker.asking(course.per_second):
        start_harvest(celery, source)
        until(lambda: written(yard.client, source) >= len(catalogue) // 4, course.patience_s, source)
        breakage.begin(yard)
        time.sleep(breakage.lasts_s)
        before = written(yard.client, source)
        breakage.mend(yard)
        mended = time.monotonic()
        enough = min(before + 1, len(catalogue))  # all of it may have been written before it broke
        harvest_back = seconds_until(lambda: written(yard.client, source) >= enough, mended, course.patience_s)
        try:
            until(lambda: written(yard.client, source) >= len(catalogue), course.patience_s, source)
        except TimeoutError as error:
            note = str(error)
        seconds_until(lambda: asker.first_right_after(mended) is not None, mended, 60.0)
    found = native_ids(yard.client, source)
    return Outcome(
        breakage.name,
        breakage.what,
        len(catalogue),
        len(catalogue - found),
        len(found - catalogue),
        dict(Counter(asked.verdict for asked in asker.log)),
        asker.first_right_after(mended),
        harvest_back,
        time.monotonic() - begun,
        note or next((asked.detail for asked in asker.log if asked.verdict in BAD), ""),
    )


def made_titles(number: int) -> dict[str, str]:
    return {f"rec-{one:05d}": f"{_TOPICS[one % len(_TOPICS)].capitalize()} of region {one}" for one in range(number)}


def _write_sources(yard: Yard, csw: str, ids: list[str], samples: Path) -> None:
    lines = ["sources:", f"  - id: {SAMPLES}", "    type: folder", f"    path: {samples}"]
    for id in ids:
        lines += [f"  - id: {id}", "    type: csw", f"    url: {csw}"]
    yard.sources.write_text("\n".join(lines) + "\n", "utf-8")


def written(client: Elasticsearch, source: str) -> int:
    """Records of a source that are written; 0 while nobody can say."""
    try:
        client.indices.refresh(index=f"{PREFIX}-records", ignore_unavailable=True)
        found = client.count(index=f"{PREFIX}-records", query={"term": {"source": source}}, ignore_unavailable=True)
    except (ApiError, TransportError):
        return 0
    return int(found["count"])


def native_ids(client: Elasticsearch, source: str) -> set[str]:
    client.indices.refresh(index=f"{PREFIX}-records")
    hits = scan(client, f"{PREFIX}-records", {"term": {"source": source}}, fields=())
    return {str(hit["_id"]).partition(":")[2] for hit in hits}


def until(holds: Callable[[], bool], patience_s: float, what: str) -> None:
    if seconds_until(holds, time.monotonic(), patience_s) is None:
        raise TimeoutError(f"{what}: not there after {patience_s:.0f} s")


def seconds_until(holds: Callable[[], bool], since: float, patience_s: float) -> float | None:
    ends = time.monotonic() + patience_s
    while time.monotonic() < ends:
        if holds():
            return time.monotonic() - since
        time.sleep(0.25)
    return None
