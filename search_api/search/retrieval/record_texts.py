"""Clauses for words one after another, and for the texts in which names and acronyms are looked for as words."""

from __future__ import annotations

from collections.abc import Collection

from search_api.search.retrieval.filters import Clause

_TEXTS = ("words", "words.en")


def phrase(text: str, fields: Collection[str] = _TEXTS) -> Clause:
    """The words of the text one after another, within one title, keyword or abstract."""
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}}


def every_word(text: str) -> Clause:
    """All words of the text, anywhere in the record."""
    return {"multi_match": {"query": text, "type": "cross_fields", "operator": "and", "fields": list(_TEXTS)}}
