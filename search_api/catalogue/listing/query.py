"""A listing request, and its Elasticsearch query: filters only, no scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.geo import BBox
from core.json_types import Json
from core.timespan import TimeSpan
from search_api.search.order import SortKey, sort_body
from search_api.search.retrieval.clauses import LANGUAGES, area_clause, phrase, span_clause

Clause = Json

_ONE_FIELD = ("words",)
_SEPARATE_FIELDS = ("title", "alternate_titles", "abstract", "keywords.term")
"""Where the records of an older schema have their words."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_MOST_STEMMED_WORDS = 12
"""A longer phrase is a quotation and is matched exactly."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records. Several values of one field: any of them; ``source`` None: all catalogues.

    ``terms``: words or phrases, of which a record contains any. ``also``: further clauses.
    """

    source: str | None = None
    terms: tuple[str, ...] = ()
    area: BBox | None = None
    span: TimeSpan | None = None
    types: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    external_ids: tuple[str, ...] = ()
    also: tuple[Clause, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRequest:
    """One page. ``after`` holds the sort values of the last record of the previous page."""

    selection: Selection = field(default_factory=Selection)
    order: tuple[SortKey, ...] = ()
    limit: int = 100
    after: tuple[object, ...] | None = None


def selected(selection: Selection, has_words: bool) -> Clause:
    """The clause for every record of the listing; all records without a selection.

    ``has_words``: whether the records have all their words in one field.
    """
    exact = {
        "source": [selection.source] if selection.source is not None else [],
        "type": selection.types,
        "id": selection.ids,
        "identifiers": selection.external_ids,
    }
    clauses: list[Clause] = [{"terms": {field: list(values)}} for field, values in exact.items() if values]
    if selection.terms:
        texts = _ONE_FIELD if has_words else _SEPARATE_FIELDS
        clauses.append(any_of([reading for term in selection.terms for reading in _readings(term, texts)]))
    if selection.area is not None:
        clauses.append(area_clause(selection.area, "intersects"))
    if selection.span is not None:
        clauses.append(span_clause(selection.span))
    clauses += selection.also
    return {"bool": {"filter": clauses}} if clauses else {"match_all": {}}


def _readings(term: str, texts: Sequence[str]) -> list[Clause]:
    """The words side by side in this order: as written, or as the analyser of one language reduces them.

    Analysers also drop words: Spanish takes "sea" for a form of "ser", so "sea ice" would find every "ice". A dropped
    word matches nothing alone, so a language counts only if each word matches.
    """
    words = dict.fromkeys(word.lower() for word in _WORD.findall(term))
    languages = LANGUAGES if len(words) <= _MOST_STEMMED_WORDS else ()
    return [
        phrase(term, texts),
        *(_reduced(term, words, [f"{text}.{language}" for text in texts]) for language in languages),
    ]


def _reduced(term: str, words: Iterable[str], fields: Sequence[str]) -> Clause:
    each: list[Clause] = [{"multi_match": {"query": word, "fields": fields}} for word in words]
    return {"bool": {"filter": [phrase(term, fields), *each]}}


def any_of(clauses: list[Clause]) -> Clause:
    """Records that match one of these."""
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def page_body(request: ListRequest, has_words: bool) -> Json:
    """One page plus one record, which shows whether there is a next page."""
    after = {"search_after": list(request.after)} if request.after is not None else {}
    return {
        "query": selected(request.selection, has_words),
        "size": request.limit + 1,
        "track_total_hits": True,
        **sort_body(request.order),
        **after,
    }
