"""The words of a question that no record contains, and did you mean: the nearest common ones instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from core.json_types import Json, JsonMapping
from es_gateway.searching import Search
from search_api.search.caches import AnswerCache, IndexState

_SHORTEST = 4
_SHORTEST_HELD = 7  # of a word that some record contains: short words have real neighbours (moss, most)
_FAR_MORE = 30
_LEAST_LIKENESS, _SURE_LIKENESS = 0.7, 0.8  # 1 minus the share of different letters
_MOST_WORDS = 12
_WORD = re.compile(rf"[^\W\d_]{{{_SHORTEST},}}")


@dataclass(frozen=True, slots=True)
class Spelling:
    """The question with corrected spelling.

    ``sure``: each word that no record contains has one very near neighbour, and no other as near. If one of them has
    none, the question is probably about something that is not in the catalogue. A rare word that some record contains
    may be meant.
    """

    question: str
    sure: bool
    replaced: tuple[tuple[str, str], ...] = ()
    """Each word in small letters, and what it should be."""


@dataclass(frozen=True, slots=True)
class CheckedWords:
    """``unknown``: in small letters, words of four letters and more that no record contains. ``spelling``: None if
    every word is known or no word is near.
    """

    unknown: tuple[str, ...] = ()
    spelling: Spelling | None = None


@dataclass(frozen=True, slots=True)
class WordCheck:
    """``keys``: of the checked words in the cache, whose answers hold at ``state``. ``fields``: where records have
    words. ``searches``: for the words that are not cached.
    """

    question: str
    fields: Collection[str]
    state: IndexState
    cache: AnswerCache
    keys: Mapping[str, bytes]
    cached: Mapping[bytes, JsonMapping]
    searches: Mapping[str, Search]

    @classmethod
    def of(
        cls, question: str, words: str, index: str, fields: Collection[str], state: IndexState, cache: AnswerCache
    ) -> WordCheck:
        """Checks only ``words``: the question without its places and times."""
        checked = list(dict.fromkeys(word.lower() for word in _WORD.findall(words)))[:_MOST_WORDS]
        keys = {word: orjson.dumps(["word", *fields, word]) for word in checked}
        cached = cache.get("words", state, list(keys.values())) if keys else {}
        new = [word for word in checked if keys[word] not in cached]
        searches: dict[str, Search] = {"words": ({"index": index}, _body(fields, new))} if new else {}
        return cls(question, fields, state, cache, keys, cached, searches)

    def read(self, answers: Mapping[str, JsonMapping]) -> CheckedWords:
        if not self.keys:
            return CheckedWords()
        new = [word for word, key in self.keys.items() if key not in self.cached]
        fresh = _by_word(self.fields, new, answers["words"]) if new else {}
        self.cache.put(self.state, {self.keys[word]: counts for word, counts in fresh.items()})
        words = {word: fresh.get(word) or self.cached[key] for word, key in self.keys.items()}
        return _checked(self.question, words)


def _by_word(fields: Collection[str], words: Sequence[str], answer: JsonMapping) -> dict[str, JsonMapping]:
    """How many records contain each word, and its neighbours in all fields."""
    counts, suggested = answer["aggregations"]["known"]["buckets"], answer["suggest"]
    entries = [entry for field in fields for entry in suggested.get(field, ())]
    near = {word: [one for entry in entries if entry["text"] == word for one in entry["options"]] for word in words}
    return {word: {"held": counts[word]["doc_count"], "near": near[word]} for word in words}


def _checked(question: str, found: Mapping[str, JsonMapping]) -> CheckedWords:
    """``found``: by word, as ``_by_word`` reads it."""
    unknown = tuple(word for word, one in found.items() if one["held"] == 0)
    betters = {word: _best(one["near"], word, one["held"]) for word, one in found.items()}
    mended = question
    for word, better in betters.items():
        if better is not None:
            mended = re.sub(rf"\b{re.escape(word)}\b", better.text, mended, flags=re.IGNORECASE)
    if mended == question:
        return CheckedWords(unknown)
    replaced = {word: better.likeness for word, better in betters.items() if better is not None}
    alone = all(_is_alone(found[word]["near"], betters[word]) for word in replaced)
    sure = tuple(replaced) == unknown and min(replaced.values()) >= _SURE_LIKENESS and alone
    pairs = tuple((word, better.text) for word, better in betters.items() if better is not None)
    return CheckedWords(unknown, Spelling(mended, sure, pairs))


def _body(fields: Collection[str], words: list[str]) -> Json:
    readings = [f"{field}{language}" for field in fields for language in ("", ".en")]
    known = {word: {"multi_match": {"query": word, "fields": readings}} for word in words}
    asked = {
        field: {"term": {"field": field, "suggest_mode": "popular", "prefix_length": 1, "min_word_length": _SHORTEST}}
        for field in fields
    }
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"known": {"filters": {"filters": known}}},
        "suggest": {"text": " ".join(words), **asked},
    }


class _Better(NamedTuple):
    """Compared by similarity (0..1), then by the number of records that contain it."""

    likeness: float
    held: int
    text: str


def _best(near: Sequence[JsonMapping], word: str, held: int) -> _Better | None:
    """A word in ``held`` records counts as misspelt only if a very near word is far more common."""
    options = [_Better(option["score"], option["freq"], option["text"]) for option in near]
    options = [one for one in options if one.likeness >= _LEAST_LIKENESS]
    if held:
        options = [one for one in options if _replaces(one, word, held)]
    return max(options, default=None)


def _is_alone(near: Sequence[JsonMapping], better: _Better | None) -> bool:
    """Whether no other word is as near: *walus* may be *walrus* or *walls*."""
    return better is None or not any(
        option["score"] >= better.likeness and option["text"] != better.text for option in near
    )


def _replaces(better: _Better, word: str, held: int) -> bool:
    usual = better.held >= _FAR_MORE * held
    return usual and len(word) >= _SHORTEST_HELD and better.likeness >= _SURE_LIKENESS
