"""Keeps an answer small: an agent pays for every token, in every turn that follows."""

from __future__ import annotations

import json

from core.json_types import Json
from search_api.protocols.mcp.catalogue_text import shortened

LARGEST_CHARACTERS = 8000
"""About 2,000 tokens."""

_SHORTEST = 80
_KEPT = frozenset(("id", "next_cursor", "href", "page", "python", "note", "nothing", "advice", "doi"))
"""What an agent needs to the letter."""


def written(answer: Json, largest: int = LARGEST_CHARACTERS) -> str:
    """The answer as compact JSON of at most so many characters.

    The longest texts are halved first, then the longest lists lose their ends; ``left_out`` counts what went, and there
    is no cursor then, because it would skip that.
    """
    while len(text := json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) > largest:
        if not (_halve_longest_text(answer) or _drop_from_longest_list(answer)):
            break
    return text


def _halve_longest_text(answer: Json) -> bool:
    texts = [(len(value), holder, key) for holder, key, value in _members(answer) if isinstance(value, str)]
    length, holder, key = max(texts, key=lambda one: one[0], default=(0, answer, ""))
    if length <= _SHORTEST:
        return False
    holder[key] = shortened(holder[key], max(_SHORTEST, length // 2))
    return True


def _drop_from_longest_list(answer: Json) -> bool:
    lists = [value for _, _, value in _members(answer) if isinstance(value, list) and len(value) > 1]
    if not lists:
        return False
    longest = max(lists, key=lambda one: len(json.dumps(one)))
    longest.pop()
    answer["left_out"] = answer.get("left_out", 0) + 1
    answer["advice"] = "This is too much for one answer: call again with a smaller `limit`, or a narrower question."
    answer.pop("next_cursor", None)
    return True


def _members(value: object) -> list[tuple[Json, str, object]]:
    """Every member that may shrink, with the object that holds it. Texts in lists are not halved, but dropped."""
    if isinstance(value, list):
        return [one for item in value for one in _members(item)]
    if not isinstance(value, dict):
        return []
    own = [(value, name, member) for name, member in value.items() if name not in _KEPT]
    return own + [one for _, _, member in own for one in _members(member)]
