"""The gate: checks every outgoing request, limits size, time and redirects, and types its errors.

Connections go only to addresses that passed the check, within one time limit for the whole exchange.
"""

from __future__ import annotations

import math
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpcore
import httpx

from core.deadlines import caller_is_watched, raise_if_caller_gone
from core.errors import Unavailable
from net.addresses import AllowedHosts, Resolver, permitted_addresses, system_resolver
from net.errors import BrokenAnswer, Refused, Untrusted
from net.exchange import HttpAnswer, Outgoing, StreamedAnswer, decompress, limit
from net.targets import host_of, is_redirect, next_request, parse_target

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


_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """The operator's settings.

    ``allowed_hosts`` (``host`` or ``host:port``) may be private; all others must be public after DNS.
    ``max_bytes`` counts the body after decompression; ``timeout_s`` is the total for one exchange, redirects
    and body included. ``ca_file`` (PEM) is trusted instead of the system's authorities. Behind ``proxy`` the proxy
    resolves and connects; our resolver still checks the names that it knows.
    """

    allowed_hosts: frozenset[str] = frozenset()
    max_bytes: int = 64 * _MIB
    timeout_s: float = 30.0
    connect_timeout_s: float = 5.0
    max_redirects: int = 5
    user_agent: str = "Sonde/0.1"
    proxy: str | None = None
    ca_file: Path | None = None


class Gate:
    """Outgoing HTTP. Thread-safe; keeps connections to the same host open. Never retries."""

    def __init__(
        self,
        policy: GatePolicy | None = None,
        resolver: Resolver = system_resolver,
        dialler: httpcore.NetworkBackend | None = None,
    ) -> None:
        """Raises ValueError if the policy has an invalid host or proxy."""
        self.policy = policy or GatePolicy()
        self._guard = Guard(AllowedHosts(self.policy.allowed_hosts), resolver)
        self._pool = _pool(self.policy, self._guard, dialler)

    def request(self, outgoing: Outgoing) -> HttpAnswer:
        """The whole answer, whatever its status.

        Raises Refused (target, size, redirects) and Unavailable (name, connection, time, broken answer).
        """
        with self.stream(outgoing) as answer:
            return HttpAnswer(answer.url, answer.status, answer.headers, b"".join(answer.pieces))

    @contextmanager
    def stream(self, outgoing: Outgoing) -> Iterator[StreamedAnswer]:
        """The answer with an unread body, under the same limits. Raises as ``request``."""
        deadline = Deadline(host_of(outgoing.url), outgoing.timeout_s or self.policy.timeout_s)
        response, url = self._follow(self._prepare(outgoing), deadline)
        try:
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
            raw = _with_deadline(response, deadline, host_of(url))
            decompressed = decompress(raw, headers.get("content-encoding", ""), host_of(url))
            pieces = limit(decompressed, outgoing.max_bytes or self.policy.max_bytes, host_of(url))
            yield StreamedAnswer(url, response.status, headers, pieces)
        finally:
            response.close()

    def close(self) -> None:
        self._pool.close()

    def _prepare(self, outgoing: Outgoing) -> httpx.Request:
        url = parse_target(outgoing.url)
        if outgoing.params:
            url = url.copy_merge_params(dict(outgoing.params))
        own_headers = {name.lower(): value for name, value in outgoing.headers.items()}
        headers = {"user-agent": self.policy.user_agent, "accept": "*/*", "accept-encoding": "gzip", **own_headers}
        return httpx.Request(outgoing.method, url, headers=headers, content=outgoing.content)

    def _follow(self, request: httpx.Request, deadline: Deadline) -> tuple[httpcore.Response, str]:
        for _ in range(self.policy.max_redirects + 1):
            response = self._send(request, deadline)
            if not is_redirect(response):
                return response, str(request.url)
            response.close()  # its body is not needed, and may be endless
            request = next_request(request, response)
        raise Refused(f"{host_of(str(request.url))} redirects more than {self.policy.max_redirects} times")

    def _send(self, request: httpx.Request, deadline: Deadline) -> httpcore.Response:
        host = host_of(str(request.url))
        if self.policy.proxy is not None:
            self._check_proxied(request.url)
        with deadline.applied(), _connection_errors(host, deadline):
            return self._pool.handle_request(_to_core(request, self.policy))

    def _check_proxied(self, url: httpx.URL) -> None:
        try:
            self._guard.addresses(url.host, _port(url), self.policy.connect_timeout_s)
        except Unavailable:
            return  # only the proxy's resolver knows this name


def _with_deadline(response: httpcore.Response, deadline: Deadline, host: str) -> Iterator[bytes]:
    """The body's raw pieces; waits for each at most for the deadline's remaining time."""
    pieces = iter(response.iter_stream())
    while True:
        with deadline.applied(), _connection_errors(host, deadline):
            piece = next(pieces, None)
        if piece is None:
            return
        yield piece


@contextmanager
def _connection_errors(host: str, deadline: Deadline) -> Iterator[None]:
    """Converts connection errors to Unavailable, with the host's name."""
    try:
        yield
    except httpcore.TimeoutException:
        deadline.check()  # raises here if the total time was the reason
        raise Unavailable(f"{host} did not answer in time") from None
    except httpcore.ConnectError as error:
        if "mismatch" in str(error):
            raise Untrusted(f"the certificate of {host} is for another name") from None
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise Untrusted(
                f"the certificate of {host} is not trusted (ca_file names the authority to trust)"
            ) from None
        raise Unavailable(f"{host} broke the connection ({type(error).__name__})") from None
    except httpcore.RemoteProtocolError:
        raise BrokenAnswer(f"{host} broke the connection (RemoteProtocolError)") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        raise Unavailable(f"{host} broke the connection ({type(error).__name__})") from None


def _to_core(request: httpx.Request, policy: GatePolicy) -> httpcore.Request:
    url = httpcore.URL(
        scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
    )
    # Reads and writes have no separate limit: the active deadline limits each to the remaining time.
    wait = {"connect": policy.connect_timeout_s, "pool": policy.timeout_s}
    return httpcore.Request(
        request.method,
        url,
        headers=request.headers.raw,
        content=request.read(),
        extensions={"timeout": wait},
    )


def _pool(policy: GatePolicy, guard: Guard, dialler: httpcore.NetworkBackend | None) -> httpcore.ConnectionPool:
    trust = ssl.create_default_context(cafile=None if policy.ca_file is None else str(policy.ca_file))
    if policy.proxy is None:
        backend = GuardedBackend(guard, dialler)
        return httpcore.ConnectionPool(trust, max_connections=50, keepalive_expiry=30.0, network_backend=backend)
    proxy = httpx.URL(policy.proxy)
    # The pool connects only to the proxy, which the operator configured.
    to_proxy = replace(guard, allowed=AllowedHosts([f"{_in_brackets(proxy.host)}:{_port(proxy)}"]))
    return httpcore.HTTPProxy(
        str(proxy.copy_with(username=None, password=None)),
        proxy_auth=(proxy.username, proxy.password) if proxy.userinfo else None,
        ssl_context=trust,
        max_connections=50,
        network_backend=GuardedBackend(to_proxy, dialler),
    )


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _in_brackets(host: str) -> str:
    return f"[{host}]" if ":" in host else host
