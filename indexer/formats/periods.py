"""Adds periods of the calendar or of the Earth's history to a draft; one without known years stays as words."""

from __future__ import annotations

import re

from core.json_types import JsonMapping
from indexer.formats.draft import RecordDraft
from indexer.formats.json_documents.parsing import text_in
from indexer.formats.repair.geologic_time import PeriodEnd, geologic_span, owl_time, parse_period_end, span_between
from indexer.formats.repair.text import is_placeholder, line, unique

_LONGEST = 300
_BEGIN = ("startDate", "start", "begin")
_END = ("endDate", "end")


def add_period(draft: RecordDraft, text: str) -> None:
    """Adds a period in one text."""
    words = line(text)
    if not words or is_placeholder(words):
        return
    era = geologic_span(words)
    if era is not None:
        draft.add_time(era)
    if era is not None or not draft.add_interval(words):
        _keep_words(draft, words, known=era is not None)


def add_any(draft: RecordDraft, period: object) -> None:
    """Adds a period in a text or in an object."""
    if isinstance(period, dict):
        add_object(draft, period)
    else:
        add_period(draft, text_in(period))


def add_object(draft: RecordDraft, period: JsonMapping) -> None:
    """Adds an interval or instant of OWL-Time, or an object with a start and an end, or with only a name."""
    interval = owl_time(period)
    if interval is not None:
        begin, end, words = interval
        add_between(draft, begin, end, *words)
        return
    edges = [
        next((_edge(text) for name in names if (text := text_in(period.get(name)))), PeriodEnd(calendar=True))
        for names in (_BEGIN, _END)
    ]
    if any(edge.words for edge in edges):
        add_between(draft, edges[0], edges[1])
    else:
        add_period(
            draft, next((text for name in ("name", "label", "@value") if (text := text_in(period.get(name)))), "")
        )


def _edge(text: str) -> PeriodEnd:
    edge = parse_period_end(text)
    return edge if edge.span or not re.search(r"\d", text) else PeriodEnd(text, calendar=True)


def add_between(draft: RecordDraft, begin: PeriodEnd, end: PeriodEnd, *words: str) -> None:
    """Adds a period by its edges; ``words`` describe it and stay as keywords."""
    old = [edge for edge in (begin, end) if edge.words and not edge.calendar]
    for text in words:
        draft.add_keyword(_short(text), "temporal")
    if not old:
        draft.add_span(begin.words, end.words)
        return
    span = span_between(begin, end)
    if span is not None:
        draft.add_time(span)
    for text in unique(edge.words for edge in old):
        _keep_words(draft, text, known=span is not None)


def _keep_words(draft: RecordDraft, words: str, *, known: bool) -> None:
    draft.add_keyword(_short(words), "temporal")
    if not known:
        draft.warnings.append(f"time: {_short(words)!r} is no period with known years: kept as a keyword")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1].rstrip() + "…"
