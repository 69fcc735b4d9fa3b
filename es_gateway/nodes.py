"""HTTP requests to a node of Elasticsearch."""

from __future__ import annotations

import ssl
import time

import certifi
from elastic_transport import (
    ApiResponseMeta,
    BaseNode,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
    TlsError,
    TransportError,
)
from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport._node import NodeApiResponse
from elastic_transport.client_utils import DEFAULT, DefaultType

from core.breaker import Breaker, BreakerPolicy, CircuitOpen
from core.deadlines import LEAST_S, remaining_s
from es_gateway.kept_connections import KeptConnections


class HttpNode(BaseNode):
    """A node behind kept connections. ``request_timeout`` limits the whole request, not each of its reads.

    Of the options of a node it knows address, headers, ``request_timeout``, ``connections_per_node`` (idle ones) and
    ``ca_certs``; a certificate is always checked.
    """

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._connections = KeptConnections(config.host, config.port, _tls(config), config.connections_per_node)
        self._always = {name.lower(): value for name, value in self.headers.items()}

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> NodeApiResponse:
        all_headers = self._always | {name.lower(): value for name, value in (headers or {}).items()}
        timeout_s = self.config.request_timeout if isinstance(request_timeout, DefaultType) else request_timeout
        started = time.monotonic()
        try:
            reply = self._connections.ask(method, f"{self.path_prefix}{target}", all_headers, body, timeout_s)
        except TimeoutError as error:
            raise ConnectionTimeout("Connection timed out during request", errors=(error,)) from error
        except ssl.SSLError as error:
            raise TlsError(str(error), errors=(error,)) from error
        except OSError as error:
            raise TransportConnectionError(str(error), errors=(error,)) from error
        took_s = time.monotonic() - started
        meta = ApiResponseMeta(reply.status, "1.1", HttpHeaders(reply.headers.items()), took_s, self.config)
        return NodeApiResponse(meta, reply.body)

    def close(self) -> None:
        self._connections.close()


class GuardedNode(HttpNode):
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
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> NodeApiResponse:
        timeout = self._shortened(request_timeout)  # an expired deadline is not a failure of the node
        try:
            with self._breaker.guarding(TransportError):
                return super().perform_request(method, target, body, headers, timeout)
        except CircuitOpen as error:
            raise TransportConnectionError(str(error)) from error

    def _shortened(self, request_timeout: DefaultType | float | None) -> DefaultType | float | None:
        """The call's own timeout, or the remaining time of the request if shorter. Raises ConnectionTimeout."""
        left = remaining_s()
        if left is None:
            return request_timeout
        if left < LEAST_S:
            raise ConnectionTimeout("The request's deadline has passed")
        own = request_timeout if isinstance(request_timeout, int | float) else self.config.request_timeout
        return left if own is None else min(float(own), left)


def _tls(config: NodeConfig) -> ssl.SSLContext | None:
    """Trusts the system's authorities and ``ca_certs``, else certifi's; the name or address must fit."""
    if config.scheme != "https":
        return None
    context = ssl.create_default_context()
    context.load_verify_locations(config.ca_certs or certifi.where())
    return context
