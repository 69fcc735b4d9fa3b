"""The edit distance between a half-typed text and the beginning of a name."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz.distance import OSA

_SPACES = re.compile(r"\s+")


def folded(text: str) -> str:
    """Lower case without accents, single spaces: the form in which typed text and names are compared."""
    plain = unicodedata.normalize("NFKD", text)
    return _SPACES.sub(" ", "".join(c for c in plain if not unicodedata.combining(c)).casefold()).strip()


def slips_allowed(typed: str) -> int:
    """0 up to three letters, 1 up to seven, 2 from eight on, as Elasticsearch's AUTO has it (3, 8)."""
    return 0 if len(typed) < 4 else 1 if len(typed) < 8 else 2


def slips(typed: str, name: str, most: int) -> int | None:
    """The edit distance between ``typed`` and the best beginning of ``name``; None for more than ``most``.

    An edit is a letter removed, inserted, changed, or swapped with its neighbour (optimal string alignment).
    """
    if name.startswith(typed):
        return 0
    if most == 0:
        return None
    beginnings = {name[: len(typed) + shift] for shift in range(-most, most + 1)}
    least = min(OSA.distance(typed, beginning, score_cutoff=most) for beginning in beginnings)
    return least if least <= most else None


def slips_in(typed: str, name: str, most: int) -> int | None:
    """The same, also from the beginning of a later word of the name."""
    starts = [0, *(match.end() for match in re.finditer(r"[\s>,/(\-]+", name))]
    found = [one for start in starts if (one := slips(typed, name[start:], most)) is not None]
    return min(found, default=None)
