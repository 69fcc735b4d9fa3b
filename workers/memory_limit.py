"""The memory of a worker's processes: a task that asks for too much fails, and what a task left behind ends with it."""

from __future__ import annotations

import resource
import sys

from celery.signals import worker_process_init

_KEPT_SHARE = 0.75


def kept_memory_kib(most_bytes: int) -> int:
    """What a process may keep after a task before Celery replaces it, in the unit that Celery takes."""
    return int(_KEPT_SHARE * most_bytes) // 1024


def limit_memory(most_bytes: int) -> None:
    """Limits the data of each pool process from its start; what does not fit is a MemoryError, not a dead machine.

    Linux alone counts all memory of a process here; models that are mapped from files do not count.
    """

    def limit(**_signal: object) -> None:
        _soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = most_bytes if hard == resource.RLIM_INFINITY else min(most_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    if sys.platform == "linux":
        worker_process_init.connect(limit, weak=False, dispatch_uid="sonde-memory")
