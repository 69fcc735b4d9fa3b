"""Measures beside relevance: the distance of the first ten hits from the asked place, and their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.extent import BBox
from core.geo import box_array, hausdorff_deg_many
from core.record import ProvenanceKind, Record
from evaluation.asking import Asked

_FIRST = 10


@dataclass(frozen=True, slots=True)
class BeyondTopic:
    """Means over the questions concerned, None if there are none.

    ``hausdorff_deg``: see :func:`mean_hausdorff_deg`. ``unplaced``: share of the first ten without an extent, and so
    without a distance. ``derived``, ``not_observed``: for questions for observations, the shares of the first ten that
    are derived products, and that are known not to be observations.
    """

    questions_with_place: int
    hausdorff_deg: float | None
    unplaced: float | None
    questions_for_observations: int
    derived: float | None
    not_observed: float | None


def beyond_topic(answers: Sequence[Asked], records: Mapping[str, Record]) -> BeyondTopic:
    """``records`` by document id. The place is the one annotated by a person, else the one read."""
    placed = [(one.question.areas or one.areas, _first(one, records)) for one in answers]
    placed = [(areas, first) for areas, first in placed if areas and first]
    distances = [mean for areas, first in placed if (mean := mean_hausdorff_deg(areas, first)) is not None]
    observing = [first for one in answers if one.kind == "observation" and (first := _first(one, records))]
    return BeyondTopic(
        questions_with_place=len(placed),
        hausdorff_deg=_mean(distances),
        unplaced=_mean([_share([not record.extents for record in first]) for _, first in placed]),
        questions_for_observations=len(observing),
        derived=_mean([_share([record.provenance.kind == "derived" for record in first]) for first in observing]),
        not_observed=_mean([_share([_is_other(record.provenance.kind) for record in first]) for first in observing]),
    )


def mean_hausdorff_deg(areas: Sequence[BBox], first: Sequence[Record]) -> float | None:
    """Mean plain-degree distance of the records with an extent: nearest box, mean over the asked areas."""
    placed = [box_array(record.extents) for record in first if record.extents]
    each = [float(np.mean([hausdorff_deg_many(area, boxes).min() for area in areas])) for boxes in placed]
    return _mean(each)


def _first(one: Asked, records: Mapping[str, Record]) -> list[Record]:
    return [records[document] for document, _ in one.found[:_FIRST]]


def _is_other(kind: ProvenanceKind) -> bool:
    return kind not in ("observation", "unknown")


def _share(flags: Sequence[bool]) -> float:
    return sum(flags) / len(flags)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
