"""Connects only to addresses that passed the check."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import httpcore

from core.errors import Unavailable
from net.addresses import AllowedHosts, Resolver, permitted_addresses
from net.deadline import shortened


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
        return self._stream.read(max_bytes, shortened(timeout))

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
