"""Free space on the disks of Elasticsearch's nodes, compared with Elasticsearch's own watermarks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from es_gateway.client import Elasticsearch
from sonde.ops.doctor.finding import State

_GIB = 1 << 30
_DISK = "cluster.routing.allocation.disk"
_UNITS = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40, "pb": 1 << 50}
_AMOUNT = re.compile(r"([\d.]+)\s*([a-z]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mark:
    """The least free space: a share of the disk, but at most ``most`` bytes; or, with share 1, ``most`` bytes."""

    share: float
    most: float

    def free(self, total: int) -> float:
        return min(self.share * total, self.most)

    @classmethod
    def read(cls, used: str, headroom: str) -> Mark:
        """Of Elasticsearch's settings: ``85%`` or ``0.85`` is used space, ``2gb`` is free space."""
        if used.endswith("%"):
            return cls(1 - float(used[:-1]) / 100, _bytes(headroom))
        if used.replace(".", "", 1).isdigit() and float(used) <= 1:
            return cls(1 - float(used), _bytes(headroom))
        return cls(1.0, _bytes(used))


@dataclass(frozen=True, slots=True)
class Marks:
    """With less than ``low`` a node takes no new shards, with less than ``flood`` its indices are read-only.

    ``watched``: whether Elasticsearch looks at the disk at all.
    """

    low: Mark = Mark(0.15, 200 * _GIB)
    flood: Mark = Mark(0.05, 100 * _GIB)
    watched: bool = True


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


def marks(client: Elasticsearch) -> Marks:
    """Those that this cluster uses."""
    found = client.cluster.get_settings(include_defaults=True, flat_settings=True).body
    given: dict[str, str] = {}
    for group in ("defaults", "persistent", "transient"):
        given |= {name: str(value) for name, value in found.get(group, {}).items() if name.startswith(_DISK)}
    return Marks(_mark(given, "low"), _mark(given, "flood_stage"), given.get(f"{_DISK}.threshold_enabled") != "false")


def judged(found: Sequence[Room], against: Marks | None = None) -> tuple[State, str]:
    """The node with the smallest free share decides."""
    if not found:
        return "warning", "no node of Elasticsearch tells of its disk"
    given = against or Marks()
    least = min(found, key=lambda room: room.free / room.total)
    told = f"{least.free / _GIB:.0f} of {least.total / _GIB:.0f} GiB free at Elasticsearch's node {least.node}"
    if least.free < given.flood.free(least.total):
        if not given.watched:
            return "broken", f"{told}, and Elasticsearch does not watch it: it writes until the disk is full; make room"
        return "broken", f"{told}: its indices are read-only until there is room again"
    if least.free < given.low.free(least.total):
        return "warning", f"{told}: it soon stops writing; make room, or add a node"
    return "ok", told


def _mark(given: Mapping[str, str], name: str) -> Mark:
    usual = Marks()
    of = usual.low if name == "low" else usual.flood
    used = given.get(f"{_DISK}.watermark.{name}")
    return of if used is None else Mark.read(used, given.get(f"{_DISK}.watermark.{name}.max_headroom", "-1"))


def _bytes(amount: str) -> float:
    """Infinite for ``-1``, which means no limit."""
    found = _AMOUNT.fullmatch(amount.strip())
    return float("inf") if found is None else float(found[1]) * _UNITS.get(found[2].lower(), 1)
