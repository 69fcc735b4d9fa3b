"""Cursors: the start of a page as a text, bound to one question.

A cursor is not signed: it holds sort values of a record that the caller has seen, and the caller's filters apply to
the next page again. Any process of any pod reads it without a shared secret. It is validated as strictly as any user
input, because a caller can forge it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Literal

from core.errors import InvalidInput

Kind = Literal["text", "number"]
"""Of a sort value: ``text`` may be missing (null); a ``number`` never is (Elasticsearch substitutes a bound)."""

_LARGEST = 2**63
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_position(after: Sequence[object], question: str) -> str:
    """The cursor of the page after these sort values."""
    return write_opaque([_mark(question), *after])


def read_position(cursor: str, question: str, kinds: Sequence[Kind], parameter: str = "cursor") -> tuple[object, ...]:
    """One value for each of ``kinds``. Raises InvalidInput if it is invalid or belongs to another question."""
    inside = read_opaque(cursor, parameter)
    if not isinstance(inside, list) or not inside:
        raise not_ours(parameter)
    mark, *after = inside
    if mark != _mark(question):
        raise InvalidInput(parameter, f"{parameter}: belongs to another question; start again without it")
    if len(after) != len(kinds) or not all(_fits(kind, one) for kind, one in zip(kinds, after, strict=True)):
        raise not_ours(parameter)
    return tuple(after)


def write_opaque(inside: object) -> str:
    """JSON as a text that is safe in a URL."""
    text = json.dumps(inside, separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_opaque(cursor: str, parameter: str = "cursor") -> Any:
    """Raises InvalidInput if it is not JSON in base64."""
    try:
        return json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise not_ours(parameter) from None


def not_ours(parameter: str) -> InvalidInput:
    return InvalidInput(parameter, f"{parameter}: is not one that this service gave out")


def _fits(kind: Kind, value: object) -> bool:
    if kind == "text":
        return value is None or (isinstance(value, str) and _SURROGATE.search(value) is None)
    if isinstance(value, str):
        return value in ("Infinity", "-Infinity")  # Elasticsearch writes the bound of a decimal number like this
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and -_LARGEST <= value < _LARGEST


def _mark(question: str) -> str:
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).hexdigest()[:12]
