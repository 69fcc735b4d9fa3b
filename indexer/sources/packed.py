"""Unpacks single files that are compressed with gzip, within a limit."""

from __future__ import annotations

import zlib

GZIP = b"\x1f\x8b"


class NotUnpacked(ValueError):
    """A compressed file that is broken, or larger than the limit; the message says which."""


def unpacked(content: bytes, limit_bytes: int) -> bytes:
    """The content of a gzip file; other content unchanged. Raises NotUnpacked."""
    if not content.startswith(GZIP):
        return content
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(content, limit_bytes)
    except zlib.error as error:
        raise NotUnpacked(f"it is compressed with gzip and cannot be read: {error}") from None
    if unpacker.unconsumed_tail:
        raise NotUnpacked(f"it unpacks to more than {limit_bytes} bytes")
    if not unpacker.eof:
        raise NotUnpacked("it is compressed with gzip and breaks off")
    return found
