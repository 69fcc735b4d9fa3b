"""Clauses for words, and the fields in which they are searched, in the languages that the index analyses."""

from __future__ import annotations

from collections.abc import Collection

from search_api.search.ranking.words import Boosts
from search_api.search.retrieval.filters import Clause

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")


def boosted(boosts: Boosts, language: str | None) -> list[str]:
    """Field names with their weights: the sub-fields of the language, else the plain folded ones."""
    suffix = language_suffix(language)
    return [f"{field}{suffix}^{boost:g}" for field, boost in boosts.items()]


def language_suffix(language: str | None) -> str:
    """The sub-field with this language's analyser; empty for a language without one."""
    return f".{language}" if language in LANGUAGES else ""


_TEXTS = ("words", "words.en")


def phrase(text: str, fields: Collection[str] = _TEXTS) -> Clause:
    """The words of the text one after another, within one title, keyword or abstract."""
    return {"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}}


def every_word(text: str) -> Clause:
    """All words of the text, anywhere in the record."""
    return {"multi_match": {"query": text, "type": "cross_fields", "operator": "and", "fields": list(_TEXTS)}}
