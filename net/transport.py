"""Connects only to addresses that passed the check, and within one time limit for the whole exchange."""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpcore

from core.deadlines import caller_is_watched, raise_if_caller_gone
from core.errors import Unavailable
from net.addresses import AllowedHosts, Resolver, permitted_addresses

_CHECK_EVERY_S = 0.5
_ends_at: ContextVar[float | None] = ContextVar("net_ends_at", default=None)


class Deadline:
    """The time by which ``host`` must have answered completely."""

    def __init__(self, host: str, timeout_s: float) -> None:
        self._host = host
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s

    def check(self) -> None:
        """Raises Unavailable after that time."""
        if time.monotonic() >= self._ends_at:
            raise Unavailable(f"{self._host} did not finish answering within {self._timeout_s:g} s")

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Inside, every read, write and connect of this thread waits at most for the remaining time."""
        self.check()
        token = _ends_at.set(self._ends_at)
        try:
            yield
        finally:
            _ends_at.reset(token)


def within_deadline(timeout_s: float | None) -> float | None:
    """A socket timeout, reduced to the active deadline's remaining time; at least 1 ms, because 0 means
    non-blocking.
    """
    ends_at = _ends_at.get()
    if ends_at is None:
        return timeout_s
    remaining_s = max(ends_at - time.monotonic(), 0.001)
    return remaining_s if timeout_s is None else min(timeout_s, remaining_s)


@dataclass(frozen=True, slots=True)
class Guard:
    """Maps a name to permitted addresses; resolves once per connection and connects to the checked address."""

    allowed: AllowedHosts
    resolver: Resolver

    def addresses(self, host: str, port: int, timeout_s: float) -> list[str]:
        """Raises Refused or Unavailable if there is none."""
        return permitted_addresses(host, port, self.resolver(host, port, timeout_s), self.allowed)


class TimedStream(httpcore.NetworkStream):
    """A stream whose every operation also obeys the deadline of the whole exchange."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Checks from time to time whether the caller still waits for the answer. Raises CallerGone."""
        limit_s = within_deadline(timeout)
        if not caller_is_watched():
            return self._stream.read(max_bytes, limit_s)
        until = math.inf if limit_s is None else time.monotonic() + limit_s
        while True:
            raise_if_caller_gone()
            remaining_s = max(until - time.monotonic(), 0.001)
            try:
                return self._stream.read(max_bytes, min(remaining_s, _CHECK_EVERY_S))
            except httpcore.ReadTimeout:
                if remaining_s <= _CHECK_EVERY_S:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, within_deadline(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, within_deadline(timeout)))

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to the checked address itself, so that the name cannot resolve differently after the check.

    TLS still verifies the certificate for the name, which the pool above keeps.
    """

    def __init__(self, guard: Guard, dialler: httpcore.NetworkBackend | None = None) -> None:
        self._guard = guard
        self._dialler = dialler or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        limit_s = within_deadline(timeout)
        addresses = self._guard.addresses(host, port, 10.0 if limit_s is None else limit_s)
        for address in addresses:
            try:
                stream = self._dialler.connect_tcp(
                    address, port, within_deadline(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
            return TimedStream(stream)
        raise Unavailable(f"{host}:{port} does not accept a connection")
