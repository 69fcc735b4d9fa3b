"""HTTP to one server over kept connections, by the standard library's client.

It costs less than urllib3, which goes through the same client. There are no redirects, cookies, compression or retries.
"""

from __future__ import annotations

import http.client
import io
import select
import socket
import ssl
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_READ_BYTES = 64 * 1024


class Malformed(OSError):
    """The answer is not HTTP, or it ended too early."""


@dataclass(frozen=True, slots=True)
class Reply:
    """``headers``: their names fit in upper and lower case."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class KeptConnections:
    """The connections to one server; thread-safe. ``tls`` None: without TLS. At most ``kept`` idle ones stay open.

    ``source``: the address of this machine to ask from.
    """

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext | None = None, kept: int = 10, source: str | None = None
    ) -> None:
        own = None if source is None else (source, 0)
        self._new = (
            partial(http.client.HTTPSConnection, host, port, source_address=own, context=tls)
            if tls
            else partial(http.client.HTTPConnection, host, port, source_address=own)
        )
        self._kept = kept
        self._idle: deque[http.client.HTTPConnection] = deque()

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes | None, timeout_s: float | None
    ) -> Reply:
        """The reply. Raises TimeoutError if it is not complete in time, ssl.SSLError, other OSError.

        Never asks twice: it is not known whether a request that failed was executed.
        """
        until = None if timeout_s is None else time.monotonic() + timeout_s
        connection = self._connection(until)
        try:
            connection.request(method, target, body, dict(headers))
            reply = _reply(connection, until)
        except BaseException:
            connection.close()
            raise
        if connection.sock is not None and len(self._idle) < self._kept:
            self._idle.append(connection)
        else:
            connection.close()
        return reply

    def close(self) -> None:
        """Closes the idle connections."""
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _connection(self, until: float | None) -> http.client.HTTPConnection:
        """One that is open, else a new one that opens when it is used."""
        left = _left(until)
        with suppress(IndexError):
            while True:
                connection = self._idle.pop()  # the one used last
                if _is_open(connection.sock):
                    connection.sock.settimeout(left)
                    return connection
                connection.close()
        return self._new(timeout=left)


class _Response(http.client.HTTPResponse):
    """A response that is complete in time, however little each read brings."""

    def __init__(
        self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, *, until: float | None
    ) -> None:
        super().__init__(sock, debuglevel, method)
        self.fp = io.BufferedReader(_Timed(sock, self.fp.detach(), until), _READ_BYTES)


class _Timed(io.RawIOBase):
    def __init__(self, sock: socket.socket, raw: io.RawIOBase, until: float | None) -> None:
        self._sock = sock
        self._raw = raw
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        self._sock.settimeout(_left(self._until))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        super().close()
        self._raw.close()


def _reply(connection: http.client.HTTPConnection, until: float | None) -> Reply:
    connection.response_class = partial(_Response, until=until)  # type: ignore[assignment]
    try:
        response = connection.getresponse()
        return Reply(response.status, response.headers, response.read())
    except (http.client.HTTPException, ValueError) as error:
        raise Malformed(f"The answer is not HTTP, or it ended too early: {error!r}"[:500]) from error


def _is_open(sock: socket.socket) -> bool:
    """Whether the server still holds it open: there is nothing to read on an idle connection, except its end."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return not poll.poll(0)


def _left(until: float | None) -> float | None:
    """Seconds until then. Raises TimeoutError if there are none."""
    if until is None:
        return None
    left = until - time.monotonic()
    if left <= 0.0:
        raise TimeoutError("The time for this call is over.")
    return left
