"""What the reader and its process say to each other: a line of JSON, with a number of bytes behind some of them.

The reader begins with ``{"file": name, "size": bytes, "block": bytes}``, and ``slabs`` for values of a Zarr store. The
process asks ``{"read": [key, offset, length]}`` or ``{"keys": true}`` and gets ``{"bytes": n}`` and n bytes, or
``{"keys": [...]}``; it ends with ``{"header": {...}}`` or ``{"fault": reason, "is_data": false}``.
"""

from __future__ import annotations

import json
from typing import BinaryIO, Protocol

from core.json_types import Json

LONGEST_LINE = 8 << 20


class FileFault(Exception):
    """The file gives no header; the message says why. ``is_data`` False: it is whole, but holds no data with places."""

    def __init__(self, message: str, *, is_data: bool = True) -> None:
        super().__init__(message)
        self.is_data = is_data


class ByteRanges(Protocol):
    def part(self, offset: int, length: int) -> bytes:
        """The bytes at an offset; fewer at the end."""


def send(stream: BinaryIO, message: Json, content: bytes = b"") -> None:
    stream.write(json.dumps(message).encode() + b"\n" + content)
    stream.flush()


def receive(stream: BinaryIO) -> Json:
    """Raises EOFError where the other end has closed, and ValueError for something else than an object."""
    line = stream.readline(LONGEST_LINE)
    if not line.endswith(b"\n"):
        raise EOFError
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("no object")
    return message
