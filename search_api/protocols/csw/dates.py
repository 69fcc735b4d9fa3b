"""Dates as CSW's clients write them: with a zone, and as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import product

_ZONED = re.compile(r"(\d{4}-\d{2}-\d{2})(Z|[+-]\d{2}:\d{2})", re.ASCII)
_PATTERN = re.compile(r"([\d_]{1,4})(?:-([\d_]{0,2})(?:-([\d_]{0,2}))?)?", re.ASCII)
MOST_PERIODS = 150
_MOST_OPEN_DIGITS = 4


def unzoned(text: str) -> str:
    """The day of an ``xs:date`` with a zone, ``2006-01-01Z``; other texts as they are."""
    found = _ZONED.fullmatch(text.strip())
    return found[1] if found else text


def periods(pattern: str) -> list[str]:
    """The years, months or days that begin as the pattern says: ``200_-10-%`` are ten months.

    ``pattern``: ``_`` is one digit, ``%`` the rest. Raises ValueError for another pattern, and for too many periods.
    """
    found = _PATTERN.fullmatch(pattern.rstrip("%").rstrip("-"))
    parts = [] if found is None else [part for part in found.groups() if part]
    while len(parts) > 1 and set(parts[-1]) == {"_"}:
        parts.pop()
    widths = (4, 2, 2)[: len(parts)]
    if not parts or (len(parts[-1]) < widths[-1] and not pattern.endswith("%")):
        raise ValueError("is compared with dates: a pattern begins with the year, as 2006-05-% does")
    filled = [part.ljust(width, "_") for part, width in zip(parts, widths, strict=True)]
    if sum(part.count("_") for part in filled) > _MOST_OPEN_DIGITS:
        raise ValueError(f"is compared with a pattern of more than {_MOST_OPEN_DIGITS} open digits")
    made = ["-".join(one) for one in product(*map(_numbers, filled)) if _exists(*map(int, one))]
    if not 0 < len(made) <= MOST_PERIODS:
        raise ValueError(f"is compared with a pattern that names no date, or more than {MOST_PERIODS} periods")
    return made


def _numbers(part: str) -> Iterator[str]:
    """``0_`` as ``00`` to ``09``."""
    return ("".join(digits) for digits in product(*("0123456789" if one == "_" else one for one in part)))


def _exists(year: int, month: int = 1, day: int = 1) -> bool:
    try:
        return bool(date(year, month, day))
    except ValueError:
        return False
