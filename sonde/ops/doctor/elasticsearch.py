"""Checks of Elasticsearch: version, write blocks, aliases, the index of records, a reindex, and free space on disks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from es_gateway.blocks import explain, remedy, write_blocks
from es_gateway.client import Elasticsearch
from es_mappings.codecs.vectors import has_all
from es_mappings.indices import lost_aliases, serving
from es_mappings.meta import refuse_other_dimensions, reindex_reasons
from es_mappings.names import KINDS, alias
from indexer.reindex.sync import unfinished_handovers
from sonde.ops.doctor.finding import State
from sonde.settings import Settings
from sonde.wiring.models import Models

_GIB = 1 << 30
_DISK = "cluster.routing.allocation.disk"
_UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "pb": 1 << 50}
_AMOUNT = re.compile(r"([\d.]+)\s*([a-z]*)", re.IGNORECASE)
_LEAST_VERSION = (8, 19)
_KEEPS_VECTORS_ONCE = (9, 2)


@dataclass(frozen=True, slots=True)
class Watermark:
    """The least free space: a share of the disk, but at most ``most`` bytes; or, with share 1, ``most`` bytes."""

    share: float
    most: float

    def free(self, total: int) -> float:
        return min(self.share * total, self.most)

    @classmethod
    def read(cls, used: str, headroom: str) -> Watermark:
        """Of Elasticsearch's settings: ``85%`` or ``0.85`` is used space, ``2gb`` is free space."""
        if used.endswith("%"):
            return cls(1 - float(used[:-1]) / 100, _bytes(headroom))
        if used.replace(".", "", 1).isdigit() and float(used) <= 1:
            return cls(1 - float(used), _bytes(headroom))
        return cls(1.0, _bytes(used))


@dataclass(frozen=True, slots=True)
class Watermarks:
    """With less than ``low`` a node takes no new shards, with less than ``flood`` its indices are read-only.

    ``watched``: whether Elasticsearch looks at the disk at all.
    """

    low: Watermark = Watermark(0.15, 200 * _GIB)
    flood: Watermark = Watermark(0.05, 100 * _GIB)
    watched: bool = True


@dataclass(frozen=True, slots=True)
class NodeDisk:
    """The disk of one node, in bytes."""

    node: str
    free: int
    total: int


def node_disks(client: Elasticsearch) -> list[NodeDisk]:
    """Of every node that reports a disk. Raises as the client does."""
    nodes = client.nodes.stats(metric="fs", filter_path="nodes.*.name,nodes.*.fs.total").body.get("nodes", {})
    totals = ((node["name"], node.get("fs", {}).get("total", {})) for node in nodes.values())
    return [
        NodeDisk(name, total["available_in_bytes"], total["total_in_bytes"])
        for name, total in totals
        if total.get("total_in_bytes")
    ]


def watermarks(client: Elasticsearch) -> Watermarks:
    """Those that this cluster uses."""
    groups = client.cluster.get_settings(include_defaults=True, flat_settings=True).body
    values: dict[str, str] = {}
    for group in ("defaults", "persistent", "transient"):
        values |= {name: str(value) for name, value in groups.get(group, {}).items() if name.startswith(_DISK)}
    default_watermarks = Watermarks()
    return Watermarks(
        _watermark(values, "low", default_watermarks.low),
        _watermark(values, "flood_stage", default_watermarks.flood),
        watched=values.get(f"{_DISK}.threshold_enabled") != "false",
    )


def _watermark(values: Mapping[str, str], name: str, default_watermarks: Watermark) -> Watermark:
    used = values.get(f"{_DISK}.watermark.{name}")
    return (
        default_watermarks
        if used is None
        else Watermark.read(used, values.get(f"{_DISK}.watermark.{name}.max_headroom", "-1"))
    )


def judge_disks(disks: Sequence[NodeDisk], marks: Watermarks = Watermarks()) -> tuple[State, str]:
    """The node with the smallest free share decides."""
    if not disks:
        return "warning", "No Elasticsearch node reports its disk usage"
    fullest = min(disks, key=lambda disk: disk.free / disk.total)
    usage = f"{fullest.free / _GIB:.0f} of {fullest.total / _GIB:.0f} GiB free at Elasticsearch's node {fullest.node}"
    if fullest.free < marks.flood.free(fullest.total):
        if not marks.watched:
            return (
                "broken",
                f"{usage}, and Elasticsearch does not watch it: it writes until the disk is full; make room",
            )
        return "broken", f"{usage}: its indices are read-only until there is room again"
    if fullest.free < marks.low.free(fullest.total):
        return "warning", f"{usage}: it soon stops writing; make room, or add a node"
    return "ok", usage


