"""Reads what links of a record lead to, at other hosts: through the gate, and a few at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import structlog

from core.errors import InvalidInput, NotFound, SondeError, Unavailable
from core.record import Link, Record
from net.gate import Gate
from net.targets import host_of

_WAIT_S = 2.0
log = structlog.get_logger(__name__)


class UnreadableData(Unavailable):
    """The host answers, with something that cannot be shown."""


class LinkedHosts:
    """Thread-safe. ``gate`` None: switched off. ``at_once`` links are read; a further request must come again.

    ``data`` is the kind of data, for messages: ``table``.
    """

    def __init__(self, gate: Callable[[], Gate] | None, data: str, at_once: int) -> None:
        self._gate, self._data = gate, data
        self._slots = threading.BoundedSemaphore(at_once)

    @contextmanager
    def open_link(
        self, record: Record, links: Sequence[Link], href: str | None, kinds: str
    ) -> Iterator[tuple[Link, Gate]]:
        """One of ``links`` and the gate to read it; ``href``: its address, None: the first. ``kinds`` names all kinds.

        Raises NotFound for any other address, Unavailable if the body fails because of the host.
        """
        link = next((link for link in links if href in (None, link.href)), None)
        if link is None or self._gate is None:
            wanted = kinds if href is None else f"a {self._data} at this address"
            raise NotFound(f"The record {record.id!r} has no link to {wanted}.")
        if not self._slots.acquire(timeout=_WAIT_S):
            raise Unavailable(f"Too many {self._data}s are being read; try again.")
        try:
            yield link, self._gate()
        except (InvalidInput, NotFound, UnreadableData):
            raise
        except SondeError as error:
            # The reason of a refused target would reveal our network, so it is only in the log.
            host = host_of(link.href)
            log.info("linked_data.failed", data=self._data, record=record.id, host=host, reason=str(error))
            raise Unavailable(f"{host} did not send the {self._data}.") from error
        finally:
            self._slots.release()
