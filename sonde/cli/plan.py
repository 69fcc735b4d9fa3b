"""`sonde plan`: memory, disk and processes for a catalogue of a size, and the chart's values for it.

The formula is that of docs/operators/requirements.md; its factors are rounded up from ``results/``; its figures are
given in GB (10^9 bytes).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import IO

import click
import yaml

from sonde.cli.options import shown
from sonde.cli.screen import plain_table, say, say_json, screen
from sonde.ops.capacity import PROCESS_MB

RATES = ((14_875, 28.0), (400_000, 27.0), (1_000_000, 15.0), (2_000_000, 12.0))
"""Vectors, and the default searches a second that 8 clients had of two cores with everything on them."""
OWN_PART_MS, WHOLE_MS = 11.7, 30.0
"""A search's time in an API process, and with Elasticsearch's."""
TEXTS_PER_SECOND = 47.4
"""That one worker embeds on two cores."""

_MEASURED_CORES = 2
_LARGEST_VECTORS, _LARGEST_RATE = RATES[-1][0], max(rate for _, rate in RATES)
_API_CORE_S = _MEASURED_CORES / RATES[0][1] * OWN_PART_MS / WHOLE_MS  # the vectors do not change this part
_LOAD = 0.6
"""The share of the measured rate that is planned for: at the whole rate, requests already wait."""
_VECTORS_OF_SHARD = 4_000_000
_LARGEST_HEAP_GB = 30.0  # larger ones have no compressed pointers
_MOST_NODE_CORES = 64
_HARVEST_H = 24
_MOST_EMBEDDERS = 8


@dataclass(frozen=True, slots=True)
class Demand:
    """``searches`` a second; ``replicas``: further copies of each shard, in a cluster."""

    records: int
    passages: int
    searches: float
    replicas: int = 1

    @property
    def vectors(self) -> int:
        return self.records + self.passages


@dataclass(frozen=True, slots=True)
class Needs:
    """Of one copy of the catalogue. ``disk_gb``: without a reindex and backups."""

    disk_gb: float
    heap_gb: float
    api_cores: int
    elasticsearch_cores: int
    shards: int
    embedding_h: float

    @property
    def cores(self) -> int:
        return self.api_cores + self.elasticsearch_cores

    @property
    def memory_gb(self) -> float:
        """Of one machine with everything on it."""
        return one_machine_gb(self.heap_gb, self.api_cores)


def one_machine_gb(heap_gb: float, api_processes: int) -> float:
    """Heap, as much for the file cache, the API's processes, and 2 GB for everything else."""
    return 2 * heap_gb + PROCESS_MB / 1000 * api_processes + 2


def needs_of(demand: Demand) -> Needs:
    api_cores = max(1, math.ceil(demand.searches * _API_CORE_S / _LOAD))
    all_cores = math.ceil(_MEASURED_CORES * demand.searches / (_LOAD * searches_per_second(demand.vectors)))
    shards = max(1, math.ceil(max(demand.records, demand.passages) / _VECTORS_OF_SHARD))
    return Needs(
        disk_gb=(20 * demand.records + 8 * demand.passages) / 1_000_000,
        heap_gb=1 + 2 * demand.vectors / 1_000_000,
        api_cores=api_cores,
        elasticsearch_cores=max(shards, all_cores - api_cores),
        shards=shards,
        embedding_h=demand.vectors / TEXTS_PER_SECOND / 3600,
    )


def searches_per_second(vectors: int) -> float:
    """What two cores answer: no more than any smaller measured catalogue had. Beyond the largest, a search costs in
    proportion to the vectors.
    """
    rate = RATES[0][1]
    for measured_vectors, measured_rate in RATES:
        rate = min(rate, measured_rate)
        if vectors <= measured_vectors:
            return rate
    return rate * _LARGEST_VECTORS / vectors


def cautions(demand: Demand) -> Iterator[str]:
    """What nobody has measured."""
    if demand.vectors > _LARGEST_VECTORS:
        yield (
            f"Computed: the largest measured catalogue has {_LARGEST_VECTORS:,} vectors, this one {demand.vectors:,}. "
            "Try it with your own data before you rely on it."
        )
    if demand.searches > _LARGEST_RATE:
        yield (
            f"Computed: at most {_LARGEST_RATE:.0f} searches a second were measured, on two cores. "
            "More cores are taken to answer more in proportion."
        )
    if needs_of(demand).heap_gb > _LARGEST_HEAP_GB:
        yield "One node cannot have this heap: use a cluster."
    if (cores := cluster_of(demand).node_cores) > _MOST_NODE_CORES:
        yield f"Few machines have {cores} cores: with more --replicas, more nodes share the searches."


@dataclass(frozen=True, slots=True)
class Cluster:
    """What the chart is given. Memory and storage of a node in GiB; the Java heap is half of the memory."""

    nodes: int
    node_memory_gib: int
    node_cores: int
    node_storage_gib: int
    api_pods: int
    api_processes: int
    embedders: int


def cluster_of(demand: Demand) -> Cluster:
    needs, copies = needs_of(demand), demand.replicas + 1
    nodes = max(3 if demand.replicas else 1, copies, math.ceil(needs.heap_gb * copies / _LARGEST_HEAP_GB))
    api_processes = 2 if needs.api_cores > 2 else 1
    return Cluster(
        nodes=nodes,
        node_memory_gib=_gib(2 * needs.heap_gb * copies / nodes, at_least=2),
        node_cores=math.ceil(needs.elasticsearch_cores / nodes),
        node_storage_gib=_gib(3 * needs.disk_gb * copies / nodes, at_least=10),
        api_pods=max(2, math.ceil(needs.api_cores / api_processes)),
        api_processes=api_processes,
        embedders=min(_MOST_EMBEDDERS, max(1, math.ceil(needs.embedding_h / _HARVEST_H))),
    )


