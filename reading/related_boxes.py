"""The boxes that words of relation mean: near, north of, between."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.geo import WORLD, BBox, enclosing_box, normalise_longitude
from reading.relations import KM_PER_DEGREE, Relation

_LEAST_MARGIN_DEG = 0.5
_COAST_MARGIN_DEG = 0.5
_SEA_MARGIN_DEG = 2.0
_LEAST_SIDE_DEG = 1.0
_LEAST_REACH_KM = 10.0
_POLAR_DEG = 85.0


def target_box(relation: Relation, boxes: Sequence[BBox], distance_km: float | None = None) -> BBox | None:
    """Where the answer should lie; None where a box cannot say it (``outside``, no boxes, north of the pole).

    With w and h the width and height of the box around all places:

    - ``in``, ``within``, ``over``: that box; ``global``: the world.
    - ``near``: grown on each side by max(0.5 deg, w / 2) and max(0.5 deg, h / 2); ``coast`` by 0.5 deg, ``off_coast``
      by 2 deg (which side is sea is not known here).
    - ``within_distance``: grown by ``distance_km``; a direction with a distance means the square around the point
      that far from the centre, half the distance to each side and at least 10 km.
    - ``between``: the box spanned by the centres of the first and last place, the shorter way around, each side at
      least half the mean of theirs and 1 deg.
    - ``north_of``: the neighbour of the same size that shares the northern edge, and so on; ``northeast_of`` shares
      the corner. Sides count at least 1 deg, so that a point has a north too.
    - ``part_north``: the northern half; ``part_northeast``: that quarter; ``part_central``: the middle half of
      each side.
    """
    if relation == "global":
        return WORLD
    enclosing = enclosing_box(tuple(boxes))
    if enclosing is None or relation == "outside":
        return None
    if relation == "between":
        return _between(boxes[0], boxes[-1])
    if relation.startswith("part_"):
        return part_of_box(relation.removeprefix("part_"), enclosing)
    if distance_km is not None:
        return _at_distance(relation, enclosing, distance_km)
    if relation.endswith("_of"):
        return _neighbour(relation.removesuffix("_of"), enclosing)
    return _grow(relation, enclosing)


def _box(west: float, south: float, east: float, north: float) -> BBox | None:
    """A box from edges that can exceed the poles and the antimeridian; None if nothing is left of it."""
    south, north = max(south, -90.0), min(north, 90.0)
    if south >= north:
        return None
    if east - west >= 360.0:
        return BBox(-180.0, south, 180.0, north)
    return BBox(normalise_longitude(west), south, normalise_longitude(east), north)


def _grow(relation: Relation, box: BBox) -> BBox | None:
    if relation == "near":
        half_width, along = max(_LEAST_MARGIN_DEG, box.width_deg / 2), max(_LEAST_MARGIN_DEG, box.height_deg / 2)
    elif relation in ("coast", "off_coast"):
        half_width = along = _COAST_MARGIN_DEG if relation == "coast" else _SEA_MARGIN_DEG
    else:
        return box
    return _box(box.west - half_width, box.south - along, box.unrolled_east + half_width, box.north + along)


def _at_distance(relation: Relation, box: BBox, distance_km: float) -> BBox | None:
    longitude, latitude = box.centre
    is_pole = box.width_deg >= 360.0 and abs(latitude) > _POLAR_DEG
    if is_pole:
        latitude = math.copysign(90.0, latitude)  # a point, however large its box
    if relation == "within_distance":
        up, across = _degrees(distance_km, latitude)
        return _box(box.west - across, box.south - up, box.unrolled_east + across, box.north + up)
    compass = relation.removesuffix("_of")
    diagonal = 1.0 if compass in ("north", "south", "east", "west") else math.sqrt(0.5)
    latitude += _degrees(distance_km * diagonal, latitude)[0] * (("north" in compass) - ("south" in compass))
    up, across = _degrees(max(_LEAST_REACH_KM, distance_km / 2.0), latitude)
    longitude += _degrees(distance_km * diagonal, latitude)[1] * (("east" in compass) - ("west" in compass))
    across = 180.0 if is_pole else across
    return _box(longitude - across, latitude - up, longitude + across, latitude + up)


def _degrees(distance_km: float, latitude: float) -> tuple[float, float]:
    """Of latitude and of longitude at this latitude; a distance that reaches over a pole is all around it."""
    up = distance_km / KM_PER_DEGREE
    is_over_pole = abs(latitude) + up >= 90.0
    return up, 180.0 if is_over_pole else min(180.0, up / math.cos(math.radians(latitude)))


def _between(first: BBox, last: BBox) -> BBox | None:
    (first_lon, first_lat), (last_lon, last_lat) = first.centre, last.centre
    step = (last_lon - first_lon + 180.0) % 360.0 - 180.0  # the shorter way around
    middle_lon, middle_lat = first_lon + step / 2.0, (first_lat + last_lat) / 2.0
    half_width = max(abs(step), (first.width_deg + last.width_deg) / 4.0, _LEAST_SIDE_DEG) / 2.0
    half_height = max(abs(last_lat - first_lat), (first.height_deg + last.height_deg) / 4.0, _LEAST_SIDE_DEG) / 2.0
    return _box(middle_lon - half_width, middle_lat - half_height, middle_lon + half_width, middle_lat + half_height)


def _neighbour(compass: str, box: BBox) -> BBox | None:
    width, height = max(box.width_deg, _LEAST_SIDE_DEG), max(box.height_deg, _LEAST_SIDE_DEG)
    west, east = box.centre[0] - width / 2.0, box.centre[0] + width / 2.0
    south, north = box.south, box.south + height
    if "north" in compass:
        south, north = box.north, box.north + height
    elif "south" in compass:
        south, north = box.south - height, box.south
    if "east" in compass:
        west, east = box.unrolled_east, box.unrolled_east + width
    elif "west" in compass:
        west, east = box.west - width, box.west
    if box.width_deg >= 360.0 and ("east" in compass or "west" in compass):
        return None
    return _box(west, south, east, north)


def part_of_box(part: str, box: BBox) -> BBox:
    """A half, a quarter (``northeast``), or the middle half of each side (``central``), but all around the world."""
    west, south, east, north = box.west, box.south, box.unrolled_east, box.north
    if part == "central":
        quarter_width, along = box.width_deg / 4.0 if box.width_deg < 360.0 else 0.0, box.height_deg / 4.0
        return _box(west + quarter_width, south + along, east - quarter_width, north - along) or box
    middle_lon, middle_lat = (west + east) / 2.0, (south + north) / 2.0
    south = middle_lat if "north" in part else south
    north = middle_lat if "south" in part else north
    west = middle_lon if "east" in part else west
    east = middle_lon if "west" in part else east
    return _box(west, south, east, north) or box
