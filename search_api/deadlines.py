"""One request has one deadline, and every call to Elasticsearch gets what is left of it; it may be in a hurry too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, HttpHeaders, NodeConfig, TransportError, Urllib3HttpNode
from elastic_transport.client_utils import DEFAULT

from search_api.breaker import Breaker, CircuitOpen, Patience

_UNTIL: ContextVar[float | None] = ContextVar("sonde_deadline", default=None)
_HURRIED: ContextVar[bool] = ContextVar("sonde_hurried", default=False)

LEAST_S = 0.05
"""With less than this left a call is not begun: it could only be given up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is called inside has to be done in ``seconds``; an earlier deadline further out stays."""
    now = time.monotonic()
    outer = _UNTIL.get()
    token = _UNTIL.set(now + seconds if outer is None else min(outer, now + seconds))
    try:
        yield
    finally:
        _UNTIL.reset(token)


def remaining_s() -> float | None:
    """Seconds until the deadline of this request, below 0 when it has passed; None where there is none."""
    until = _UNTIL.get()
    return None if until is None else until - time.monotonic()


@contextmanager
def in_a_hurry() -> Iterator[None]:
    """Others wait: what is called inside leaves out what it can do without."""
    token = _HURRIED.set(True)
    try:
        yield
    finally:
        _HURRIED.reset(token)


def hurried() -> bool:
    """Whether this request is in a hurry."""
    return _HURRIED.get()


def as_timeout() -> dict[str, str]:
    """The member ``timeout`` of a search's body: Elasticsearch stops looking when nobody waits any more."""
    left = remaining_s()
    return {} if left is None else {"timeout": f"{max(1, int(left * 1000))}ms"}


class GuardedNode(Urllib3HttpNode):
    """A node of Elasticsearch as the API asks it: within the deadline, and not at all for a second after it failed."""

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._breaker = Breaker("Elasticsearch", Patience(failures=5, pause_s=1.0))

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: Any = DEFAULT,
    ) -> Any:
        timeout = self._shortened(request_timeout)  # a deadline that has passed is no failure of the node's
        try:
            with self._breaker.guarding(TransportError):
                return super().perform_request(method, target, body, headers, timeout)
        except CircuitOpen as error:
            raise TransportConnectionError(str(error)) from error

    def _shortened(self, request_timeout: Any) -> Any:
        """The call's own time, or what is left of the request's where that is less. Raises ConnectionTimeout."""
        left = remaining_s()
        if left is None:
            return request_timeout
        if left < LEAST_S:
            raise ConnectionTimeout("The request's deadline has passed")
        own = request_timeout if isinstance(request_timeout, int | float) else self.config.request_timeout
        return left if own is None else min(float(own), left)
