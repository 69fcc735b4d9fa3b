"""Adds periods of the calendar or of the Earth's history to a draft; one without known years stays as words."""

from __future__ import annotations

from indexer.formats.draft import Draft
from indexer.formats.geologic_time import Edge, between, geologic_span
from indexer.formats.iso_xml import one_of_each
from indexer.formats.text import is_placeholder, line

_LONGEST = 300


def add_period(draft: Draft, text: str) -> None:
    """Adds a period in one text."""
    words = line(text)
    if not words or is_placeholder(words):
        return
    era = geologic_span(words)
    if era is not None:
        draft.time(era)
    if era is not None or not draft.interval(words):
        _keep_words(draft, words, known=era is not None)


def add_between(draft: Draft, begin: Edge, end: Edge, *words: str) -> None:
    """Adds a period by its edges; ``words`` describe it and stay as keywords."""
    old = [edge for edge in (begin, end) if edge.words and not edge.calendar]
    for text in words:
        draft.keyword(_short(text), "temporal")
    if not old:
        draft.span(begin.words, end.words)
        return
    found = between(begin, end)
    if found is not None:
        draft.time(found)
    for text in one_of_each(edge.words for edge in old):
        _keep_words(draft, text, known=found is not None)


def _keep_words(draft: Draft, words: str, *, known: bool) -> None:
    draft.keyword(_short(words), "temporal")
    if not known:
        draft.warnings.append(f"time: {_short(words)!r} is no period with known years: kept as a keyword")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
