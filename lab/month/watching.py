"""Searches that people of the month save, and what each must be told after the source changed its records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.json_types import Json

EDITION = "Second edition"
"""What the source puts before the titles that it changes."""


@dataclass(frozen=True, slots=True)
class Watch:
    """``tells``: the records it is told of, out of those that changed and the one that a steward corrected (which
    keeps the source's title as another one).
    """

    what: str
    who: int
    body: Json
    tells: Callable[[frozenset[str], str], frozenset[str]]


def watches(keyword: str) -> Sequence[Watch]:
    """``keyword``: one that only the corrected record has. People with even numbers have a key."""

    def by_words(title: str, words: str, *, changes: bool) -> Json:
        return {"title": title, "search": {"q": words, "algorithm": "bm25"}, "changes": changes}

    return (
        Watch("changed records", 0, by_words("Editions", EDITION, changes=True), lambda all, _: all),
        Watch("new records alone", 2, by_words("New ones", EDITION, changes=False), lambda *_: frozenset()),
        Watch("a steward's word", 4, by_words("Corrected", keyword, changes=True), lambda _, own: frozenset({own})),
    )


def told(answer: Json) -> tuple[int, frozenset[str], frozenset[str]]:
    """How many a saved search was told of; the first 50 of each night by id; their titles."""
    records: list[Mapping[str, str]] = [record for one in answer["found"] for record in one["records"]]
    total = sum(one["total"] for one in answer["found"])
    return total, frozenset(one["id"] for one in records), frozenset(one["title"] for one in records)
