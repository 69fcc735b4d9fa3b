"""The original bytes of a record in the natives index: zlib, then base64."""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass

from core.json_types import Json, JsonMapping

_LEVEL = 3  # half the time of the default level for a fifth more bytes, on the NCAR archive


class NativeUnreadable(ValueError):
    """The stored bytes are damaged."""


@dataclass(frozen=True, slots=True)
class Native:
    """A document as its catalogue published it. ``hash``: of ``content``; ``origin``: its file or address."""

    content: bytes
    format: str = ""
    source: str | None = None
    media_type: str | None = None
    origin: str | None = None
    hash: str | None = None


def to_document(native: Native) -> Json:
    """Empty fields are left out."""
    document = {
        "source": native.source,
        "format": native.format,
        "media_type": native.media_type,
        "origin": native.origin,
        "hash": native.hash,
        "content_zlib": base64.b64encode(zlib.compress(native.content, _LEVEL)).decode("ascii"),
    }
    return {name: value for name, value in document.items() if value is not None}


def from_document(source: JsonMapping, *, most_bytes: int = 0) -> Native:
    """The document that ``to_document`` wrote, at most ``most_bytes`` of it (0: all). Raises NativeUnreadable."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(source["content_zlib"]), most_bytes)
    except (zlib.error, binascii.Error, KeyError) as error:
        raise NativeUnreadable(f"The original metadata cannot be read ({type(error).__name__}).") from error
    return Native(
        content=content,
        format=source.get("format", ""),
        source=source.get("source"),
        media_type=source.get("media_type"),
        origin=source.get("origin"),
        hash=source.get("hash"),
    )
