"""A worker's heartbeat: empty files in a folder, touched on Celery's signals and read by sonde.ops.worker_health.

``ready``: the worker takes tasks. ``loop``: its main loop runs (touched every two seconds). ``task-PID``: the process
PID has been running a task since then. A pod's folder outlives its container, so each start empties it.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from celery.signals import heartbeat_sent, task_postrun, task_prerun, worker_init, worker_ready

READY = "ready"
LOOP = "loop"
WAITING = "waiting"
_TASK = "task-"


@dataclass(frozen=True, slots=True)
class Pulse:
    """Ages in seconds; ``loop_s`` is None before the first round, ``task_s`` (the oldest running task) None without
    one.
    """

    ready: bool
    loop_s: float | None
    task_s: float | None


def keep_pulse(folder: Path) -> None:
    """Makes this process, as a Celery worker, write its heartbeat from now on."""

    def begin(**_: object) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.iterdir():
            left.unlink(missing_ok=True)

    def in_hand() -> Path:
        return folder / f"{_TASK}{os.getpid()}"

    worker_init.connect(begin, weak=False)
    worker_ready.connect(lambda **_: (folder / READY).touch(), weak=False)
    heartbeat_sent.connect(lambda **_: (folder / LOOP).touch(), weak=False)
    task_prerun.connect(lambda **_: in_hand().touch(), weak=False)
    task_postrun.connect(lambda **_: in_hand().unlink(missing_ok=True), weak=False)


def read_pulse(folder: Path) -> Pulse:
    """The current heartbeat; a task whose process is gone (killed at its time limit) does not count."""
    tasks = [path for path in folder.glob(f"{_TASK}*") if _lives(int(path.name.removeprefix(_TASK)))]
    ages = [age for path in tasks if (age := age_s(path)) is not None]
    return Pulse((folder / READY).exists(), age_s(folder / LOOP), max(ages, default=None))


def age_s(path: Path) -> float | None:
    """Seconds since the file was touched; None if it does not exist."""
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except FileNotFoundError:
        return None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
