"""A point as people write it: ``38.9, -77.0``, ``38.9N 77.0W``, ``lat: 38.9, lon: -77.0``, ``38°53'N 77°02'W``."""

from __future__ import annotations

import re

_COORDINATE = r"""(?:(?P<{0}name>lat|lon|lng)[a-z]*\.?\s*[:=]?\s*)?(?P<{0}before>[NSEW]\s*)?
    (?P<{0}degrees>[-+]?\d{{1,3}}(?:\.\d+)?)\s*
    (?:[°º]\s*(?:(?P<{0}minutes>\d{{1,2}}(?:\.\d+)?)\s*['′’]\s*)?(?:(?P<{0}seconds>\d{{1,2}}(?:\.\d+)?)\s*(?:["″”]|'')\s*)?)?
    (?P<{0}behind>[NSEW](?![a-z]))?"""
_POINT = re.compile(
    rf"[(\[]?\s*{_COORDINATE.format('a')}\s*[\s,;]\s*{_COORDINATE.format('b')}\s*[)\]]?", re.IGNORECASE | re.VERBOSE
)
_LATITUDE = {"n", "s", "lat"}
_MINUTES = 60.0


def point_in(text: str) -> tuple[float, float] | None:
    """Longitude and latitude; None if the text is no point.

    Without names or letters of the sky the latitude is first, unless only the other order is possible, and both numbers
    have a fraction, because "12,5" is a number.
    """
    match = _POINT.fullmatch(text.strip())
    if match is None:
        return None
    said = match.groupdict(default="")
    kinds = ["latitude" if kind in _LATITUDE else kind and "longitude" for kind in (_kind(said, one) for one in "ab")]
    first, second = (_degrees(said, one) for one in "ab")
    if sorted(kinds) == ["latitude", "longitude"]:
        return (second, first) if kinds[0] == "latitude" else (first, second)
    if any(kinds) or not all("." in said[f"{one}degrees"] for one in "ab"):
        return None
    return (first, second) if abs(first) > 90.0 else (second, first)


def _kind(said: dict[str, str], one: str) -> str:
    letter = said[f"{one}before"].strip() or said[f"{one}behind"]
    return (said[f"{one}name"] or letter).lower()


def _degrees(said: dict[str, str], one: str) -> float:
    parts = (float(said[f"{one}{name}"] or 0.0) for name in ("minutes", "seconds"))
    written = said[f"{one}degrees"]
    size = abs(float(written)) + sum(part / _MINUTES**power for power, part in enumerate(parts, 1))
    letters = f"{said[f'{one}before']}{said[f'{one}behind']}".lower()
    return -size if written.startswith("-") or "s" in letters or "w" in letters else size
