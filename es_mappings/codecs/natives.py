"""The original bytes of a record in the natives index: zlib, then base64."""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass

from core.json_types import Json, JsonMapping

_FACTS = ("source", "format", "media_type", "origin", "hash")
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
    facts = {name: value for name in _FACTS if (value := getattr(native, name)) is not None}
    return {**facts, "content_zlib": base64.b64encode(zlib.compress(native.content, _LEVEL)).decode("ascii")}


def from_document(source: JsonMapping, *, most_bytes: int = 0) -> Native:
    """The document that ``to_document`` wrote, at most ``most_bytes`` of it (0: all). Raises NativeUnreadable."""
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(base64.b64decode(source["content_zlib"]), most_bytes)
    except (zlib.error, binascii.Error, KeyError) as error:
        raise NativeUnreadable(f"The original metadata cannot be read ({type(error).__name__}).") from error
    return Native(content, **{name: source[name] for name in _FACTS if name in source})
