"""The axes of STAC's datacube extension (``cube:dimensions``): place, period and resolution of a cube."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.json_types import Json, JsonMapping
from core.record import Resolution
from indexer.formats.draft import Draft
from indexer.formats.json_document import listed, objects_in, text_in
from indexer.formats.repair_box import number
from indexer.formats.units import iso_duration, metres

_DEGREES = frozenset({"", "4326", "4979", "CRS84", "OGC:CRS84", "EPSG:4326", "EPSG:4979"})  # 4326 where none is named


def cube(draft: Draft, said: JsonMapping) -> None:
    """Fills box, period and resolution where the document's usual members do not give them."""
    dimensions = said.get("cube:dimensions")
    axes = [axis for axis in dimensions.values() if isinstance(axis, dict)] if isinstance(dimensions, dict) else []
    if not draft.where.boxes:
        _box(draft, axes)
    for axis in axes:
        if axis.get("type") == "temporal":
            _time(draft, axis)
    if draft.resolution.metres is None:
        steps = [step for axis in _ground(axes) if (step := _step_m(axis)) is not None]
        draft.resolution = Resolution(
            min(steps, default=None), draft.resolution.scale_denominator, draft.resolution.time_step
        )


def _ground(axes: list[Json]) -> Iterator[Json]:
    for axis in axes:
        if axis.get("type") == "spatial" and axis.get("axis") in ("x", "y"):
            yield axis


def _box(draft: Draft, axes: list[Json]) -> None:
    """Only for axes in degrees: a projected cube gives its place in its geometry."""
    ends = {axis["axis"]: listed(axis.get("extent")) for axis in _ground(axes) if _in_degrees(axis)}
    x, y = ends.get("x", []), ends.get("y", [])
    if len(x) == len(y) == 2:
        draft.where.box(x[0], y[0], x[1], y[1])


def _time(draft: Draft, axis: JsonMapping) -> None:
    ends = listed(axis.get("extent"))
    if not draft.has_times and len(ends) == 2 and any(ends):
        draft.span(text_in(ends[0]), text_in(ends[1]))
    step = iso_duration(text_in(axis.get("step")))
    if step and draft.resolution.time_step is None:
        draft.resolution = Resolution(draft.resolution.metres, draft.resolution.scale_denominator, step)


def _step_m(axis: JsonMapping) -> float | None:
    """The distance between two values in metres, degrees at the equator; None where irregular or of an unknown unit."""
    step = abs(number(text_in(axis.get("step"))))
    unit = text_in(axis.get("unit")) or ("degree" if _in_degrees(axis) else "")
    return metres(step, unit) if math.isfinite(step) and step > 0 else None


def _in_degrees(axis: JsonMapping) -> bool:
    system = axis.get("reference_system")
    if isinstance(system, dict):
        code = next(objects_in(system.get("id")), {}).get("code")
        return code is not None and text_in(code) in _DEGREES
    return text_in(system).upper() in _DEGREES
