"""Connections of one process: waitress, which reads a request completely before it uses a thread, with time limits.

A slow client occupies only a socket. A socket without an active request is closed when its time is over, or when
others need its place.
"""

from __future__ import annotations

import heapq
import re
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import structlog
from waitress import wasyncore
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, WSGITask
from waitress.utilities import Error, RequestEntityTooLarge, RequestHeaderFieldsTooLarge

from search_api.http.problems import Problem
from search_api.http.responses import LARGEST_BODY_BYTES

log = structlog.get_logger(__name__)

LARGEST_BODY_WITHOUT_KEY = 2 * 1024 * 1024
_LARGEST_HEADERS = 64 * 1024
_READ_BYTES = 64 * 1024
_KERNEL_BUFFER_BYTES = 128 * 1024
"""What the kernel accepts of a body that nobody has read. The default is six megabytes, of refused bodies too."""
_CHECK_EVERY_S = 1.0
_NEVER_S = 10**9
_ACCEPTS_AT_ONCE = 64
_MANY_CONNECTIONS = 100
_PAUSE_S = 0.0005
_LONGEST_PAUSES = 4
_HOSTS, _CODINGS, _LENGTHS = (
    re.compile(rb"\r\n[^\S\r\n]*" + name + rb"[^\S\r\n]*:([^\r\n]*)", re.IGNORECASE)
    for name in (rb"host", rb"transfer-encoding", rb"content-length")
)

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


