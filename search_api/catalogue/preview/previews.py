"""A record's preview: its first available picture, fetched through the gate, within limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from core.errors import NotFound, Unavailable
from core.record import Record
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from search_api.catalogue.preview.choose import candidates
from search_api.catalogue.preview.kept import Drawn, Kept
from search_api.catalogue.preview.thumbnail import NotAPicture, thumbnail

log = structlog.get_logger(__name__)

_ACCEPT = "image/webp,image/png,image/jpeg,image/gif;q=0.9"


@dataclass(frozen=True, slots=True)
class PreviewLimits:
    """Limits of bytes and time for one picture of another host. ``at_once`` are fetched; others wait ``wait_s``."""

    max_bytes: int = 8 * 1024 * 1024
    timeout_s: float = 4.0
    at_once: int = 2
    wait_s: float = 2.0


class Previews:
    """Thread-safe. ``gate`` None: previews are switched off, and no record has one."""

    def __init__(
        self, gate: Callable[[], Gate] | None, limits: PreviewLimits | None = None, kept: Kept | None = None
    ) -> None:
        self._gate = gate
        self._limits = limits or PreviewLimits()
        self._kept = kept or Kept(time.monotonic)
        self._fetching = threading.BoundedSemaphore(self._limits.at_once)

    def offered(self, record: Record) -> bool:
        """Whether a request can succeed: the record names a picture, and previews are on."""
        return self._gate is not None and bool(candidates(record))

    def of(self, record: Record) -> bytes:
        """A small WebP. Raises NotFound if no picture of the record can be shown, Unavailable under load."""
        if self._gate is None:
            raise NotFound("Previews are switched off here.")
        pictures = candidates(record)
        for address in pictures:
            drawn = self._drawn(address, self._gate)
            if drawn.picture is not None:
                return drawn.picture
        raise NotFound(_hidden(record) if pictures else _none(record))

    def _drawn(self, address: str, gate: Callable[[], Gate]) -> Drawn:
        known = self._kept.get(address)
        if known is not None:
            return known
        if not self._fetching.acquire(timeout=self._limits.wait_s):
            raise Unavailable("Too many previews are being fetched; try again.")
        try:
            known = self._kept.get(address)  # another request may have fetched it meanwhile
            if known is None:
                known = self._fetched(address, gate())
                self._kept.put(address, known)
            return known
        finally:
            self._fetching.release()

    def _fetched(self, address: str, gate: Gate) -> Drawn:
        asked = Outgoing(
            address,
            headers={"accept": _ACCEPT},
            max_bytes=self._limits.max_bytes,
            timeout_s=self._limits.timeout_s,
        )
        try:
            return Drawn(thumbnail(gate.request(asked).expect_ok().content))
        except (Refused, BadStatus, Unavailable, NotAPicture) as error:
            log.info("preview.none", address=address, reason=str(error))
            return Drawn(None, str(error))


def _hidden(record: Record) -> str:
    """The same message for every error: the reason would reveal hosts of our own network. It is in the log."""
    return f"The preview of {record.id!r} cannot be shown."


def _none(record: Record) -> str:
    return f"The metadata of {record.id!r} name no preview."