def _bytes(amount: str) -> float:
    """Infinite for ``-1``, which means no limit."""
    match = _AMOUNT.fullmatch(amount.strip())
    return float("inf") if match is None else float(match[1]) * _UNITS.get(match[2].lower(), 1)


def writes(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Broken while an index, or the whole cluster, is read-only: nothing is harvested, pushed or uploaded."""
    blocks = write_blocks(client, [alias(prefix, kind) for kind in KINDS])
    return ("broken", f"{explain(blocks)} What to do: {remedy(blocks)}") if blocks else ("ok", "nothing blocks them")


def aliases(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Broken if an index is there and its alias is gone."""
    lost = lost_aliases(client, prefix)
    return (
        ("broken", " ".join(missing_alias.remedy for missing_alias in lost))
        if lost
        else ("ok", "each stands for one index")
    )


def cluster(client: Elasticsearch) -> tuple[State, str]:
    number = str(client.info().body["version"]["number"])
    if version_problem := too_old(number):
        return "broken", version_problem
    status = client.cluster.health().body["status"]
    if status == "red":
        return "broken", f"version {number}; the cluster is red: some shards are missing, look at its logs"
    return ("ok" if status == "green" else "warning"), f"version {number}{lacks(number)}, the cluster is {status}"


def too_old(number: str) -> str | None:
    """Why Sonde cannot work with this version of Elasticsearch."""
    if _major_minor(number) >= _LEAST_VERSION:
        return None
    return f"is version {number}; Sonde needs {'.'.join(map(str, _LEAST_VERSION))} or newer"


def lacks(number: str) -> str:
    """What a newer version does better, as the next part of a sentence; empty where it lacks nothing."""
    if _major_minor(number) >= _KEEPS_VECTORS_ONCE:
        return ""
    return " (stores vectors twice, in the source too; from 9.2 on once, and indices are smaller)"


def _major_minor(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")[:2])


def records_index(client: Elasticsearch, settings: Settings, models: Models) -> tuple[State, str]:
    current = serving(client, settings.index.prefix, "records")
    if current is None:
        return _no_records_index(client, settings.index.prefix)
    card = models.embedder(current.meta.embedding_model).card
    refuse_other_dimensions(current.index, current.meta, card)
    count = client.count(index=current.index).body["count"]
    lacks_vectors = {"bool": {"must_not": [has_all(current.meta.tokens)]}}
    missing = client.count(index=current.index, query=lacks_vectors).body["count"]
    if reasons := reindex_reasons(current.meta, settings.embedder.model, card):
        return "warning", " ".join(reasons)
    if missing:
        return "warning", f"{current.index}: {missing} of {count} records lack their vectors; harvest them again"
    tokens = "" if current.meta.tokens is None else f", with token vectors as {current.meta.tokens.code}"
    return "ok", f"{current.index}: {count} records by {current.meta.embedding_model}{tokens}"


def _no_records_index(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Broken where the ledger still knows records: then the index was there, and is lost."""
    ledger = serving(client, prefix, "ledger")
    known = 0 if ledger is None else client.count(index=ledger.index).body["count"]
    name = alias(prefix, "records")
    if not known:
        return "warning", f"there is no {name} yet; `sonde harvest` makes it"
    return (
        "broken",
        f"the index of {name} is gone, with the {known} records that the ledger knows: `sonde backup restore` brings "
        "it back; without a backup, harvest each source twice (the first run finds what is missing)",
    )


def unfinished_reindex(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Whether a reindex must still copy what was written while its alias moved."""
    if serving(client, prefix, "records") is None:  # first, so that an unavailable server fails early
        return "ok", "there is nothing to reindex yet"
    handovers = unfinished_handovers(client, prefix)
    if not handovers:
        return "ok", "none is unfinished"
    sentences = ", ".join(f"{handover.new} may lack what {handover.old} got last" for handover in handovers)
    return "warning", f"under way, or cut off as its alias moved: {sentences}; `sonde reindex` or a harvest ends it"
