"""Spatial resolution, scale and time step of ISO 19139."""

from __future__ import annotations

import math
from collections.abc import Iterator

from core.record import Resolution
from indexer.formats.iso_time import time_interval
from indexer.formats.iso_xml import GMD, Element, child, code_of, held, objects, written
from indexer.formats.repair_box import number
from indexer.formats.units import iso_duration, metres, time_step

_GROUND_AXES = frozenset({"row", "column", "line", "sample", "track", "crosstrack"})


def read_resolution(
    metadata: Element, identifications: list[Element], extents: list[Element], warnings: list[str]
) -> Resolution:
    """The finest distance and scale that are given; without a distance, the axes of the grid count."""
    stated = [*_distances(identifications, warnings)]
    axes = list(objects(metadata, f"{GMD}spatialRepresentationInfo", f"{GMD}axisDimensionProperties"))
    distances = stated or [*_axis_distances(axes)]
    scales = [*_scales(identifications, warnings)]
    return Resolution(min(distances, default=None), min(scales, default=None), _time_step(axes, extents))


def _measure(prop: Element | None) -> tuple[float, str]:
    """Number and unit of a gco:Distance, Measure, Angle, ...; NaN where there is none."""
    found = held(prop)
    return (number(written(prop)), "" if found is None else found.get("uom", ""))


def _distances(identifications: list[Element], warnings: list[str]) -> Iterator[float]:
    for identification in identifications:
        for resolution in objects(identification, f"{GMD}spatialResolution"):
            for prop in resolution.iterchildren(f"{GMD}distance"):
                value, unit = _measure(prop)
                found = metres(value, unit)
                if found is not None:
                    yield found
                elif not math.isnan(value):
                    warnings.append(f"resolution: distance {value:g} {unit} left out".replace("  ", " "))


def _scales(identifications: list[Element], warnings: list[str]) -> Iterator[int]:
    for identification in identifications:
        path = (f"{GMD}spatialResolution", f"{GMD}equivalentScale")
        for fraction in objects(identification, *path):
            value = number(written(child(fraction, f"{GMD}denominator")))
            if value >= 1 and math.isfinite(value):
                yield int(value)
            elif not math.isnan(value):
                warnings.append(f"resolution: scale denominator {value:g} left out")


def _axis_distances(axes: list[Element]) -> Iterator[float]:
    for axis in axes:
        if code_of(child(axis, f"{GMD}dimensionName")).lower() in _GROUND_AXES:
            value, unit = _measure(child(axis, f"{GMD}resolution"))
            found = metres(value, unit)
            if found is not None:
                yield found


def _time_step(axes: list[Element], extents: list[Element]) -> str | None:
    for axis in axes:
        if code_of(child(axis, f"{GMD}dimensionName")).lower() == "time":
            value, unit = _measure(child(axis, f"{GMD}resolution"))
            step = iso_duration(written(child(axis, f"{GMD}resolution"))) or time_step(value, unit)
            if step is not None:
                return step
    interval = time_interval(extents)
    return None if interval is None else iso_duration(interval[0]) or time_step(number(interval[0]), interval[1])