def _gib(gb: float, at_least: int) -> int:
    return max(at_least, math.ceil(gb * 1e9 / (1 << 30)))


def chart_values(demand: Demand) -> dict[str, object]:
    """Values for helm/sonde with Elastic's operator; only what depends on the size."""
    needs, cluster = needs_of(demand), cluster_of(demand)
    eck = {
        "enabled": True,
        "userSecret": "search-user",
        "nodes": cluster.nodes,
        "memory": f"{cluster.node_memory_gib}Gi",
        "cpu": str(cluster.node_cores),
        "storage": f"{cluster.node_storage_gib}Gi",
    }
    memory_mib = math.ceil(cluster.api_processes * PROCESS_MB * 1e6 / (1 << 20) / 0.8)
    return {
        "settings": {"SONDE_INDEX__SHARDS": needs.shards, "SONDE_INDEX__REPLICAS": demand.replicas},
        "elasticsearch": {"eck": eck},
        "broker": {"passwordSecret": "valkey-password", "bundled": {"enabled": True}},
        "api": {
            "replicas": cluster.api_pods,
            "processes": cluster.api_processes,
            "resources": {
                "requests": {"cpu": str(cluster.api_processes), "memory": f"{memory_mib}Mi"},
                "limits": {"memory": f"{2 * memory_mib}Mi"},
            },
        },
        "workers": {"embed": {"replicas": cluster.embedders}},
    }


@click.command()
@click.option("--records", type=click.IntRange(min=1), required=True, help="Records of all your catalogues.")
@click.option("--passages", type=click.IntRange(min=0), default=0, help="Passages of documents: about 3.3 a page.")
@shown("--searches", 1.0, "Searches a second in the busiest minute.", click.FloatRange(min=0, min_open=True))
@shown(
    "--replicas",
    1,
    "Further copies of the index in a cluster; 0: the loss of a node stops searches.",
    click.IntRange(0, 4),
)
@click.option(
    "--values", "values_file", type=click.File("w", "utf-8", lazy=True), help="Write the chart's values here."
)
@click.option("--json", "as_json", is_flag=True)
def plan(
    *, records: int, passages: int, searches: float, replicas: int, values_file: IO[str] | None, as_json: bool
) -> None:
    """Say what a catalogue of this size needs on one machine and on Kubernetes. Connects to nothing."""
    if not math.isfinite(searches):
        raise click.BadParameter("it is no number of searches.", param_hint="'--searches'")
    demand = Demand(records, passages, searches, replicas)
    needs, cluster, notes = needs_of(demand), cluster_of(demand), list(cautions(demand))
    if values_file is not None:
        values_file.write(_values_text(demand, notes))
    if as_json:
        needs_row = {**asdict(needs), "cores": needs.cores, "memory_gb": needs.memory_gb}
        say_json({"vectors": demand.vectors, "needs": needs_row, "cluster": asdict(cluster), "cautions": notes})
        return
    _show_table(demand, needs, cluster)
    for note in notes:
        say(note)
    if values_file is not None:
        say(f"helm upgrade --install sonde helm/sonde -f {values_file.name}")


def _show_table(demand: Demand, needs: Needs, cluster: Cluster) -> None:
    nodes = _count(cluster.nodes, "node")
    pods_hours = needs.embedding_h / cluster.embedders
    table = plain_table("", "one machine", "Kubernetes")
    for row in (
        ("vectors", f"{demand.vectors:,}", f"{demand.vectors:,} in {_count(needs.shards, 'shard')}"),
        ("replicas", "0", f"{demand.replicas}"),
        ("memory", f"{needs.memory_gb:.1f} GB", f"{nodes} of {cluster.node_memory_gib} GiB, and the API's"),
        ("Java heap", f"{needs.heap_gb:.1f} GB", f"half of each node: {cluster.node_memory_gib / 2:g} GiB"),
        ("disk", f"{3 * needs.disk_gb:.1f} GB", f"{nodes} of {cluster.node_storage_gib} GiB"),
        ("cores", f"{max(2, needs.cores)}", f"{nodes} of {cluster.node_cores}, and the API's"),
        ("API processes", f"{needs.api_cores}", f"{_count(cluster.api_pods, 'pod')} of {cluster.api_processes}"),
        ("first harvest", _hours(needs.embedding_h), f"{_hours(pods_hours)}, {_count(cluster.embedders, 'embedder')}"),
    ):
        table.add_row(*row)
    screen().print(table)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _hours(hours: float) -> str:
    return f"{60 * hours:.0f} min" if hours < 1 else f"{hours:.1f} h"


def _values_text(demand: Demand, notes: list[str]) -> str:
    size = f"{demand.records:,} records, {demand.passages:,} passages and {demand.searches:g} searches a second"
    comments = [
        f"By `sonde plan` for {size}.",
        "Elastic's operator must be installed. Create the secrets `search-user` and `valkey-password` first",
        "(docs/operators/kubernetes.md).",
        *notes,
    ]
    values = yaml.safe_dump(chart_values(demand), sort_keys=False)
    return "".join(f"# {comment}\n" for comment in comments) + values


COMMANDS = (plan,)
