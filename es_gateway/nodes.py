"""How a node of Elasticsearch is asked over HTTP."""

from __future__ import annotations

from typing import Any

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, HttpHeaders, NodeConfig, TransportError, Urllib3HttpNode
from elastic_transport.client_utils import DEFAULT

from core.breaker import Breaker, BreakerPolicy, CircuitOpen
from core.deadlines import LEAST_S, remaining_s

HttpNode = Urllib3HttpNode
"""What measures its requests extends this one."""


class GuardedNode(Urllib3HttpNode):
    """Asked within the deadline of the request, and not at all for a second after it failed several times."""

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
        timeout = self._shortened(request_timeout)  # a deadline that has passed is no failure of the node's
        try:
            with self._breaker.guarding(TransportError):
                return super().perform_request(method, target, body, headers, timeout)
        except CircuitOpen as error:
            raise TransportConnectionError(str(error)) from error

    def _shortened(self, request_timeout: object) -> Any:
        """The call's own time, or what is left of the request's where that is less. Raises ConnectionTimeout."""
        left = remaining_s()
        if left is None:
            return request_timeout
        if left < LEAST_S:
            raise ConnectionTimeout("The request's deadline has passed")
        own = request_timeout if isinstance(request_timeout, int | float) else self.config.request_timeout
        return left if own is None else min(float(own), left)
