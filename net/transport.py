"""Connects only to addresses that passed the check."""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from core.deadlines import leave_if_gone, may_be_abandoned
from core.errors import Unavailable
from net.addresses import AllowedHosts, Resolver, permitted_addresses
from net.deadline import shortened

_LOOK_EVERY_S = 0.5


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
        """Looks now and then whether somebody still waits for the answer. Raises CallerGone."""
        if not may_be_abandoned():
            return self._stream.read(max_bytes, shortened(timeout))
        given = shortened(timeout)
        until = math.inf if given is None else time.monotonic() + given
        while True:
            leave_if_gone()
            left = max(until - time.monotonic(), 0.001)
            try:
                return self._stream.read(max_bytes, min(left, _LOOK_EVERY_S))
            except httpcore.ReadTimeout:
                if left <= _LOOK_EVERY_S:
                    raise

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, shortened(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, shortened(timeout)))

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
        waiting = shortened(timeout)
        addresses = self._guard.addresses(host, port, 10.0 if waiting is None else waiting)
        for address in addresses:
            try:
                stream = self._dialler.connect_tcp(address, port, shortened(timeout), local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
            return TimedStream(stream)
        raise Unavailable(f"{host}:{port} does not accept a connection")
