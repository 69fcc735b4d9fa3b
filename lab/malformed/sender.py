"""Malformed requests, sent over real sockets byte by byte, and the outcome of each."""

from __future__ import annotations

import http.client
import re
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import quote, urlsplit

Family = Literal[
    "query", "bbox", "datetime", "cql2", "path", "headers", "json", "multipart", "push", "oai", "wire", "schema"
]
FAMILIES: tuple[Family, ...] = get_args(Family)[:-1]
"""Those made here; schemathesis makes the last."""
Verdict = Literal["answered", "refused", "turned away", "hung up", "no answer", "failed", "hang"]
"""``answered``: 2xx, 3xx. ``refused``: 4xx. ``turned away``: 503 that says when to come back. ``hung up``: closed
without an answer, which broken HTTP deserves. Bad ones: ``no answer`` to what was HTTP, ``failed`` (any other 5xx),
``hang``.
"""
_NOT_IMPLEMENTED = 501
_MOST_READ = 64 << 20


@dataclass(frozen=True, slots=True)
class MalformedRequest:
    """``wire``: the exact bytes. ``is_http``: whether it is HTTP, so that it must get an answer."""

    number: int
    family: Family
    wire: bytes
    is_http: bool = True

    @property
    def description(self) -> str:
        """Its beginning, for people, without the key."""
        return repr(re.sub(rb"(Authorization: Bearer sonde_)\S+", rb"\1...", self.wire)[:400])[2:-1]


@dataclass
class RequestParts:
    method: str = "GET"
    path: str = "/search"
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def wire_bytes(parts: RequestParts) -> bytes:
    query = "&".join(f"{_escape(name)}={_escape(value)}" for name, value in parts.query)
    target = f"{parts.path}{'?' + query if query else ''}"
    lines = [f"{parts.method} {target} HTTP/1.1"]
    if not any(name == "Host" for name, _ in parts.headers):
        lines.append("Host: 127.0.0.1")
    lines += [f"{name}: {value}" for name, value in parts.headers]
    if parts.body or parts.method in ("POST", "PUT", "PATCH"):
        lines.append(f"Content-Length: {len(parts.body)}")
    lines.append("Connection: close")
    return "\r\n".join(lines).encode("latin-1", "replace") + b"\r\n\r\n" + parts.body


def _escape(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


BAD: frozenset[Verdict] = frozenset(("no answer", "failed", "hang"))


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """What came of one request; ``status`` 0 where there was no answer."""

    request: MalformedRequest
    verdict: Verdict
    status: int
    took_s: float
    body_start: str = ""


def ask_all(url: str, requests: Sequence[MalformedRequest], clients: int, hang_s: float) -> Iterator[RequestOutcome]:
    """Each outcome as it is there, in the order of the requests; ``clients`` at a time."""
    with ThreadPoolExecutor(clients, thread_name_prefix="malformed") as pool:
        yield from pool.map(lambda request: ask(url, request, hang_s), requests)


def ask(url: str, request: MalformedRequest, hang_s: float, comes_from: str = "") -> RequestOutcome:
    """Sends the bytes and reads one answer to its end; what is not there after ``hang_s`` seconds is a hang.

    ``comes_from``: the address of this machine that sends it and keeps its side open. Where it is empty any address
    sends it, and says that it sends no more.
    """
    place = urlsplit(url)
    started_s = time.monotonic()
    try:
        address, own_address = (place.hostname or "", place.port or 80), (comes_from, 0)
        with socket.create_connection(
            address, timeout=hang_s, source_address=own_address if comes_from else None
        ) as wire:
            # What breaks HTTP may lack its end; a whole request stays open, for who closes a side counts as gone.
            status, has_retry_after, body_start = _exchange(
                wire, request, started_s + hang_s, ends=not comes_from and not request.is_http
            )
    except TimeoutError:
        return RequestOutcome(request, "hang", 0, time.monotonic() - started_s)
    except (http.client.HTTPException, OSError) as error:
        verdict: Verdict = "no answer" if request.is_http else "hung up"
        return RequestOutcome(
            request, verdict, 0, time.monotonic() - started_s, f"{type(error).__name__}: {error}"[:200]
        )
    return RequestOutcome(
        request, _verdict(request, status, has_retry_after), status, time.monotonic() - started_s, body_start
    )


def _exchange(wire: socket.socket, request: MalformedRequest, ends_s: float, *, ends: bool) -> tuple[int, bool, str]:
    """Status, whether the answer says when to come back, and its beginning. Raises TimeoutError after ``ends_s``."""
    try:
        wire.sendall(request.wire)
        if ends:
            wire.shutdown(socket.SHUT_WR)
    except (BrokenPipeError, ConnectionResetError):
        pass  # it may answer, and close, before it has read everything
    response = http.client.HTTPResponse(wire, method=request.wire.partition(b" ")[0].decode("latin-1"))
    response.begin()
    body, size = b"", 0
    while piece := response.read(1 << 16):
        body, size = body or piece[:300], size + len(piece)
        if time.monotonic() > ends_s or size > _MOST_READ:
            raise TimeoutError
    return response.status, response.getheader("Retry-After") is not None, body.decode("utf-8", "replace")


def _verdict(request: MalformedRequest, status: int, has_retry_after: bool) -> Verdict:
    if status < 400:
        return "answered"
    if status < 500 or (
        status == _NOT_IMPLEMENTED and not request.is_http
    ):  # the server's to an invented transfer coding
        return "refused"
    return "turned away" if status == 503 and has_retry_after else "failed"


def count_verdicts(outcomes: Sequence[RequestOutcome]) -> dict[str, Counter[str]]:
    """How many of each verdict, by family."""
    table: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        table.setdefault(outcome.request.family, Counter())[outcome.verdict] += 1
    return table
