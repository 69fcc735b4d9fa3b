"""Nodes of Elasticsearch: HTTP over cached connections, a deadline, a circuit breaker, and a pool for many threads.

elastic_transport's own node (urllib3, which workers and commands use) costs a search more processor time (docs/adr/0034
and 0063).
"""

from __future__ import annotations

import re
import select
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import certifi
import httptools
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

_READ_BYTES = 64 * 1024
_LONGEST_HEAD = 32 * 1024
_SEARCHES = ("/_search", "/_msearch", "/_count", "/_mget")
_REPEATS = 2
_TARGET = re.compile(r"[\x21-\x7e]+")
_LENGTH_FIELDS = frozenset(("content-length", "transfer-encoding"))


class HttpNode(BaseNode):
    """A node behind open connections; thread-safe. There are no redirects, cookies, compression or retries.

    Of a node's options it obeys address, headers, ``request_timeout`` (seconds for the whole request, not for each
    read), ``connections_per_node`` (the most idle connections that stay open) and ``ca_certs``. A certificate is always
    checked.
    """

    def __init__(self, config: NodeConfig) -> None:
        super().__init__(config)
        self._tls = _tls(config) if config.scheme == "https" else None
        self._idle: deque[socket.socket] = deque()
        host = f"[{config.host}]" if ":" in config.host else config.host
        self._defaults = {"Host": f"{host}:{config.port}", "Accept-Encoding": "identity", **self.headers}

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> NodeApiResponse:
        """Never sends a request twice: it is unknown whether one that failed was executed. Raises ValueError for a head
        that a server would read as something else.
        """
        timeout_s = self.config.request_timeout if isinstance(request_timeout, DefaultType) else request_timeout
        start_s = time.monotonic()
        deadline = None if timeout_s is None else start_s + timeout_s
        fields = self._defaults | dict(headers.items() if headers else ())
        request = _head(method, f"{self.path_prefix}{target}", fields, body) + (body or b"")
        try:
            answer = self._exchange(request, deadline, has_body=method != "HEAD")
        except TimeoutError as error:
            raise ConnectionTimeout("Connection timed out during request", errors=(error,)) from error
        except ssl.SSLError as error:
            raise TlsError(str(error), errors=(error,)) from error
        except OSError as error:
            raise TransportConnectionError(str(error), errors=(error,)) from error
        took_s = time.monotonic() - start_s
        meta = ApiResponseMeta(answer.status, "1.1", HttpHeaders(answer.headers), took_s, self.config)
        return NodeApiResponse(meta, answer.body)

    def _exchange(self, request: bytes, deadline: float | None, *, has_body: bool) -> _Answer:
        connection = self._connection(deadline)
        try:
            connection.settimeout(_seconds_until(deadline))
            connection.sendall(request)
            answer = _Answer(has_body=has_body)
            answer.read(connection, deadline)
        except BaseException:
            connection.close()
            raise
        if answer.is_last or len(self._idle) >= self.config.connections_per_node:
            connection.close()
        else:
            self._idle.append(connection)
        return answer

    def _connection(self, deadline: float | None) -> socket.socket:
        """The connection used last that the server still holds open, else a new one."""
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()
                if _is_open(connection):
                    return connection
                connection.close()
        connection = socket.create_connection((self.config.host, self.config.port), _seconds_until(deadline))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            return connection
        connection.settimeout(_seconds_until(deadline))
        return self._tls.wrap_socket(connection, server_hostname=self.config.host)

    def close(self) -> None:
        """Closes the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


def _head(method: str, target: str, fields: Mapping[str, str], body: bytes | None) -> bytes:
    """The head of a request. Raises ValueError for a space or line break that would change its meaning."""
    lines = [f"{method} {target} HTTP/1.1", *[f"{name}: {value}" for name, value in fields.items()]]
    if body is not None or method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(body or b'')}")
    head = "\n".join(lines)
    if not _TARGET.fullmatch(target) or "\r" in head or head.count("\n") >= len(lines):
        raise ValueError("a request with a space or a line break in its head")
    return (head.replace("\n", "\r\n") + "\r\n\r\n").encode("latin-1")


class _Answer:
    """What llhttp, by httptools, finds in the bytes of one answer: it calls the methods that begin with ``on_``."""

    def __init__(self, *, has_body: bool) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.is_last = False
        """The server sends no further answer on this connection."""
        self._has_body = has_body
        self._is_complete = False
        self._pieces: list[bytes] = []

    @property
    def body(self) -> bytes:
        return b"".join(self._pieces)

    def read(self, connection: socket.socket, deadline: float | None) -> None:
        """Raises OSError if the answer is not HTTP, ends too early or is not there in time."""
        self._parser = httptools.HttpResponseParser(self)
        head_bytes = 0
        try:
            while not self._is_complete:
                connection.settimeout(_seconds_until(deadline))
                data = connection.recv(_READ_BYTES)
                if not data:
                    self._end()
                    break
                self._parser.feed_data(data)
                head_bytes += 0 if self.status else len(data)
                if head_bytes > _LONGEST_HEAD:
                    raise OSError("The answer's head is too long.")
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            raise OSError(f"The answer is not HTTP: {error}") from error
        finally:
            del self._parser  # which refers to this answer
        if self.status < 200:
            raise OSError("The answer is an interim one, which nobody asked for.")

    def _end(self) -> None:
        """The connection has ended, and so has an answer that does not say how long it is."""
        if not self.status or _LENGTH_FIELDS & self.headers.keys():
            raise OSError("The answer ended too early.")
        self.is_last = True

    def on_message_begin(self) -> None:
        self.is_last = self._is_complete  # a second answer, which nobody asked for

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.status:  # else of a trailer, or of another answer
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        if not self._is_complete:
            self.status = self._parser.get_status_code()
            self.is_last = not self._parser.should_keep_alive()
            self._is_complete = not self._has_body

    def on_body(self, data: bytes) -> None:
        if not self._is_complete:
            self._pieces.append(data)

    def on_message_complete(self) -> None:
        self._is_complete = True


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
    """Obeys the deadline of the current HTTP request, and pauses for a second after several failures.

    A search whose connection breaks is sent again at once: one address may be that of several nodes, of which one has
    just ended, and two of three connections go to the others.
    """

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
        repeats = _REPEATS if target.partition("?")[0].endswith(_SEARCHES) else 0
        timeout = self._within_deadline(request_timeout)  # an expired deadline is not a failure of the node
        try:
            with self._breaker.guarding(TransportError):
                for _ in range(repeats):
                    with suppress(TransportConnectionError):
                        return super().perform_request(method, target, body, headers, timeout)
                    timeout = self._within_deadline(request_timeout)
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
