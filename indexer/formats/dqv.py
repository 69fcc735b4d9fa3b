"""Resolution in GeoDCAT-AP 2 and 3: ``dqv:hasQualityMeasurement`` of a distance, an angle or a scale."""

from __future__ import annotations

import math

from core.json_types import JsonMapping
from core.record import Resolution
from indexer.formats.dcat_parts import address
from indexer.formats.json_document import objects_in, text_in
from indexer.formats.json_ld import short
from indexer.formats.repair_box import number
from indexer.formats.units import metres

_UNIT = {"spatialResolutionAsDistance": "m", "spatialResolutionAsAngularDistance": "degree"}
_SCALE = "spatialResolutionAsScale"
_COARSEST_SCALE = 1e9  # the whole Earth on 4 cm of paper


def measured_resolution(said: JsonMapping) -> Resolution:
    """The finest distance in metres and the largest scale of a data set with short names; None where none is given.

    A scale is written as a fraction (0.00002) or as its denominator (50000). Heights are not ground distances.
    """
    distances, scales = [], []
    for one in objects_in(said.get("hasQualityMeasurement")):
        metric = short(address(one.get("isMeasurementOf")))
        value = number(text_in(one.get("value")))
        if not math.isfinite(value) or value <= 0:
            continue
        if metric in _UNIT:
            distances.append(metres(value, address(one.get("unitMeasure")) or _UNIT[metric]))
        elif metric == _SCALE:
            scales.append(1 / value if value < 1 else value)
    known = [distance for distance in distances if distance is not None]
    denominators = [round(scale) for scale in scales if scale <= _COARSEST_SCALE]
    return Resolution(min(known, default=None), min(denominators, default=None))
