"""What ranking and arranging read of one record, parsed once out of its doc values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from core.record import ProvenanceKind, Resolution
from core.time_overlap import duration_s
from search_api.ranking.diversity import Family
from search_api.ranking.folding import Likeness

# Tobler (1987): the finest detail on a map is half a millimetre wide.
METRES_PER_SCALE_DENOMINATOR = 0.0005

Fields = Mapping[str, Sequence[Any]]
"""The ``fields`` of an Elasticsearch hit: doc values, lists of values by field."""

LIKENESS_FIELDS = ("source", "identity", "signature")
_FAMILIES = ("series", "parent")
_RESOLUTION = ("metres", "scale_denominator", "time_step")
_OF_NOBODY = Likeness("")


@dataclass(frozen=True, slots=True)
class Facts:
    """One record. ``boxes``: west, south, east (unrolled), north in degrees, one box after the other; ``spans``: start,
    end in ms likewise, infinite where open. ``metres``: ground resolution, said or from the map scale; ``step_s``: time
    step; NaN where the record does not say.
    """

    boxes: tuple[float, ...] = ()
    spans: tuple[float, ...] = ()
    metres: float = math.nan
    step_s: float = math.nan
    kind: ProvenanceKind = "unknown"
    modified_ms: float = math.nan
    likeness: Likeness = _OF_NOBODY
    families: tuple[Family, ...] = ()


def facts_of(fields: Fields) -> Facts:
    """From doc values as the index writes them: ``boxes`` are ``"west,south,east,north"``, ``spans``
    ``"start_ms/end_ms"`` with nothing for an open end; ``dates.modified`` is asked for as ``epoch_millis``, text.

    Raises ValueError where a value cannot be read.
    """
    resolution = Resolution(*(_first(fields, f"resolution.{name}") for name in _RESOLUTION))
    return Facts(
        boxes=tuple(number for text in fields.get("boxes", ()) for number in _box(text)),
        spans=tuple(number for text in fields.get("spans", ()) for number in _span(text)),
        metres=_number(resolution_metres(resolution)),
        step_s=_number(step_seconds(resolution.time_step)),
        kind=cast(ProvenanceKind, _first(fields, "provenance.kind") or "unknown"),
        modified_ms=_number(_first(fields, "dates.modified")),
        likeness=likeness_of(fields),
        families=tuple((kind, name) for kind in _FAMILIES if (name := _text(fields, kind)) is not None),
    )


def likeness_of(fields: Fields) -> Likeness:
    """From the doc values of ``LIKENESS_FIELDS``."""
    return Likeness(str(_first(fields, "source")), _text(fields, "identity"), _text(fields, "signature"))


def resolution_metres(resolution: Resolution) -> float | None:
    """Ground resolution in metres, said or from the map scale (half a millimetre on the map); None for neither."""
    if resolution.metres is not None:
        return resolution.metres
    if resolution.scale_denominator is not None:
        return resolution.scale_denominator * METRES_PER_SCALE_DENOMINATOR
    return None


def step_seconds(time_step: str | None) -> float | None:
    return None if time_step is None else duration_s(time_step)


def _box(text: str) -> tuple[float, float, float, float]:
    numbers = [float(number) for number in text.split(",")]
    if len(numbers) != 4:
        raise ValueError("a stored box is not west,south,east,north")
    west, south, east, north = numbers
    return west, south, east + 360.0 if west > east else east, north


def _span(text: str) -> tuple[float, float]:
    start, end = text.split("/")
    return float(start) if start else -math.inf, float(end) if end else math.inf


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _first(fields: Fields, name: str) -> Any:
    values = fields.get(name)
    return values[0] if values else None


def _text(fields: Fields, name: str) -> str | None:
    value = _first(fields, name)
    return None if value is None else str(value)
