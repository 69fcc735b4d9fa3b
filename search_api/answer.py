"""A search's answer before it is presented: hits with their records, the interpretation, what was degraded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.hit import Hit
from core.json_types import JsonMapping
from core.record import Record
from search_api.request import FacetName
from search_api.retrieval.facets import Facet
from search_api.retrieval.fetch import PassageFound
from search_api.understanding.interpretation import Interpretation


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A hit of the page with its record; ``explanation`` only where it was asked for."""

    hit: Hit
    record: Record
    highlights: Mapping[str, list[str]] = field(default_factory=dict)
    passages: tuple[PassageFound, ...] = ()
    explanation: JsonMapping | None = None
    folded: tuple[str, ...] = ()
    """Ids of the same data set from other sources, when they were grouped by identity."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many records match. ``about``: the same data set of several catalogues may be counted more than once.

    ``at_least``: meaning was followed only so far, and more may be near.
    """

    count: int
    relation: Literal["exact", "about", "at_least"] = "exact"


@dataclass(frozen=True, slots=True)
class Answer:
    """``matched`` is how many hits can be paged, ``total`` how many there are; ``took_ms`` names each stage.

    ``corrected_from``: the question as it was asked, where nothing was found and its mended form was answered.
    """

    found: tuple[FoundRecord, ...]
    matched: int
    interpretation: Interpretation
    degraded: tuple[str, ...] = ()
    facets: Mapping[FacetName, Facet] = field(default_factory=dict)
    did_you_mean: str | None = None
    took_ms: Mapping[str, float] = field(default_factory=dict)
    total: Total = field(default_factory=lambda: Total(0))
    corrected_from: str | None = None
