"""Whether what a process holds grows while it works: memory and file handles, measured again and again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

MOST_GROWTH = 0.05
"""Share by which memory may differ between the quarters compared: allocators keep what they freed in pieces."""
MOST_HANDLES = 8
"""Pools open a connection more now and then; a leak opens one with every request."""


@dataclass(frozen=True, slots=True)
class ResourceSample:
    """At ``at_s`` seconds after the beginning: resident memory in MiB, and open files and sockets."""

    at_s: float
    memory_mib: float
    handles: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Medians of the second quarter of the time (caches are full by then) and of the last one."""

    part: str
    memory_before: float
    memory_after: float
    handles_before: float
    handles_after: float
    samples: int

    @property
    def flat(self) -> bool:
        grown = self.memory_after - self.memory_before
        more = self.handles_after - self.handles_before
        return grown <= MOST_GROWTH * self.memory_before and more <= MOST_HANDLES


def trend(part: str, samples: Sequence[ResourceSample]) -> Trend:
    """Of samples in order of time. Raises ValueError for fewer than eight: a quarter of them is no median."""
    if len(samples) < 8:
        raise ValueError(f"{len(samples)} samples of {part} say nothing of a trend")
    quarter = len(samples) // 4
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    return Trend(
        part,
        median(one.memory_mib for one in early),
        median(one.memory_mib for one in late),
        median(one.handles for one in early),
        median(one.handles for one in late),
        len(samples),
    )
