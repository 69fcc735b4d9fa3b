"""What a trial harvests, and how much of it is there."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from celery import Celery

from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from indexer.store.ledger import scan
from lab.cluster.chaos_cluster import PREFIX, ChaosCluster
from workers.jobs import start_harvest

SAMPLES = "samples"
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
_LOOK_S = 0.5


def made_titles(number: int) -> dict[str, str]:
    return {
        f"rec-{place:05d}": f"{_TOPICS[place % len(_TOPICS)].capitalize()} of region {place}" for place in range(number)
    }


def search_samples(
    cluster: ChaosCluster, celery: Celery, csw: str, ids: list[str], samples: Path, patience_s: float = 600.0
) -> None:
    """Starts worker, beat and API, and harvests the samples; ``ids`` are sources to harvest at ``csw``.

    Raises TimeoutError if the samples are not there in time.
    """
    _write_sources(cluster, csw, ids, samples)
    cluster.start("worker", "beat")
    start_harvest(celery, SAMPLES)
    wait_for(lambda: count_written(cluster.client, SAMPLES) >= len(list(samples.glob("*.xml"))), patience_s, "samples")
    cluster.start("api")


def _write_sources(cluster: ChaosCluster, csw: str, ids: list[str], samples: Path) -> None:
    lines = ["sources:", f"  - id: {SAMPLES}", "    type: folder", f"    path: {samples}"]
    for id in ids:
        lines += [f"  - id: {id}", "    type: csw", f"    url: {csw}"]
    cluster.sources.write_text("\n".join(lines) + "\n", "utf-8")


def count_written(client: Elasticsearch, source: str) -> int:
    """Records of a source that are written; 0 while nobody can say."""
    try:
        client.indices.refresh(index=f"{PREFIX}-records", ignore_unavailable=True)
        answer = client.count(index=f"{PREFIX}-records", query={"term": {"source": source}}, ignore_unavailable=True)
    except ElasticsearchError:
        return 0
    return int(answer["count"])


def native_ids(client: Elasticsearch, source: str) -> set[str]:
    client.indices.refresh(index=f"{PREFIX}-records")
    hits = scan(client, f"{PREFIX}-records", {"term": {"source": source}}, fields=())
    return {str(hit["_id"]).partition(":")[2] for hit in hits}


def wait_for(holds: Callable[[], bool], patience_s: float, what: str) -> None:
    if seconds_until(holds, time.monotonic(), patience_s) is None:
        raise TimeoutError(f"{what}: not there after {patience_s:.0f} s")


def seconds_until(holds: Callable[[], bool], since: float, patience_s: float) -> float | None:
    ends = time.monotonic() + patience_s
    while time.monotonic() < ends:
        if holds():
            return time.monotonic() - since
        time.sleep(_LOOK_S)
    return None
