"""Keeps a stack running: starts a part again that died, and cuts logs that grow.

A part that dies again and again is started less and less often, and then left alone: `sonde status` shows it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from local_stack.errors import StackError
from local_stack.part import Part
from local_stack.process import rotate
from local_stack.report import Report
from local_stack.supervisor import Supervisor

MOST_LOG_BYTES = 20 * 1024 * 1024
LOOK_S = 2.0


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """The n-th start again waits ``first_s`` * 2**n, at most ``longest_s``; after ``most`` within ``within_s`` none."""

    most: int = 8
    within_s: float = 3600.0
    first_s: float = 1.0
    longest_s: float = 120.0

    def next_at(self, restarts: Sequence[float], died: float) -> float | None:
        """When a part that was found dead at ``died`` is started again; None: it is left alone."""
        lately = [at for at in restarts if died - self.within_s < at <= died]
        if len(lately) >= self.most:
            return None
        return died + min(self.longest_s, self.first_s * 2.0 ** len(lately))


class Keeper:
    """Looks after the parts of one folder. ``locked`` gives the lock that `up` and `down` hold while they work."""

    def __init__(self, supervisor: Supervisor, locked: Callable[[], AbstractContextManager[None]]) -> None:
        self._supervisor = supervisor
        self._locked = locked
        self._found_dead: dict[str, float] = {}
        self._left_alone: set[str] = set()

    def look(self, parts: Sequence[Part], report: Report, policy: RestartPolicy = RestartPolicy()) -> None:
        """Once over all parts."""
        for part in parts:
            self._look_at(part, report, policy)
            if rotate(part.log, MOST_LOG_BYTES):
                report(f"{part.name}.log_cut")

    def _look_at(self, part: Part, report: Report, policy: RestartPolicy) -> None:
        if not self._supervisor.is_dead(part):
            self._found_dead.pop(part.name, None)
            self._left_alone.discard(part.name)
            self._supervisor.note_up(part)
            return
        died = self._found_dead.setdefault(part.name, time.time())
        at = policy.next_at(self._supervisor.restarts(part), died)
        if at is None and part.name not in self._left_alone:
            self._left_alone.add(part.name)
            report(f"{part.name}.left_alone", starts=len(self._supervisor.restarts(part)))
        if at is not None and time.time() >= at:
            self._start_again(part, report)

    def _start_again(self, part: Part, report: Report) -> None:
        with self._locked():
            if not self._supervisor.is_dead(part):  # `up` or `down` was here meanwhile
                return
            self._found_dead.pop(part.name, None)
            try:
                self._supervisor.start_again(part, report)
            except StackError as error:
                report(f"{part.name}.not_started", reason=str(error))
