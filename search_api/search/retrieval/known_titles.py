"""Records whose title is the question, and the question's words that no record contains. No hits, only counts."""

from __future__ import annotations

import re

from core.folding import folded_words
from core.json_types import Json, JsonMapping
from search_api.search.retrieval.filters import Clause
from search_api.search.understanding.interpretation import Interpretation

_TITLE = "title_sort"  # folded
_SIGNS = "[^a-z0-9]*"
_LONGEST = 900  # signs of a pattern: Elasticsearch reads a thousand
_MOST_WORDS = 12
_WORD = re.compile(r"[^\W\d_]{4,}")
_READINGS = ("words", "words.en")


def title_clause(text: str) -> Clause | None:
    """Records with this title, whatever the signs between its words; None for a text without words or with too many."""
    letters = folded_words(text)
    pattern = _SIGNS + _SIGNS.join(letters) + _SIGNS
    if not letters or len(pattern) > _LONGEST:
        return None
    return {"regexp": {_TITLE: {"value": pattern}}}


def held_body(read: Interpretation) -> Json | None:
    """Counts the records with this title, and with each of the topic's words; None if there is nothing to count."""
    title = title_clause(read.text)
    filters: dict[str, Clause] = {} if title is None else {"title": title}
    for word in _words_of(read):
        filters[f"word {word}"] = {"multi_match": {"query": word, "fields": list(_READINGS)}}
    if not filters:
        return None
    return {"size": 0, "track_total_hits": False, "aggs": {"held": {"filters": {"filters": filters}}}}


def read_held(read: Interpretation, answer: JsonMapping) -> tuple[bool, tuple[str, ...]]:
    """Whether the question is a title, and its words that no record contains."""
    held = {name: one["doc_count"] for name, one in answer["aggregations"]["held"]["buckets"].items()}
    unknown = tuple(word for word in _words_of(read) if held[f"word {word}"] == 0)
    return held.get("title", 0) > 0, unknown


def titled_clause(read: Interpretation) -> Clause | None:
    """Records whose title is the question, if there are any."""
    return title_clause(read.text) if read.is_title else None


def _words_of(read: Interpretation) -> list[str]:
    words = read.thematic
    for place in read.places:  # still in the topic if no record gives its place in numbers
        words = words.replace(place.found.text, " ")
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(words)))[:_MOST_WORDS]
