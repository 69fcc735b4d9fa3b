"""Decodes text files: UTF-8, UTF-16 or Windows-1252."""

from __future__ import annotations

import codecs

_FIRST_BYTES = 8  # four characters


def decode(data: bytes) -> str:
    """UTF-8 or UTF-16, else Windows-1252, which never fails. A character that is cut off at the end is left out."""
    text = utf16_as_utf8(data)
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(text)
    except UnicodeDecodeError:
        return text.decode("cp1252", "replace")


def utf16_as_utf8(data: bytes) -> bytes:
    """UTF-16 as UTF-8 without a mark; other data as they are.

    Without a byte order mark, UTF-16 shows itself by the zero bytes between its first characters: markup and most text
    begin with letters of Latin-1. An HTTP header says no more, and a stored file has none.
    """
    encoding = _utf16_of(data)
    return data if encoding is None else data.decode(encoding, "ignore").encode()


def _utf16_of(data: bytes) -> str | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even_bytes, odd_bytes = data[:_FIRST_BYTES:2], data[1:_FIRST_BYTES:2]
    if len(data) >= _FIRST_BYTES and all(even_bytes) and not any(odd_bytes):
        return "utf-16-le"
    return "utf-16-be" if len(data) >= _FIRST_BYTES and all(odd_bytes) and not any(even_bytes) else None
