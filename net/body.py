"""Decodes and counts an answer's bytes as they arrive, so that size and compression are limited."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from net.errors import BrokenAnswer, Refused

_PIECE_BYTES = 65_536


def decoded(raw: Iterable[bytes], encoding: str, host: str) -> Iterator[bytes]:
    """The body without its compression, in pieces of at most 64 KiB per step of the decompressor.

    Only one layer of gzip is requested and decoded: nested or other encodings raise Refused.
    """
    name = encoding.strip().lower()
    if name in ("", "identity"):
        return iter(raw)
    if name in ("gzip", "x-gzip"):
        return _gunzipped(raw, host)
    raise Refused(f"{host} sent an unrequested content encoding: {name[:40]!r}")


def limited(pieces: Iterable[bytes], max_bytes: int, host: str) -> Iterator[bytes]:
    """The same pieces; raises Refused as soon as they exceed ``max_bytes`` together."""
    seen = 0
    for piece in pieces:
        seen += len(piece)
        if seen > max_bytes:
            raise Refused(f"{host} sent more than {max_bytes:,} bytes; the rest was not read")
        yield piece


def _gunzipped(raw: Iterable[bytes], host: str) -> Iterator[bytes]:
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
    yield from _rest(member, host)
    if started and not member.eof:
        raise BrokenAnswer(f"{host} ended its compressed answer early")


def _step(member: zlib._Decompress, data: bytes, host: str) -> bytes:
    try:
        return member.decompress(data, _PIECE_BYTES)
    except zlib.error:
        raise BrokenAnswer(f"{host} sent a compressed answer that cannot be read") from None


def _rest(member: zlib._Decompress, host: str) -> Iterator[bytes]:
    """The decompressor's remaining output after all input."""
    while not member.eof:
        piece = _step(member, b"", host)
        if not piece:
            return
        yield piece
