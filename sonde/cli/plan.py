"""`sonde plan`: memory, disk and processes for a catalogue of a size, and the chart's values for it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
import yaml

from sonde.cli.screen import plain_table, say, say_json, screen
from sonde.ops.sizing import Cluster, Demand, Needs, cautions, chart_values, cluster_of, needs_of


@click.command()
@click.option("--records", type=click.IntRange(min=1), required=True, help="Records of all your catalogues.")
@click.option("--passages", type=click.IntRange(min=0), default=0, help="Passages of documents: about 3.3 a page.")
@click.option(
    "--searches",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Searches a second in the busiest minute.",
)
@click.option(
    "--replicas",
    type=click.IntRange(0, 4),
    default=1,
    show_default=True,
    help="Further copies of the index in a cluster; 0: the loss of a node stops searches.",
)
@click.option(
    "--values", "values_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the chart's values here."
)
@click.option("--json", "as_json", is_flag=True)
def plan(
    *, records: int, passages: int, searches: float, replicas: int, values_file: Path | None, as_json: bool
) -> None:
    """Say what a catalogue of this size needs on one machine and on Kubernetes. Connects to nothing."""
    demand = Demand(records, passages, searches, replicas)
    needs, cluster, notes = needs_of(demand), cluster_of(demand), list(cautions(demand))
    if values_file is not None:
        values_file.write_text(_values_text(demand, notes), "utf-8")
    if as_json:
        needs_row = {**asdict(needs), "cores": needs.cores, "memory_gb": needs.memory_gb}
        say_json({"vectors": demand.vectors, "needs": needs_row, "cluster": asdict(cluster), "cautions": notes})
        return
    _show_table(demand, needs, cluster)
    for note in notes:
        say(note)
    if values_file is not None:
        say(f"helm upgrade --install sonde helm/sonde -f {values_file}")


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