class _Dispatcher:
    """Gives each complete request to a thread; threads start as needed, and waitress's own all at once."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)

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

    channel: _Connection

    def write(self, data: bytes) -> None:
        """The head is sent together with the first part of the body."""
        if self.wrote_header:
            super().write(data)
        else:
            with self.channel.joined_output():
                super().write(data)

    def build_response_header(self) -> bytes:
        server: Any = self.channel.server
        if server.finishing:
            self.set_close_on_finish()
        header: bytes = super().build_response_header()
        return header


class _Refusal(ErrorTask):
    """The answer to a request that no view gets, as problem+json (RFC 9457)."""

    def execute(self) -> None:
        request: Any = self.request
        status = HTTPStatus(request.error.code)
        body = Problem(title=status.phrase, status=status, detail=_reason(request.error, request))
        text = body.model_dump_json(exclude_none=True).encode()
        self.status = f"{status.value} {status.phrase}"
        self.response_headers = [("Content-Type", "application/problem+json")]
        self.set_close_on_finish()
        self.content_length = len(text)
        self.write(text)


def _reason(error: Error, request: HTTPRequestParser) -> str:
    """Why the request is refused, in one sentence for a person."""
    match error:
        case RequestHeaderFieldsTooLarge():
            return f"The headers are longer than {_LARGEST_HEADERS} bytes."
        case RequestEntityTooLarge():
            largest = request.adj.max_request_body_size
            hint = "" if "AUTHORIZATION" in request.headers else " without a key"
            return f"The body is larger than {largest} bytes, the limit{hint}."
        case _:
            return str(error.body)


class _Parser(HTTPRequestParser):
    """A body larger than two MiB needs a key, because no public request is larger. Ambiguous headers are answered with
    400, because a proxy in front might understand them differently.
    """

    adj: Adjustments

    def parse_header(self, header_plus: bytes) -> None:
        _refuse_ambiguous(header_plus)
        super().parse_header(header_plus)
        if "AUTHORIZATION" not in self.headers:
            self.adj = _WITHOUT_KEY


def _refuse_ambiguous(header_plus: bytes) -> None:
    """Raises ParsingError for two hosts, and for two ways to say how long the body is (RFC 9112, 3.2 and 6.3)."""
    hosts, codings = _HOSTS.findall(header_plus), _CODINGS.findall(header_plus)
    if len(hosts) > 1 or any(separator in host.strip() for host in hosts for separator in (b",", b" ", b"\t")):
        raise ParsingError("There must be one Host header with one host")
    is_old = not header_plus.partition(b"\r\n")[0].endswith(b"HTTP/1.1")
    if codings and (len(codings) > 1 or is_old or _LENGTHS.search(header_plus)):
        raise ParsingError("Transfer-Encoding must be alone, without Content-Length")


class _Connection(HTTPChannel):
    """One connection, with the times at which its current activity started."""

    parser_class = _Parser
    task_class = _Task
    error_task_class = _Refusal
    reading_since = 0.0
    """When reading of the current request began; 0: no request."""
    writing_since = 0.0
    """Since when there is output to write; 0: there is none."""
    written = 0
    _pieces: list[bytes] | None = None
    """Parts of the output that will be sent as one piece."""
    _is_sending = False
    """Whether a thread that answers is sending."""

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.reading_since = time.time()
        more_to_read: bool = super().received(data)
        if self.request is None:
            self.reading_since = 0.0
        return more_to_read

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close=do_close)
        self.written += sent
        return sent

    @contextmanager
    def joined_output(self) -> Iterator[None]:
        """Sends what is written inside as one piece at the end."""
        parts = self._pieces = []
        try:
            yield
        finally:
            self._pieces = None
        self.write_soon(b"".join(parts))

    def write_soon(self, data: bytes) -> int:
        if self._pieces is not None and isinstance(data, bytes):
            self._pieces.append(data)
            return len(data)
        self._is_sending = True
        try:
            accepted: int = super().write_soon(data)
        finally:
            self._is_sending = False
        if self.total_outbufs_len:
            self.server.pull_trigger()
        return accepted

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
    def is_active(self) -> bool:
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
            return now - self.reading_since > limits.grace + self.body_bytes / limits.bytes_per_s
        if self.reading_since:
            return now - self.reading_since > limits.headers
        is_new = self.last_activity == self.creation_time
        return now - self.last_activity > (limits.headers if is_new else limits.idle)


class ConnectionServer(TcpWSGIServer):
    """Accepts the connections of one listening socket."""

    channel_class = _Connection
    finishing = False

    def __init__(
        self,
        application: Application,
        sock: socket.socket,
        *,
        threads: int,
        limits: ConnectionLimits,
        proxies: int = 0,
    ) -> None:
        """Without ``proxies`` of ours, forwarded addresses are ignored."""
        self._limits = limits
        self._last_check = 0.0
        self._sockets: dict[int, Any] = {}
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _KERNEL_BUFFER_BYTES)  # accepted sockets inherit it
        settings = Adjustments(
            sockets=[sock],
            ident=None,
            connection_limit=limits.connections + 10 * _ACCEPTS_AT_ONCE,
            cleanup_interval=_NEVER_S,  # `poll` does it
            max_request_header_size=_LARGEST_HEADERS,
            max_request_body_size=LARGEST_BODY_BYTES,
            recv_bytes=_READ_BYTES,
            channel_request_lookahead=1,  # notices a connection that ends while its request waits
            asyncore_use_poll=True,
            clear_untrusted_proxy_headers=proxies == 0,
        )
        dispatcher: Any = _Dispatcher(threads, f"sonde-{sock.getsockname()[1]}")
        super().__init__(
            application,
            map=self._sockets,
            dispatcher=dispatcher,
            adj=settings,
            _sock=sock,
            sockinfo=(sock.family, sock.type, sock.proto, sock.getsockname()),
            bind_socket=False,
        )

    def poll(self, wait_s: float = 0.5) -> None:
        """Reads and writes once; waits at most so long for something to do. Once a second, closes what breaks a limit:
        late connections, and the largest unfinished bodies if together they are too large.
        """
        # Not within a poll: there, the number of a closed socket may already be a new connection's.
        if time.time() - self._last_check >= _CHECK_EVERY_S:
            self._last_check = time.time()
            self._enforce_limits()
        wasyncore.poll2(wait_s, self._sockets)

    def handle_accept(self) -> None:
        """Accepts a connection; if many are open, all waiting ones up to a number, because then a poll is the larger
        cost.

        A process with many connections waits a moment, so that one with fewer on the same port comes first.
        """
        number = len(self._open)
        if number < _MANY_CONNECTIONS:
            time.sleep(_PAUSE_S * min(number, _LONGEST_PAUSES))
            super().handle_accept()
            return
        self._make_room(number + _ACCEPTS_AT_ONCE - self._limits.connections)
        for _ in range(_ACCEPTS_AT_ONCE):
            count_before = len(self._open)
            super().handle_accept()
            if len(self._open) == count_before:
                return

    @property
    def _open(self) -> list[_Connection]:
        channels: Any = self.active_channels
        return list(channels.values())

    def _enforce_limits(self) -> None:
        for connection in self._open:
            if connection.is_late(self._last_check, self._limits):
                connection.handle_close()
        by_size = sorted(self._open, key=lambda connection: connection.body_bytes)
        total = sum(connection.body_bytes for connection in by_size)
        while total > self._limits.bodies_bytes:
            largest_request = by_size.pop()
            total -= largest_request.body_bytes
            largest_request.handle_close()

    def _make_room(self, places: int) -> None:
        """Closes, at the next poll, the connections that have been idle for longest."""
        idle = [connection for connection in self._open if not connection.is_active] if places > 0 else []
        for connection in heapq.nsmallest(places, idle, key=lambda idle: idle.reading_since or idle.last_activity):
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
            if not connection.is_active:
                connection.handle_close()


_WITHOUT_KEY = Adjustments(max_request_header_size=_LARGEST_HEADERS, max_request_body_size=LARGEST_BODY_WITHOUT_KEY)
