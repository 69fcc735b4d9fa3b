"""Names of text fields in the languages that the index analyses."""

from __future__ import annotations

from search_api.search.ranking.words import Boosts

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")


def boosted(boosts: Boosts, language: str | None) -> list[str]:
    """Field names with their weights: the sub-fields of the language, else the plain folded ones."""
    suffix = language_suffix(language)
    return [f"{field}{suffix}^{boost:g}" for field, boost in boosts.items()]


def language_suffix(language: str | None) -> str:
    """The sub-field with this language's analyser; empty for a language without one."""
    return f".{language}" if language in LANGUAGES else ""
