"""Did you mean: words of the question that no record holds, replaced by the nearest that some do."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from elasticsearch import Elasticsearch

from search_api.retrieval.candidates import checked

_FIELDS = ("title", "abstract", "keywords.term")
_SHORTEST = 4
_MOST_WORDS = 12
_WORD = re.compile(rf"[^\W\d_]{{{_SHORTEST},}}")


def did_you_mean(client: Elasticsearch, index: str, question: str, words: str) -> str | None:
    """The question with its misspelt words mended; None where every word is known or nothing is near.

    Only ``words`` (the question without its places and times) are looked at.
    """
    found = list(dict.fromkeys(word.lower() for word in _WORD.findall(words)))[:_MOST_WORDS]
    if not found:
        return None
    answer = checked(client, [{"index": index}, _body(found)])[0]
    counts = answer["aggregations"]["known"]["buckets"]
    mended = question
    for word in found:
        better = _best(answer["suggest"], word) if not counts[word]["doc_count"] else None
        if better is not None:
            mended = re.sub(rf"\b{re.escape(word)}\b", better, mended, flags=re.IGNORECASE)
    return mended if mended != question else None


def _body(words: list[str]) -> dict[str, Any]:
    readings = [f"{field}{language}" for field in _FIELDS for language in ("", ".en")]
    known = {word: {"multi_match": {"query": word, "fields": readings}} for word in words}
    asked = {
        field: {"term": {"field": field, "suggest_mode": "missing", "prefix_length": 1, "min_word_length": _SHORTEST}}
        for field in _FIELDS
    }
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"known": {"filters": {"filters": known}}},
        "suggest": {"text": " ".join(words), **asked},
    }


def _best(suggest: Mapping[str, Any], word: str) -> str | None:
    """The nearest, then the most frequent, over all fields."""
    options = [
        (option["score"], option["freq"], option["text"])
        for field in _FIELDS
        for entry in suggest.get(field, ())
        if entry["text"] == word
        for option in entry["options"]
    ]
    return max(options)[2] if options else None
