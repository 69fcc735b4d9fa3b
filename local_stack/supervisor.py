"""Starts and stops single parts, reports their state, and restarts parts that died.

A part that dies repeatedly is restarted less and less often, and then no more: `sonde status` shows it.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from local_stack import process
from local_stack.errors import StackError, StartFailed
from local_stack.part import External, PartStatus, Reporter, StackPart
from local_stack.ports import require_free
from local_stack.process import rotate
from local_stack.state import Records

_POLL_S = 0.2
MOST_LOG_BYTES = 20 * 1024 * 1024
LOOK_S = 2.0


class Supervisor:
    """Keeps the parts of one folder. ``cancelled`` makes every wait end early."""

    def __init__(self, folder: Path) -> None:
        self._owner = str(folder.resolve())
        self._records = Records(folder / "run")
        self._children: dict[str, subprocess.Popen[bytes]] = {}  # ours to collect when they end
        self.cancelled = threading.Event()

    def ensure(self, part: StackPart | External, report: Reporter) -> None:
        """Up and answering on return, started or found. Raises PortTaken, StartFailed or another StackError."""
        if isinstance(part, External):
            self._require_external(part, report)
            return
        started = self._records.read(part.name)
        if started is not None and process.is_alive(started):
            report(f"{part.name}.found", pid=started.pid)
        else:
            self._records.forget_restarts(part.name)
            started = self._start(part, report)
        self._await(part, started, report)

    def _require_external(self, part: External, report: Reporter) -> None:
        trouble = part.trouble()
        if trouble is not None:
            raise StackError(f"{part.name} at {part.address} {trouble}: start it, or unset its url to have one started")
        report(f"{part.name}.external", address=part.address)

    def _start(self, part: StackPart, report: Reporter) -> process.Started:
        self._clear(part.name, report)
        for port in part.ports:
            require_free(part.name, port)
        command = part.prepare(report)
        started, child = process.start(command, self._mark(part.name))
        self._children[part.name] = child
        self._records.write(part.name, started, part.address)
        report(f"{part.name}.starting", pid=started.pid)
        return started

    def is_dead(self, part: StackPart) -> bool:
        """Whether it was started and not stopped, but does not run."""
        started = self._records.read(part.name)
        return self._records.was_written(part.name) and (started is None or not process.is_alive(started))

    def record_start(self, part: StackPart) -> None:
        """Stores that a part reported to be up, because its log may be cut."""
        if part.asked_once and not self._records.was_up(part.name) and part.trouble() is None:
            self._records.mark_up(part.name)

    def restarts(self, part: StackPart) -> list[float]:
        return self._records.restarts(part.name)

    def restart(self, part: StackPart, report: Reporter) -> None:
        """Starts a part that died and waits for nothing. Raises StackError where it cannot be started."""
        died = self._records.read(part.name) or process.Started(0, "")
        try:
            self._start(part, report)
        except StackError:
            self._records.write(part.name, died, part.address)  # it is still dead, and tried again
            raise
        finally:
            self._records.note_restart(part.name, time.time())

    def _clear(self, name: str, report: Reporter) -> None:
        """Ends what a killed part or a lost record left behind, so that a new one finds its port and files free."""
        if self._records.was_written(name):
            report(f"{name}.died_before")
        if process.members(self._records.read(name), self._mark(name)):
            process.stop(self._records.read(name), self._mark(name), grace_s=5.0)
        self._records.forget(name)

    def _await(self, part: StackPart, started: process.Started, report: Reporter) -> None:
        started_s = time.monotonic()
        trouble: str | None = "was not asked"
        while time.monotonic() - started_s < part.start_timeout_s and not self.cancelled.is_set():
            if not process.is_alive(started):
                self._give_up(part, "ended while it started")
            trouble = part.trouble()
            if trouble is None:
                self._records.mark_up(part.name)
                report(f"{part.name}.up", pid=started.pid, address=part.address, took_s=_since(started_s))
                return
            self.cancelled.wait(_POLL_S)
        if self.cancelled.is_set():
            raise StackError(f"waiting for {part.name} was broken off")
        self._give_up(part, f"{trouble}, {part.start_timeout_s:.0f} s after its start")

    def _give_up(self, part: StackPart, reason: str) -> None:
        self.stop(part.name, grace_s=5.0)
        log_tail = process.tail(part.log)
        error = StartFailed(part.name, f"{part.name} {reason}; its log is {part.log}", log_tail)
        error.add_note(
            f"The last lines it wrote:\n{log_tail}"
        )  # for those who see a traceback and not the command line
        raise error

    def stop(self, name: str, grace_s: float) -> bool:
        """No process of the part lives on return; False where there was none. Raises StackError where one survives."""
        started = self._records.read(name)
        alive = bool(process.members(started, self._mark(name)))
        if alive:
            process.stop(started, self._mark(name), grace_s)
        self._records.forget(name)
        self._records.forget_restarts(name)
        child = self._children.pop(name, None)
        if child is not None:
            child.poll()
        return alive

    def started_names(self) -> list[str]:
        """Parts that were started and not stopped since, whether or not they are configured now."""
        return self._records.names()

    def status(self, part: StackPart | External) -> PartStatus:
        """Asks the part once; waits for nothing."""
        if isinstance(part, External):
            trouble = part.trouble()
            return PartStatus(part.name, "unhealthy" if trouble else "external", None, part.address, trouble or "")
        started = self._records.read(part.name)
        if started is None and not self._records.was_written(part.name):
            return PartStatus(part.name, "stopped", None, part.address)
        if started is None or not process.is_alive(started):
            sentences = (_last_words(part.log), self._restart_note(part.name))
            return PartStatus(part.name, "died", None, part.address, "; ".join(filter(None, sentences)))
        trouble = None if part.asked_once and self._records.was_up(part.name) else part.trouble()
        detail = "; ".join(filter(None, (trouble, self._restart_note(part.name))))
        return PartStatus(part.name, "unhealthy" if trouble else "running", started.pid, part.address, detail)

    def _restart_note(self, name: str) -> str:
        at = self._records.restarts(name)
        if not at:
            return ""
        times = "once" if len(at) == 1 else f"{len(at)} times"
        return f"started again {times}, last at {datetime.fromtimestamp(at[-1]).astimezone():%Y-%m-%d %H:%M:%S}"

    def _mark(self, name: str) -> str:
        return f"{self._owner}:{name}"


def _since(started_s: float) -> float:
    return round(time.monotonic() - started_s, 1)


def _last_words(log: Path) -> str:
    last_line = process.tail(log, lines=1).strip()
    return (
        f"gone without being stopped; last in {log}: {last_line[:200]}"
        if last_line
        else f"gone without being stopped; see {log}"
    )


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """The n-th start again waits ``first_s`` * 2**n, at most ``longest_s``; after ``most`` within ``within_s`` none."""

    most: int = 8
    within_s: float = 3600.0
    first_s: float = 1.0
    longest_s: float = 120.0

    def next_at(self, restarts: Sequence[float], died: float) -> float | None:
        """When a part that was found dead at ``died`` is started again; None: never."""
        recent_restarts = [restart_s for restart_s in restarts if died - self.within_s < restart_s <= died]
        if len(recent_restarts) >= self.most:
            return None
        return died + min(self.longest_s, self.first_s * 2.0 ** len(recent_restarts))


class Keeper:
    """Restarts the parts of one folder. ``lock`` gives the lock that `up` and `down` hold while they work."""

    def __init__(self, supervisor: Supervisor, lock: Callable[[], AbstractContextManager[None]]) -> None:
        self._supervisor = supervisor
        self._lock = lock
        self._found_dead: dict[str, float] = {}
        self._left_alone: set[str] = set()

    def look(self, parts: Sequence[StackPart], report: Reporter, policy: RestartPolicy = RestartPolicy()) -> None:
        """Once over all parts."""
        for part in parts:
            self._check_part(part, report, policy)
            if rotate(part.log, MOST_LOG_BYTES):
                report(f"{part.name}.log_cut")

    def _check_part(self, part: StackPart, report: Reporter, policy: RestartPolicy) -> None:
        if not self._supervisor.is_dead(part):
            self._found_dead.pop(part.name, None)
            self._left_alone.discard(part.name)
            self._supervisor.record_start(part)
            return
        died = self._found_dead.setdefault(part.name, time.time())
        restart_at_s = policy.next_at(self._supervisor.restarts(part), died)
        if restart_at_s is None and part.name not in self._left_alone:
            self._left_alone.add(part.name)
            report(f"{part.name}.left_alone", starts=len(self._supervisor.restarts(part)))
        if restart_at_s is not None and time.time() >= restart_at_s:
            self._start_again(part, report)

    def _start_again(self, part: StackPart, report: Reporter) -> None:
        with self._lock():
            if not self._supervisor.is_dead(part):  # `up` or `down` was here meanwhile
                return
            self._found_dead.pop(part.name, None)
            try:
                self._supervisor.restart(part, report)
            except StackError as error:
                report(f"{part.name}.not_started", reason=str(error))
