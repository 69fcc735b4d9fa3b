"""Probes of worker and beat: ``python -m sonde.ops.worker_health started | alive QUEUE... | ready QUEUE... | beat``.

Exit code 0, or 1 with one sentence. A worker is alive while it makes progress: its loop runs, no task exceeds its time
limit, and while tasks wait it takes one. This is checked only while the broker answers: a worker is not restarted
because of the broker, not even before its first connection.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import redis
from celery.signals import heartbeat_sent, task_postrun, task_prerun, worker_init, worker_ready
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.errors import SondeError
from sonde.settings import Settings, load_settings
from sonde.wiring.workers import worker_config
from workers.broker import beat_ticks

READY = "ready"
LOOP = "loop"
WAITING = "waiting"
_TASK = "task-"
_BROKER_S = 5.0


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
        for file in folder.iterdir():
            file.unlink(missing_ok=True)

    def task_file() -> Path:
        return folder / f"{_TASK}{os.getpid()}"

    worker_init.connect(begin, weak=False)
    worker_ready.connect(lambda **_: (folder / READY).touch(), weak=False)
    heartbeat_sent.connect(lambda **_: (folder / LOOP).touch(), weak=False)
    task_prerun.connect(lambda **_: task_file().touch(), weak=False)
    task_postrun.connect(lambda **_: task_file().unlink(missing_ok=True), weak=False)


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


@dataclass(frozen=True, slots=True)
class StuckLimits:
    """Seconds after which something counts as stuck; ``task_s`` is longer than Celery's own time limit."""

    task_s: float
    loop_s: float = 60.0
    waiting_s: float = 180.0


def problem(pulse: Pulse, waiting_s: float, limits: StuckLimits) -> str | None:
    """What is stuck, None if nothing is. ``waiting_s``: how long tasks have waited while none was running."""
    if pulse.loop_s is None:
        return "The worker has not begun to take tasks."
    if pulse.loop_s > limits.loop_s:
        return f"The worker's loop last went round {pulse.loop_s:.0f} s ago."
    if pulse.task_s is not None and pulse.task_s > limits.task_s:
        return f"A task has been in hand for {pulse.task_s:.0f} s, longer than its limit."
    if waiting_s > limits.waiting_s:
        return f"Tasks have waited for {waiting_s:.0f} s, and the worker takes none."
    return None


def waited_s(folder: Path, tasks_wait: bool, pulse: Pulse) -> float:
    """How long tasks have been seen waiting while none was running; stored in a file between probes."""
    mark = folder / WAITING
    if not tasks_wait or pulse.task_s is not None:
        mark.unlink(missing_ok=True)
        return 0.0
    if (age := age_s(mark)) is not None:
        return age
    mark.touch()
    return 0.0


def check(settings: Settings, probe: str, queues: list[str]) -> str | None:
    """The problem, None if there is none. Raises SondeError for an unknown or unconfigured probe."""
    # One attempt: redis-py's own retries would take longer than the probe.
    broker = redis.Redis.from_url(
        settings.broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S, retry=Retry(NoBackoff(), 0)
    )
    if probe == "beat":
        return _beat(broker, settings.index.prefix)
    folder = settings.worker.pulse
    if folder is None:
        raise SondeError("SONDE_WORKER__PULSE names no folder, so the worker writes no heartbeat.")
    pulse = read_pulse(folder)
    try:
        broker.ping()
        waiting_count = sum(int(broker.llen(f"{settings.index.prefix}:{queue}")) for queue in queues)
    except redis.RedisError as error:
        return f"The broker does not answer ({type(error).__name__})." if probe == "ready" else None
    if probe == "started":
        return None if pulse.ready else "The worker has not connected to the broker."
    if probe in ("alive", "ready"):
        return problem(
            pulse, waited_s(folder, waiting_count > 0, pulse), StuckLimits(1.1 * worker_config(settings).task_limit_s)
        )
    raise SondeError(f"{probe!r} is none of started, alive, ready, beat.")


def _beat(broker: redis.Redis, prefix: str) -> str | None:
    try:
        ticks = beat_ticks(broker, prefix)
    except redis.RedisError:
        return None
    return None if ticks else "Nobody holds the lock of the schedules: beat does not tick."


def main(arguments: list[str]) -> int:
    try:
        problem_found = check(load_settings(), arguments[0] if arguments else "", arguments[1:])
    except SondeError as error:
        problem_found = str(error)
    if problem_found is not None:
        sys.stderr.write(f"{problem_found}\n")
    return int(problem_found is not None)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
