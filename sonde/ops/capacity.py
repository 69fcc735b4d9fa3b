"""How many processes fit on this machine or in this container, and how each keeps its memory small."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

PROCESS_MB = 600
"""The memory of one process with its models (430 MB) while it answers."""
_SHARE_OF_CONTAINER = 0.8
_SHARE_OF_MACHINE = 0.25
_MB = 1_000_000
_NO_LIMIT_BYTES = 1 << 60  # version 1 writes a number near 2^63 for no limit
_COLLECTION_THRESHOLDS = (10_000, 20, 20)
"""For the three generations of ``gc``. One answer, or reading one document, allocates some thousand lists and
dictionaries and frees them at its end: with the default of 700 they would be scanned dozens of times.
"""


@dataclass(frozen=True, slots=True)
class Capacity:
    """``cores`` to compute on and ``memory_mb`` for all processes of the API together."""

    cores: int
    memory_mb: int

    def processes(self) -> int:
        """One per core, as far as the memory allows; at least one."""
        return max(1, min(self.cores, self.memory_mb // PROCESS_MB))

    def model_threads(self, processes: int) -> int:
        """Threads for one process's models: its share of the cores, but at least two if there are two."""
        return min(self.cores, max(2, self.cores // processes))


def current_capacity(memory_mb: int | None = None, root: Path = Path("/")) -> Capacity:
    """What this machine or container offers now.

    ``memory_mb``: the operator's limit; else four fifths of a container's limit, or a quarter of a machine, which
    also runs Elasticsearch and workers.
    """
    limit = _memory_limit(root)
    allowed_bytes = _SHARE_OF_CONTAINER * limit if limit else _SHARE_OF_MACHINE * psutil.virtual_memory().total
    return Capacity(_cores(root), memory_mb or int(allowed_bytes / _MB))


def _cores(root: Path) -> int:
    """The cores of this process; fewer if the control group has a quota (a fraction counts as one)."""
    cores = len(os.sched_getaffinity(0))
    for folder in _groups(root, "cpu"):
        quota, period = _quota(folder)
        if quota > 0 and period > 0:
            cores = min(cores, math.ceil(quota / period))
    return max(1, cores)


def _quota(folder: Path) -> tuple[int, int]:
    """Microseconds of processor time in each period; 0 for no limit."""
    quota_and_period = _text(folder / "cpu.max").split()
    if len(quota_and_period) == 2:
        return _number(quota_and_period[0]), _number(quota_and_period[1])
    return _number(_text(folder / "cpu.cfs_quota_us")), _number(_text(folder / "cpu.cfs_period_us"))


def _memory_limit(root: Path) -> int:
    """Bytes; 0 if there is no limit below the machine's memory."""
    names = ("memory.max", "memory.limit_in_bytes")
    readings = [_number(_text(folder / name)) for folder in _groups(root, "memory") for name in names]
    limits = [limit for limit in readings if 0 < limit < min(_NO_LIMIT_BYTES, psutil.virtual_memory().total)]
    return min(limits, default=0)


def _groups(root: Path, controller: str) -> list[Path]:
    """Folders of this process's control group and its parents, in version 2 and in version 1."""
    top = root / "sys/fs/cgroup"
    folders = [top, top / controller]
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, _, controllers_and_path = line.partition(":")
        controllers, _, path = controllers_and_path.partition(":")
        base = top / controller if controller in controllers.split(",") else top if not controllers else None
        if base is not None:
            steps = [step for step in path.split("/") if step not in ("", "..")]
            folders += [base.joinpath(*steps[:depth]) for depth in range(1, len(steps) + 1)]
    return folders


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except (OSError, UnicodeDecodeError):
        return ""


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() else 0


def freeze_loaded_objects() -> None:
    """Call this once, after models and gazetteer are loaded.

    A full collection scans all objects: 250 to 350 ms with the models loaded, in the middle of a question. Frozen
    objects are skipped, so that it takes some 20 ms.
    """
    gc.collect()
    if sys.platform == "linux" and hasattr(c_library := ctypes.CDLL(None), "malloc_trim"):  # glibc's
        c_library.malloc_trim(0)
    gc.freeze()
    gc.set_threshold(*_COLLECTION_THRESHOLDS)
