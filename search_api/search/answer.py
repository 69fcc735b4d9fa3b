"""The result of a search before it is presented: hits with their records, the interpretation, degraded parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.hit import Hit
from core.json_types import JsonMapping
from core.record import Record
from search_api.search.request import FacetName
from search_api.search.retrieval.facets import Facet
from search_api.search.retrieval.record_reads import BestPassage
from search_api.search.understanding.interpretation import Interpretation


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A hit of the page with its record; ``explanation`` only if requested."""

    hit: Hit
    record: Record
    highlights: Mapping[str, list[str]] = field(default_factory=dict)
    passages: tuple[BestPassage, ...] = ()
    explanation: JsonMapping | None = None
    relevance: float | None = None
    """0..1: how probable it is that the record answers the question; None if meaning did not judge it."""
    folded: tuple[str, ...] = ()
    """Ids of the same data set from other sources, if hits are grouped by identity."""
    successor: Record | None = None
    """The newest version of the data set among what the search found."""


Shared = Literal["place", "time"]


@dataclass(frozen=True, slots=True)
class Answer:
    """``matched``: the hits that can be paged; ``total``: all records that match, each copy of a data set counted;
    ``took_ms``: the time of each stage.

    ``corrected_from``: the original question, if its corrected form was answered. ``unknown_words``: of the question,
    in small letters, that no record contains; empty if many records contain all of its words.
    """

    hits: tuple[FoundRecord, ...]
    matched: int
    interpretation: Interpretation
    degraded: tuple[str, ...] = ()
    facets: Mapping[FacetName, Facet] = field(default_factory=dict)
    did_you_mean: str | None = None
    took_ms: Mapping[str, float] = field(default_factory=dict)
    total: int = 0
    corrected_from: str | None = None
    unknown_words: tuple[str, ...] = ()
    is_weak: bool = False
    """Whether each hit of the page is a weak match."""
    is_off_topic: bool = False
    """Whether no record is about the topic, so the hits are near it, or of the asked place and time."""
    shared_off_topic: frozenset[Shared] = frozenset()
    """What each hit of the page shares with the question all the same, if no record is about the topic."""
    missed: frozenset[Shared] = frozenset()
    """The asked place or time, if no hit of the page is from there or then and some of them state theirs."""
