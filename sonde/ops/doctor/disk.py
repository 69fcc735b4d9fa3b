"""Free space on the disks of Elasticsearch's nodes, compared with Elasticsearch's own watermarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from es_gateway.client import Elasticsearch
from sonde.ops.doctor.finding import State

_GIB = 1 << 30
_LOW = 0.15, 200 * _GIB
"""With less free space (share of the disk, but at most this many bytes) a node takes no new shards: the defaults of
Elasticsearch's ``cluster.routing.allocation.disk.watermark.low`` and its ``max_headroom``.
"""
_FLOOD = 0.05, 100 * _GIB
"""With less free space its indices are read-only: ``flood_stage``."""


@dataclass(frozen=True, slots=True)
class Room:
    """The disk of one node, in bytes."""

    node: str
    free: int
    total: int


def rooms(client: Elasticsearch) -> list[Room]:
    """Of every node that reports a disk. Raises as the client does."""
    nodes = client.nodes.stats(metric="fs", filter_path="nodes.*.name,nodes.*.fs.total").body.get("nodes", {})
    totals = ((node["name"], node.get("fs", {}).get("total", {})) for node in nodes.values())
    return [
        Room(name, fs["available_in_bytes"], fs["total_in_bytes"]) for name, fs in totals if fs.get("total_in_bytes")
    ]


def judged(found: Sequence[Room]) -> tuple[State, str]:
    """The node with the smallest free share decides."""
    if not found:
        return "warning", "no node of Elasticsearch tells of its disk"
    least = min(found, key=lambda room: room.free / room.total)
    told = f"{least.free / _GIB:.0f} of {least.total / _GIB:.0f} GiB free at Elasticsearch's node {least.node}"
    if least.free < _mark(least, _FLOOD):
        return "broken", f"{told}: its indices are read-only until there is room again"
    if least.free < _mark(least, _LOW):
        return "warning", f"{told}: it soon stops writing; make room, or add a node"
    return "ok", told


def _mark(room: Room, mark: tuple[float, int]) -> float:
    share, most = mark
    return min(share * room.total, most)
