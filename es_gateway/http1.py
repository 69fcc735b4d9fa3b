"""HTTP/1.1 to one server over kept connections: only what Elasticsearch and the proxies before it need.

A request costs a fifth of what urllib3 takes. There are no redirects, cookies, compression or retries.
"""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

_READ_BYTES = 256 * 1024
_LARGEST_HEAD = 64 * 1024
_BODILESS = frozenset((204, 304))


class Malformed(OSError):
    """The answer is not HTTP, or it ended too early."""


@dataclass(frozen=True, slots=True)
class Reply:
    """``headers``: names in lower case; of a repeated one the last value."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class HttpServer:
    """One server; thread-safe. ``tls`` None: without TLS. At most ``kept`` idle connections stay open.

    ``source``: the address of this machine to ask from.
    """

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext | None = None, kept: int = 10, source: str | None = None
    ) -> None:
        self._address = (host, port)
        self._tls = tls
        self._kept = kept
        self._source = None if source is None else (source, 0)
        self._idle: deque[_Connection] = deque()
        name = f"[{host}]" if ":" in host else host
        self._host = f"Host: {name}:{port}".encode("ascii")

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout_s: float | None
    ) -> Reply:
        """The reply. Raises TimeoutError if it is not complete in time, ssl.SSLError, other OSError.

        Never asks twice: it is not known whether a request that failed was executed.
        """
        head = self._head(method, target, headers, body)
        until = None if timeout_s is None else time.monotonic() + timeout_s
        connection = self._connection(until)
        try:
            connection.send(head + body if body else head, until)
            reply, stays_open = connection.reply(method, until)
        except BaseException:
            connection.close()
            raise
        if stays_open and len(self._idle) < self._kept:
            self._idle.append(connection)
        else:
            connection.close()
        return reply

    def close(self) -> None:
        """Closes the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _connection(self, until: float | None) -> _Connection:
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()  # the one used last
                if connection.is_fresh():
                    return connection
                connection.close()
        sock = socket.create_connection(self._address, _left(until), self._source)
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _Connection(self._tls.wrap_socket(sock, server_hostname=self._address[0]) if self._tls else sock)
        except BaseException:
            sock.close()
            raise

    def _head(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> bytes:
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        if body or method in ("POST", "PUT"):
            lines.append(f"Content-Length: {len(body or b'')}")
        text = "\r\n".join(lines)
        if text.count("\n") != len(lines) - 1 or text.count("\r") != len(lines) - 1 or " " in target:
            raise ValueError("A line of the request's head holds a line break or a space too many.")
        return text.encode("latin-1") + b"\r\n" + self._host + b"\r\n\r\n"


class _Connection:
    """One connection, with the bytes that were read and not yet used."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._bytes = b""
        self._poll = select.poll()
        self._poll.register(sock, select.POLLIN)

    def is_fresh(self) -> bool:
        """Whether the server still holds it open: there is nothing to read on an idle connection, except its end."""
        return not self._poll.poll(0)

    def close(self) -> None:
        self._sock.close()

    def send(self, sent: bytes, until: float | None) -> None:
        self._sock.settimeout(_left(until))
        self._sock.sendall(sent)

    def reply(self, method: str, until: float | None) -> tuple[Reply, bool]:
        """The reply, and whether the connection can be used again."""
        status, version, headers = self._answer_head(until)
        while 100 <= status < 200:
            status, version, headers = self._answer_head(until)
        keeps = headers.get("connection", "keep-alive" if version == b"HTTP/1.1" else "close").lower() != "close"
        if method == "HEAD" or status in _BODILESS:
            return Reply(status, headers, b""), keeps
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = self._chunks(until)
        elif (length := headers.get("content-length")) is not None:
            body = self._exactly(_number(length, 10), until)
        else:
            body, keeps = self._rest(until), False
        return Reply(status, headers, body), keeps and not self._bytes

    def _answer_head(self, until: float | None) -> tuple[int, bytes, dict[str, str]]:
        end = self._bytes.find(b"\r\n\r\n")
        while end < 0:
            if len(self._bytes) > _LARGEST_HEAD:
                raise Malformed("The head of the answer is too long.")
            self._more(until)
            end = self._bytes.find(b"\r\n\r\n")
        first, *lines = self._bytes[:end].split(b"\r\n")
        self._bytes = self._bytes[end + 4 :]
        version, _, rest = first.partition(b" ")
        if not version.startswith(b"HTTP/1."):
            raise Malformed("The answer is not HTTP/1.")
        headers = {}
        for line in lines:
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return _number(rest[:3].decode("latin-1"), 10), version, headers

    def _chunks(self, until: float | None) -> bytes:
        parts = []
        while size := _number(self._line(until).partition(b";")[0].decode("latin-1").strip(), 16):
            parts.append(self._exactly(size, until))
            if self._line(until):
                raise Malformed("A chunk is longer than it says.")
        while self._line(until):  # fields after the last chunk
            pass
        return b"".join(parts)

    def _line(self, until: float | None) -> bytes:
        end = self._bytes.find(b"\r\n")
        while end < 0:
            if len(self._bytes) > _LARGEST_HEAD:
                raise Malformed("A line of the answer is too long.")
            self._more(until)
            end = self._bytes.find(b"\r\n")
        line, self._bytes = self._bytes[:end], self._bytes[end + 2 :]
        return line

    def _exactly(self, size: int, until: float | None) -> bytes:
        parts, have = [self._bytes], len(self._bytes)
        while have < size:
            parts.append(self._read(until))
            have += len(parts[-1])
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        self._bytes = whole[size:]
        return whole[:size]

    def _rest(self, until: float | None) -> bytes:
        parts, self._bytes = [self._bytes], b""
        with suppress(Malformed):
            while True:
                parts.append(self._read(until))
        return b"".join(parts)

    def _more(self, until: float | None) -> None:
        self._bytes += self._read(until)

    def _read(self, until: float | None) -> bytes:
        """At least one byte. Raises Malformed at the end of the connection."""
        self._sock.settimeout(_left(until))
        read = self._sock.recv(_READ_BYTES)
        if not read:
            raise Malformed("The connection was closed before the end of the answer.")
        return read


def _left(until: float | None) -> float | None:
    """Seconds until then. Raises TimeoutError if there are none."""
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("The time for this call is over.")
    return left


def _number(text: str, base: int) -> int:
    """Raises Malformed unless the text consists of digits only."""
    if not text or not all(digit in "0123456789abcdefABCDEF"[: 10 if base == 10 else 22] for digit in text):
        raise Malformed("The answer holds something else where a number belongs.")
    return int(text, base)
