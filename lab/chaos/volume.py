"""A large source harvested twice: how fast, how much memory, and whether every record is there."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass

from es_mappings.names import alias
from indexer.harvest.harvest import harvest
from indexer.harvest.parts import Parts
from lab.chaos.harvests import SOURCE, open_csw
from lab.chaos.large_catalogue import large_catalogue


@dataclass(frozen=True, slots=True)
class Volume:
    """One harvest. ``seconds`` by the clock; ``cpu_s`` of this process, all its threads; ``read_s``: the part of the
    clock's in which pages were fetched, read and planned. ``peak_mib``: most memory that the process ever held.
    """

    run: str
    state: str
    records: int
    in_service: int
    seconds: float
    cpu_s: float
    read_s: float
    peak_mib: float

    @property
    def right(self) -> bool:
        return self.state == "complete" and self.in_service == self.records


def volume(parts: Parts, records: int) -> Iterator[Volume]:
    """Everything is new, then everything is as it was; into indices that hold nothing of the source yet."""
    with large_catalogue(records) as url:
        for run in ("all new", "all the same"):
            clock, cpu = time.perf_counter(), time.process_time()
            report = harvest(SOURCE, open_csw(url, page_size=200), parts)
            seconds, cpu_s = time.perf_counter() - clock, time.process_time() - cpu
            read_s = (report.took_ms["fetch"] + report.took_ms["plan"]) / 1000.0
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
            yield Volume(run, report.state, records, _in_service(parts), seconds, cpu_s, read_s, peak)


def _in_service(parts: Parts) -> int:
    index = alias(parts.prefix, "records")
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query={"term": {"source": SOURCE}})["count"])
