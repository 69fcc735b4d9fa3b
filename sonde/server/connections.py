"""Connections of one process: waitress, which reads a request completely before it uses a thread, with time limits.

A slow client occupies only a socket. A socket without an active request is closed when its time is over, or when
others need its place.
"""

from __future__ import annotations

import heapq
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import structlog
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import WSGITask

from search_api.http.response_headers import LARGEST_BODY_BYTES

log = structlog.get_logger(__name__)

_LARGEST_STRANGERS_BODY = 2 * 1024 * 1024
_LARGEST_HEADERS = 64 * 1024
_READ_BYTES = 64 * 1024
_UNREAD_BYTES = 128 * 1024
"""What the kernel takes of a body that nobody has read; else six megabytes, of each body that is refused too."""
_LOOK_EVERY_S = 1.0
_NEVER_S = 10**9
_ACCEPTED_AT_ONCE = 64
_MANY = 100
_MOMENT_S = 0.0005
_MOST_MOMENTS = 4

Application = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Time limits of a connection, in seconds.

    ``headers``: from the first byte of a request, or from the connection, to the end of its headers. ``idle``: between
    two requests. Bodies and answers have ``grace`` plus the time that ``bytes_per_s`` needs. ``bodies_bytes``: the
    limit for unfinished bodies of all connections together.
    """

    headers: float = 10.0
    idle: float = 75.0
    grace: float = 15.0
    bytes_per_s: int = 8 * 1024
    connections: int = 1000
    bodies_bytes: int = 256 * 1024 * 1024


class _Threads:
    """The dispatcher of waitress: gives each complete request to a thread; threads start as needed."""

    def __init__(self, most: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(most, thread_name_prefix=name)

    def add_task(self, channel: HTTPChannel) -> None:
        self._pool.submit(_serve, channel)

    def shutdown(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _serve(channel: HTTPChannel) -> None:
    try:
        channel.service()
    except Exception as error:
        log.error("connection.failed", error=type(error).__name__, exc_info=error)


class _Task(WSGITask):
    """One answer; the last one of its connection while the server stops."""

    def write(self, data: bytes) -> None:
        """The head leaves together with the first part of the body."""
        if self.wrote_header:
            super().write(data)
        else:
            with cast("_Connection", self.channel).together():
                super().write(data)

    def build_response_header(self) -> bytes:
        server: Any = self.channel.server
        if server.finishing:
            self.set_close_on_finish()
        header: bytes = super().build_response_header()
        return header


class _Parser(HTTPRequestParser):
    """A body larger than two MiB needs a key: no public request is larger. Ambiguous headers are 400: a proxy before us
    might read them otherwise.
    """

    adj: Adjustments

    def parse_header(self, header_plus: bytes) -> None:
        _refuse_ambiguous(header_plus)
        super().parse_header(header_plus)
        if "AUTHORIZATION" not in self.headers:
            self.adj = _WITHOUT_KEY


def _refuse_ambiguous(header_plus: bytes) -> None:
    """Raises ParsingError for two hosts, and for two ways to say how long the body is (RFC 9112, 3.2 and 6.3)."""
    first, *lines = header_plus.split(b"\r\n")
    given: dict[bytes, list[bytes]] = {}
    for line in lines:
        name, _, value = line.partition(b":")
        given.setdefault(name.strip().lower(), []).append(value.strip())
    hosts, codings = given.get(b"host", []), given.get(b"transfer-encoding", [])
    if len(hosts) > 1 or any(separator in host for host in hosts for separator in (b",", b" ", b"\t")):
        raise ParsingError("There must be one Host header with one host")
    if codings and (b"content-length" in given or len(codings) > 1 or not first.endswith(b"HTTP/1.1")):
        raise ParsingError("Transfer-Encoding must be alone, without Content-Length")


class _Connection(HTTPChannel):
    """One connection, with the times at which its current activity started."""

    parser_class = _Parser
    task_class = _Task
    began = 0.0
    """When reading of the current request began; 0: no request."""
    writing_since = 0.0
    """Since when there is output to write; 0: there is none."""
    written = 0
    _held: list[bytes] | None = None
    """Parts of the output that will leave together."""
    _is_sending = False
    """Whether a thread that answers is sending."""

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.began = time.time()
        taken: bool = super().received(data)
        if self.request is None:
            self.began = 0.0
        return taken

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.written += sent
        return sent

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is written inside leaves as one piece at the end."""
        held = self._held = []
        try:
            yield
        finally:
            self._held = None
        self.write_soon(b"".join(held))

    def write_soon(self, data: bytes) -> int:
        if self._held is not None and isinstance(data, bytes):
            self._held.append(data)
            return len(data)
        self._is_sending = True
        try:
            taken: int = super().write_soon(data)
        finally:
            self._is_sending = False
        if self.total_outbufs_len:
            self.server.pull_trigger()
        return taken

    def writable(self) -> bool:
        """Whether the poll has to send: not while another thread sends, because it would find the output locked and
        look again without a pause. Past the watermark that thread waits for the poll.
        """
        if self._is_sending and not self.will_close and self.total_outbufs_len <= self.adj.outbuf_high_watermark:
            return False
        return bool(super().writable())

    @property
    def body_bytes(self) -> int:
        """The size of an unfinished body."""
        return self.request.body_bytes_received if self.request is not None else 0

    @property
    def in_hand(self) -> bool:
        """Whether a request is being answered, or an answer is being written."""
        return bool(self.requests or self.total_outbufs_len)

    def is_late(self, now: float, limits: ConnectionLimits) -> bool:
        if self.total_outbufs_len:
            if not self.writing_since:
                self.writing_since, self.written = now, 0
            return now - self.writing_since > limits.grace + self.written / limits.bytes_per_s
        self.writing_since = 0.0
        if self.requests:
            return False
        if self.request is not None and self.request.headers_finished:
            return now - self.began > limits.grace + self.body_bytes / limits.bytes_per_s
        if self.began:
            return now - self.began > limits.headers
        is_new = self.last_activity == self.creation_time
        return now - self.last_activity > (limits.headers if is_new else limits.idle)


