"""The texts of a record in which names and acronyms are looked for as words."""

from __future__ import annotations

from search_api.retrieval.filters import Clause

TEXTS = ("title", "title.en", "abstract", "abstract.en", "keywords.term", "keywords.term.en")
TITLES_AND_TEXTS = ("alternate_titles", *TEXTS)


def phrase(text: str, fields: tuple[str, ...]) -> Clause:
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}}


def every_word(text: str) -> Clause:
    """All words of the text, each in any field."""
    return {"multi_match": {"query": text, "type": "cross_fields", "operator": "and", "fields": list(TITLES_AND_TEXTS)}}
