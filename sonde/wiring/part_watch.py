"""Notices for the operator about parts that a request does not wait for: models, schedules, workers, writes.

The checks run beside the requests, at most every half minute, because some take seconds. A new trouble, and its end,
is logged once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import structlog

from core.errors import SondeError

log = structlog.get_logger(__name__)

_KEPT_S = 30.0

Check = Callable[[], Sequence[str]]
"""Sentences about what is wrong, each with what to do; empty if nothing is. A SondeError is such a sentence too."""


class PartWatch:
    """The sentences of the last look; thread-safe. ``checks``: by the name of the part."""

    def __init__(self, checks: dict[str, Check], clock: Callable[[], float] = time.monotonic) -> None:
        self._checks = checks
        self._clock = clock
        self._looking = threading.Lock()
        self._looked = float("-inf")
        self._found: dict[str, tuple[str, ...]] = {}

    def __call__(self) -> list[str]:
        """What the last look found; starts the next look beside this call if that one is old."""
        if self._clock() - self._looked > _KEPT_S and not self._looking.locked():
            threading.Thread(target=self.look, name="sonde-part-watch", daemon=True).start()
        return self._sentences()

    def look(self) -> list[str]:
        """Runs every check now. Only one thread looks; another one gets what was found before."""
        if not self._looking.acquire(blocking=False):
            return self._sentences()
        try:
            for part, check in self._checks.items():
                self._keep(part, _asked(check))
            self._looked = self._clock()
        finally:
            self._looking.release()
        return self._sentences()

    def _keep(self, part: str, found: tuple[str, ...]) -> None:
        before = self._found.get(part, ())
        self._found[part] = found
        if found and found != before:
            log.warning("part.troubled", part=part, reason=" ".join(found))
        elif before and not found:
            log.info("part.well_again", part=part)

    def _sentences(self) -> list[str]:
        return [sentence for part in self._checks for sentence in self._found.get(part, ())]


def _asked(check: Check) -> tuple[str, ...]:
    try:
        return tuple(check())
    except SondeError as error:
        return (str(error),)
