"""HTTP requests to a node of Elasticsearch."""

from __future__ import annotations

from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, HttpHeaders, NodeConfig, TransportError, Urllib3HttpNode
from elastic_transport.client_utils import DEFAULT

from core.breaker import Breaker, BreakerPolicy, CircuitOpen
from core.deadlines import LEAST_S, remaining_s

HttpNode = Urllib3HttpNode
"""The base class for a node that measures requests."""


class GuardedNode(Urllib3HttpNode):
    """Obeys the deadline of the request, and pauses for a second after several failures."""

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._breaker = Breaker("Elasticsearch", BreakerPolicy(failures=5, pause_s=1.0))

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: object = DEFAULT,
    ) -> Any:
        timeout = self._shortened(request_timeout)  # an expired deadline is not a failure of the node
        try:
            with self._breaker.guarding(TransportError):
                return super().perform_request(method, target, body, headers, timeout)
        except CircuitOpen as error:
            raise TransportConnectionError(str(error)) from error

    def _shortened(self, request_timeout: object) -> Any:
        """The call's own timeout, or the remaining time of the request if shorter. Raises ConnectionTimeout."""
        left = remaining_s()
        if left is None:
            return request_timeout
        if left < LEAST_S:
            raise ConnectionTimeout("The request's deadline has passed")
        own = request_timeout if isinstance(request_timeout, int | float) else self.config.request_timeout
        return left if own is None else min(float(own), left)
