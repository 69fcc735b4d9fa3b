"""Where a page starts, as an opaque text that belongs to one question."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from core.errors import InvalidInput

MOST_VALUES = 6


def write_position(after: tuple[Any, ...], question: str) -> str:
    """The cursor of the page that starts after these sort values."""
    text = json.dumps([_mark(question), *after], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_position(cursor: str, question: str, parameter: str = "cursor") -> tuple[Any, ...]:
    """Raises InvalidInput where it is not ours or belongs to another question."""
    try:
        inside = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise InvalidInput(parameter, f"{parameter}: is not one that this service gave out") from None
    if not isinstance(inside, list) or not 2 <= len(inside) <= MOST_VALUES:
        raise InvalidInput(parameter, f"{parameter}: is not one that this service gave out")
    mark, *after = inside
    if mark != _mark(question):
        raise InvalidInput(parameter, f"{parameter}: belongs to another question; start again without it")
    if not all(one is None or isinstance(one, str | int | float) for one in after):
        raise InvalidInput(parameter, f"{parameter}: is not one that this service gave out")
    return tuple(after)


def _mark(question: str) -> str:
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:12]
