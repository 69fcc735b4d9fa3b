"""Nodes of Elasticsearch: HTTP over cached connections, a deadline, a circuit breaker, and a pool for many threads.

elastic_transport's own node (urllib3, which workers and commands use) costs a search 4 to 7 % more processor time
(docs/adr/0034). Both go through the standard library's ``http.client``.
"""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import certifi
from elastic_transport import (
    ApiResponseMeta,
    BaseNode,
    ConnectionTimeout,
    HttpHeaders,
    NodeConfig,
    NodePool,
    TlsError,
    TransportError,
)
from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport._node import NodeApiResponse
from elastic_transport.client_utils import DEFAULT, DefaultType

from core.deadlines import LEAST_S, Breaker, BreakerPolicy, CircuitOpen, remaining_s

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_READ_BYTES = 64 * 1024


class HttpNode(BaseNode):
    """A node behind open connections; thread-safe. There are no redirects, cookies, compression or retries.

    Of a node's options it obeys address, headers, ``request_timeout`` (seconds for the whole request, not for each
    read), ``connections_per_node`` (the most idle connections that stay open) and ``ca_certs``. A certificate is always
    checked.
    """

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._connect = (
            partial(http.client.HTTPSConnection, config.host, config.port, context=_tls(config))
            if config.scheme == "https"
            else partial(http.client.HTTPConnection, config.host, config.port)
        )
        self._idle: deque[http.client.HTTPConnection] = deque()
        self._defaults = dict(self.headers)

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> NodeApiResponse:
        """Never sends a request twice: it is unknown whether one that failed was executed."""
        timeout_s = self.config.request_timeout if isinstance(request_timeout, DefaultType) else request_timeout
        start_s = time.monotonic()
        deadline = None if timeout_s is None else start_s + timeout_s
        try:
            response, content = self._exchange(method, target, body, self._defaults | dict(headers or {}), deadline)
        except TimeoutError as error:
            raise ConnectionTimeout("Connection timed out during request", errors=(error,)) from error
        except ssl.SSLError as error:
            raise TlsError(str(error), errors=(error,)) from error
        except OSError as error:
            raise TransportConnectionError(str(error), errors=(error,)) from error
        took_s = time.monotonic() - start_s
        meta = ApiResponseMeta(response.status, "1.1", HttpHeaders(response.headers.items()), took_s, self.config)
        return NodeApiResponse(meta, content)

    def _exchange(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], deadline: float | None
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection = self._connection(deadline)
        try:
            connection.request(method, f"{self.path_prefix}{target}", body, headers)
            answer = _answer(connection, deadline)
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None and len(self._idle) < self.config.connections_per_node:
            self._idle.append(connection)
        else:
            connection.close()
        return answer

    def _connection(self, deadline: float | None) -> http.client.HTTPConnection:
        """The connection used last that the server still holds open, else a new one that opens when it is used."""
        remaining_time = _seconds_until(deadline)
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if _is_open(connection.sock):
                    connection.sock.settimeout(remaining_time)
                    return connection
                connection.close()
        return self._connect(timeout=remaining_time)

    def close(self) -> None:
        """Closes the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


def _answer(connection: http.client.HTTPConnection, deadline: float | None) -> tuple[http.client.HTTPResponse, bytes]:
    """The response and its body. Raises OSError."""
    connection.response_class = partial(_Response, deadline=deadline)  # type: ignore[assignment]
    try:
        response = connection.getresponse()
        return response, response.read()
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(f"The answer is not HTTP, or it ended too early: {error!r}"[:500]) from error


class _Response(http.client.HTTPResponse):
    """A response that is complete in time, however little each read brings."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, *, deadline: float | None
    ) -> None:
        super().__init__(sock, debuglevel, method)
        self.fp = io.BufferedReader(_TimedReader(sock, self.fp.detach(), deadline), _READ_BYTES)


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, raw: io.RawIOBase, deadline: float | None) -> None:
        self._sock = sock
        self._raw = raw
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(_seconds_until(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        super().close()
        self._raw.close()


def _is_open(sock: socket.socket) -> bool:
    """Whether the server still holds it open: there is nothing to read on an idle connection, except its end."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return not poll.poll(0)


def _seconds_until(deadline: float | None) -> float | None:
    """Seconds until then. Raises TimeoutError if there are none."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("The time for this call is over.")
    return left


def _tls(config: NodeConfig) -> ssl.SSLContext:
    """Trusts the system's authorities and ``ca_certs``, else certifi's; the name or address must fit."""
    context = ssl.create_default_context()
    context.load_verify_locations(config.ca_certs or certifi.where())
    return context


class GuardedNode(HttpNode):
    """Obeys the deadline of the current HTTP request, and pauses for a second after several failures."""

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
        timeout = self._within_deadline(request_timeout)  # an expired deadline is not a failure of the node
        try:
            with self._breaker.guarding(TransportError):
                return super().perform_request(method, target, body, headers, timeout)
        except CircuitOpen as error:
            raise TransportConnectionError(str(error)) from error

    def _within_deadline(self, request_timeout: DefaultType | float | None) -> DefaultType | float | None:
        """The call's own timeout, or the remaining time of the request if shorter. Raises ConnectionTimeout."""
        remaining_time = remaining_s()
        if remaining_time is None:
            return request_timeout
        if remaining_time < LEAST_S:
            raise ConnectionTimeout("The request's deadline has passed")
        configured = request_timeout if isinstance(request_timeout, int | float) else self.config.request_timeout
        return remaining_time if configured is None else min(float(configured), remaining_time)


class LockedNodePool(NodePool):
    """Only one thread at a time chooses or removes a node. With a single node there is nothing to choose.

    elastic_transport iterates over the living nodes without a lock. If another thread marks one as dead at that moment,
    a RuntimeError ("dictionary changed size during iteration") leaves the client, and no caller expects it. Found by
    `sonde chaos cluster --break cut`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._lock = threading.Lock()
        super().__init__(*args, **kwargs)
        self._single = self.all()[0] if len(self) == 1 else None

    def get(self) -> BaseNode:
        if self._single is not None:
            return self._single
        with self._lock:
            return super().get()

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        if self._single is None:
            with self._lock:
                super().mark_dead(node, _now)

    def mark_live(self, node: BaseNode) -> None:
        if self._single is None:
            with self._lock:
                super().mark_live(node)
