"""Vertical extents of ISO 19139, positive upwards."""

from __future__ import annotations

import math

from core.record import Vertical
from indexer.formats.iso_xml import GMD, XLINK_HREF, Element, child, local, objects, written
from indexer.formats.repair_box import number

_DEPTH_CRS = ("5715", "5831", "depth")  # EPSG codes and names of vertical systems that count downwards
_UNITS = {"metre": "m", "metres": "m", "meter": "m", "meters": "m", "9001": "m", "hectopascal": "hPa", "mb": "mbar"}


def read_vertical(extents: list[Element], warnings: list[str]) -> Vertical | None:
    """The hull of all vertical extents in the unit of the first one; None where there is none."""
    found = [
        vertical
        for extent in extents
        for element in objects(extent, f"{GMD}verticalElement")
        if (vertical := _vertical(element, warnings)) is not None
    ]
    if not found:
        return None
    alike = [vertical for vertical in found if vertical.unit == found[0].unit]
    if len(alike) < len(found):
        warnings.append(f"vertical: extents in other units than {found[0].unit} were left out")
    return Vertical(_outer(min, [v.minimum for v in alike]), _outer(max, [v.maximum for v in alike]), found[0].unit)


def _vertical(element: Element, warnings: list[str]) -> Vertical | None:
    low = number(written(child(element, f"{GMD}minimumValue")))
    high = number(written(child(element, f"{GMD}maximumValue")))
    minimum, maximum = (value if math.isfinite(value) else None for value in (low, high))
    if minimum is None and maximum is None:
        return None
    if minimum is not None and maximum is not None and minimum > maximum:
        minimum, maximum = maximum, minimum
        warnings.append("vertical: minimum and maximum were swapped")
    if _counts_down(element):
        minimum, maximum = _negated(maximum), _negated(minimum)
    return Vertical(minimum, maximum, _unit(element))


def _counts_down(element: Element) -> bool:
    """Whether the system counts depths, by its reference, its name, or the direction of its axis."""
    system = child(element, f"{GMD}verticalCRS")
    if system is None:
        return False
    said = [system.get(XLINK_HREF) or ""]
    for part in system.iter("*"):
        name = local(part)
        if name in ("name", "srsName", "identifier", "scope", "code"):
            said.append(part.text or "")
        if name == "axisDirection" and (part.text or "").strip().lower() == "down":
            return True
    return any(word in text.lower() for text in said for word in _DEPTH_CRS)


def _unit(element: Element) -> str:
    for part in element.iter("*"):
        unit = part.get("uom") or (part.text if local(part) == "unitOfMeasure" else None)
        if unit and unit.strip():
            last = unit.strip().rpartition("#")[2].rpartition(":")[2].rpartition("/")[2]
            return _UNITS.get(last.lower(), last)
    return "m"


def _outer(pick: object, values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None  # one of them is open
    return min(known) if pick is min else max(known)


def _negated(value: float | None) -> float | None:
    return None if value is None else 0.0 - value
