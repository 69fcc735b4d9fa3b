"""Requests and answers of the gate."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from core.errors import Unavailable
from core.json_types import JsonMapping
from net.errors import BadStatus, BrokenAnswer, Refused
from net.targets import host_of

_PIECE_BYTES = 65_536


def decompress(raw: Iterable[bytes], encoding: str, host: str) -> Iterator[bytes]:
    """The body without its compression, in pieces of at most 64 KiB per step of the decompressor.

    Only one layer of gzip is requested and decoded: nested or other encodings raise Refused.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return iter(raw)
    if name in ("gzip", "x-gzip"):
        return _gunzip(raw, host)
    raise Refused(f"{host} sent an unrequested content encoding: {name[:40]!r}")


def limit(pieces: Iterable[bytes], max_bytes: int, host: str) -> Iterator[bytes]:
    """The same pieces; raises Refused as soon as they exceed ``max_bytes`` together."""
    byte_count = 0
    for piece in pieces:
        byte_count += len(piece)
        if byte_count > max_bytes:
            raise Refused(f"{host} sent more than {max_bytes:,} bytes; the rest was not read")
        yield piece


def _gunzip(raw: Iterable[bytes], host: str) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    started = False
    for chunk in raw:
        waiting = chunk
        while waiting:
            if member.eof:  # a gzip stream may have several members
                member, started = zlib.decompressobj(wbits=31), False
            piece = _step(member, waiting, host)
            started = True
            # At the end of a member the bytes after it are unused_data; before it, unconsumed_tail.
            waiting = member.unused_data if member.eof else member.unconsumed_tail
            if piece:
                yield piece
    yield from _remaining_output(member, host)
    if started and not member.eof:
        raise BrokenAnswer(f"{host} ended its compressed answer early")


def _step(member: zlib._Decompress, data: bytes, host: str) -> bytes:
    try:
        return member.decompress(data, _PIECE_BYTES)
    except zlib.error:
        raise BrokenAnswer(f"{host} sent a compressed answer that cannot be read") from None


def _remaining_output(member: zlib._Decompress, host: str) -> Iterator[bytes]:
    """The decompressor's remaining output after all input."""
    while not member.eof:
        piece = _step(member, b"", host)
        if not piece:
            return
        yield piece


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request; ``max_bytes`` and ``timeout_s`` override the policy's."""

    url: str
    method: str = "GET"
    params: Mapping[str, str] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    max_bytes: int | None = None
    timeout_s: float | None = None

    @classmethod
    def of_json(
        cls, url: str, body: JsonMapping, key: str | None, timeout_s: float, accept: str = "application/json"
    ) -> Self:
        """A POST of JSON, as model endpoints expect it; ``key`` is sent as a bearer token."""
        headers = {"content-type": "application/json", "accept": accept}
        if key:
            headers["authorization"] = f"Bearer {key}"
        return cls(url, "POST", headers=headers, content=json.dumps(body).encode(), timeout_s=timeout_s)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer; ``url`` is the address after redirects, header names are lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes

    def parsed(self) -> Any:
        """The body as JSON. Raises Unavailable if it is not JSON."""
        try:
            return json.loads(self.content)
        except (ValueError, RecursionError):
            raise Unavailable(f"{host_of(self.url)} did not answer in JSON") from None

    def expect_ok(self) -> HttpAnswer:
        """Returns itself, or raises BadStatus (429 and 5xx: Unavailable, because a retry may help)."""
        expect_ok(self.url, self.status)
        return self


@dataclass(frozen=True, slots=True)
class StreamedAnswer:
    """An answer whose body is read once, piece by piece, inside the ``with`` that opened it."""

    url: str
    status: int
    headers: Mapping[str, str]
    pieces: Iterator[bytes]

    def expect_ok(self) -> StreamedAnswer:
        expect_ok(self.url, self.status)
        return self


def expect_ok(url: str, status: int) -> None:
    """Raises Unavailable for 429 and 5xx, BadStatus for anything else outside 200..299."""
    if status == 429 or status >= 500:
        raise Unavailable(f"{host_of(url)} answered with HTTP status {status}")
    if not 200 <= status < 300:
        raise BadStatus(host_of(url), status)