class Connections(TcpWSGIServer):
    """Accepts connections of one listening socket. ``adj`` is waitress's name for its settings."""

    channel_class = _Connection
    finishing = False

    def __init__(self, application: Application, sock: socket.socket, adj: Adjustments, **given: Any) -> None:
        self._limits: ConnectionLimits = given.pop("limits")
        self._looked = 0.0
        sockinfo = (sock.family, sock.type, sock.proto, sock.getsockname())
        super().__init__(application, _sock=sock, adj=adj, sockinfo=sockinfo, bind_socket=False, **given)

    def handle_accept(self) -> None:
        """Accepts a connection; if many are open, all waiting ones up to a number, because then a poll is the larger
        cost.

        A process with many connections waits a moment, so that one with fewer on the same port comes first.
        """
        held = len(self._open)
        if held < _MANY:
            time.sleep(_MOMENT_S * min(held, _MOST_MOMENTS))
            super().handle_accept()
            return
        self._make_room(len(self._open) + _ACCEPTED_AT_ONCE - self._limits.connections)
        for _ in range(_ACCEPTED_AT_ONCE):
            before = len(self._open)
            super().handle_accept()
            if len(self._open) == before:
                return

    @property
    def _open(self) -> list[_Connection]:
        given: Any = self.active_channels
        return list(given.values())

    def look(self) -> None:
        """Once a second: closes late connections, and the largest unfinished bodies if together they are too large.

        Only between two polls: within one, the number of a closed socket may already be a new connection's.
        """
        now = time.time()
        if now - self._looked < _LOOK_EVERY_S:
            return
        self._looked = now
        for connection in self._open:
            if connection.is_late(now, self._limits):
                connection.handle_close()
        bodies = sorted(self._open, key=lambda one: one.body_bytes)
        total = sum(one.body_bytes for one in bodies)
        while total > self._limits.bodies_bytes:
            largest = bodies.pop()
            total -= largest.body_bytes
            largest.handle_close()

    def _make_room(self, places: int) -> None:
        """Closes, at the next poll, the connections that have been idle for longest."""
        waiting = [one for one in self._open if not one.in_hand] if places > 0 else []
        for connection in heapq.nsmallest(places, waiting, key=lambda one: one.began or one.last_activity):
            connection.will_close = True

    def finish(self) -> None:
        """Accepts no new connection; active requests are answered. Call this and the following only between two
        polls.
        """
        self.finishing = True
        wasyncore.dispatcher.close(self)  # not our own `close`, which also removes the poll's trigger

    def close_idle(self) -> None:
        """Closes the idle connections."""
        for connection in self._open:
            if not connection.in_hand:
                connection.handle_close()


def connections(
    application: Application,
    sock: socket.socket,
    polled: dict[int, Any],
    *,
    threads: int,
    limits: ConnectionLimits,
    proxies: int = 0,
) -> Connections:
    """Starts to accept connections; ``polled`` gets their sockets. Without ``proxies`` of ours, forwarded addresses are
    ignored.
    """
    adj = Adjustments(
        sockets=[sock],
        ident=None,
        connection_limit=limits.connections + 10 * _ACCEPTED_AT_ONCE,
        cleanup_interval=_NEVER_S,  # `look` does it
        max_request_header_size=_LARGEST_HEADERS,
        max_request_body_size=LARGEST_BODY_BYTES,
        recv_bytes=_READ_BYTES,
        channel_request_lookahead=1,  # notices a connection that ends while its request waits
        asyncore_use_poll=True,
        clear_untrusted_proxy_headers=proxies == 0,
    )
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _UNREAD_BYTES)  # what it accepts inherits it
    dispatcher = _Threads(threads, f"sonde-{sock.getsockname()[1]}")
    return Connections(application, sock, adj, map=polled, dispatcher=dispatcher, limits=limits)


_WITHOUT_KEY = Adjustments(max_request_header_size=_LARGEST_HEADERS, max_request_body_size=_LARGEST_STRANGERS_BODY)
