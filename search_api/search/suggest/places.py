"""Places whose name begins with the typed text, from the embedded gazetteer, in memory."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from rapidfuzz import process
from rapidfuzz.distance import OSA

from core.place import Place
from search_api.search.suggest.spelled import folded, slips, slips_allowed

_MOST_LOOKED_AT = 400


class Entry(Protocol):
    """The meaning of a name; ``is_adjective`` marks a name of a people, not of a place."""

    @property
    def places(self) -> Sequence[Place]: ...
    @property
    def is_adjective(self) -> bool: ...


class PlaceNames(Protocol):
    """The parts of the gazetteer that completion needs."""

    def keys(self) -> list[str]: ...

    def named(self, key: str) -> Entry | None: ...


class PlaceSuggester:
    """Thread-safe: the tables are made once and never change."""

    def __init__(self, names: PlaceNames) -> None:
        self._names = names

    def suggest(self, typed: str, limit: int) -> list[Place]:
        """Exact matches first, then the more important places; each place once."""
        text = folded(typed)
        if not text:
            return []
        keys = self._beginning(text)
        found = self._places(dict.fromkeys(keys, 0))
        if not found:
            found = self._places(self._misspelt(text))
        ordered = sorted(found, key=lambda one: (one[0], -one[1].importance, one[1].name))
        return list({(place.name, place.kind): place for _, place in ordered}.values())[:limit]

    def _places(self, keys: dict[str, int]) -> list[tuple[int, Place]]:
        found = []
        for key, slipped in keys.items():
            entry = self._names.named(key)
            if entry is not None and entry.places and not entry.is_adjective:
                found.append((slipped, entry.places[0]))
        return found

    def _beginning(self, text: str) -> list[str]:
        start = bisect.bisect_left(self._sorted, text)
        end = bisect.bisect_left(self._sorted, text + "\uffff", lo=start)
        return self._sorted[start : min(end, start + _MOST_LOOKED_AT)]

    def _misspelt(self, text: str) -> dict[str, int]:
        """Names with the same first letter, because typing errors rarely affect the first one."""
        most = slips_allowed(text)
        if most == 0 or any(character.isdigit() for character in text):
            return {}
        start = bisect.bisect_left(self._sorted, text[0])
        end = bisect.bisect_left(self._sorted, text[0] + "\uffff", lo=start)
        keys = self._sorted[start:end]
        # A first check in C: the longest beginning differs by at most ``most`` letters from the best one.
        longest = [key[: len(text) + most] for key in keys]
        near = process.extract(text, longest, scorer=OSA.distance, score_cutoff=2 * most, limit=_MOST_LOOKED_AT)
        judged = {keys[position]: slips(text, keys[position], most) for _, _, position in near}
        return {key: slipped for key, slipped in judged.items() if slipped is not None}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._names.keys())
