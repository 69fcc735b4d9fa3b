"""What `sonde load` prints."""

from __future__ import annotations

from dataclasses import astuple

from rich.console import Console
from rich.table import Table

from lab.load.catalogue import MadeCatalogue, CatalogueSize
from lab.load.summary import LoadSummary


def show(console: Console, summaries: list[LoadSummary], before: dict[str, str], after: str) -> None:
    """Rates and times, then whose time it was; the load of the machine above both."""
    console.print(
        f"{before['processor']}, {before['cores']} cores, load {before['load before']} before, {after} after; "
        f"Elasticsearch {before['elasticsearch']}",
        highlight=False,
    )
    times = _table("clients", "/s", "p50 ms", "p95 ms", "p99 ms", "refused", "in ms (p95)", "failed", "degraded")
    shares = _table("clients", "Elasticsearch", "encoder", "ours", "around")
    for one in summaries:
        spread = one.latency_ms
        waited = [f"{value:.0f}" for value in (spread.p50, spread.p95, spread.p99)] if spread else ["-"] * 3
        refused = [str(one.refused), f"{one.refusal_ms.p95:.0f}" if one.refusal_ms else "-"]
        counts = [str(one.failed), str(one.degraded)]
        times.add_row(one.course, str(one.clients), f"{one.per_second:.1f}", *waited, *refused, *counts)
        if one.shares:
            shares.add_row(one.course, str(one.clients), *(f"{share:.0%}" for share in astuple(one.shares)))
    console.print(times)
    console.print(shares)


def _table(*heads: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def say_what_was_made(console: Console, made: MadeCatalogue, size: CatalogueSize) -> None:
    """What the figures mean, and which vectors are not real."""
    for line in (
        "Times as clients waited for answers; refused: 503 with Retry-After, which clients keep to.",
        "Elasticsearch: stages that ask it, wire included; encoder: embed and rerank; ours: understand and rank; "
        "around: HTTP, JSON, waiting for a thread or a core.",
        f"{size.records} records made of {made.real} real ones: {made.vectors_records} vectors are real, "
        f"{size.records - made.vectors_records} are perturbed real ones.",
        f"{size.passages} passages: {made.vectors_passages} vectors are real, "
        f"{size.passages - made.vectors_passages} are perturbed real ones. All filled in {made.seconds:.0f} s.",
    ):
        console.print(line, highlight=False)
