"""The texts of a record in which names and acronyms are looked for as words."""

from __future__ import annotations

from search_api.retrieval.filters import Clause

_TEXTS = ("words", "words.en")


def phrase(text: str) -> Clause:
    """The words of the text one after another, within one title, keyword or abstract."""
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(_TEXTS)}}


def every_word(text: str) -> Clause:
    """All words of the text, anywhere in the record."""
    return {"multi_match": {"query": text, "type": "cross_fields", "operator": "and", "fields": list(_TEXTS)}}
