"""The area of a spatial relation, from the boxes of its places. Plain degrees; pure."""

from __future__ import annotations

from collections.abc import Sequence

from core.extent import WORLD, BBox, enclosing_box, normalise_longitude
from reading.relations import Relation

LEAST_MARGIN_DEG = 0.5
COAST_MARGIN_DEG = 0.5
SEA_MARGIN_DEG = 2.0
LEAST_SIDE_DEG = 1.0


def target_box(relation: Relation, boxes: Sequence[BBox]) -> BBox | None:
    """Where the answer should lie; None where a box cannot say it (``outside``, no boxes, north of the pole).

    With w and h the width and height of the box around all places:

    - ``in``, ``within``, ``over``: that box; ``global``: the world.
    - ``near``: grown on each side by max(0.5 deg, w / 2) and max(0.5 deg, h / 2); ``coast`` by 0.5 deg, ``off_coast``
      by 2 deg (which side is sea is not known here).
    - ``between``: the box spanned by the centres of the first and last place, the shorter way around, each side at
      least half the mean of theirs and 1 deg.
    - ``north_of``: the neighbour of the same size that shares the northern edge, and so on; ``northeast_of`` shares
      the corner. Sides count at least 1 deg, so that a point has a north too.
    - ``part_north``: the northern half; ``part_northeast``: that quarter; ``part_central``: the middle half of
      each side.
    """
    if relation == "global":
        return WORLD
    whole = enclosing_box(tuple(boxes))
    if whole is None or relation == "outside":
        return None
    if relation == "between":
        return _between(boxes[0], boxes[-1])
    if relation.startswith("part_"):
        return _part(relation.removeprefix("part_"), whole)
    if relation.endswith("_of"):
        return _neighbour(relation.removesuffix("_of"), whole)
    return _grown(relation, whole)


def _box(west: float, south: float, east: float, north: float) -> BBox | None:
    """A box from edges that can exceed the poles and the antimeridian; None if nothing is left of it."""
    south, north = max(south, -90.0), min(north, 90.0)
    if south >= north:
        return None
    if east - west >= 360.0:
        return BBox(-180.0, south, 180.0, north)
    return BBox(normalise_longitude(west), south, normalise_longitude(east), north)


def _grown(relation: Relation, box: BBox) -> BBox | None:
    if relation == "near":
        across, along = max(LEAST_MARGIN_DEG, box.width_deg / 2), max(LEAST_MARGIN_DEG, box.height_deg / 2)
    elif relation in ("coast", "off_coast"):
        across = along = COAST_MARGIN_DEG if relation == "coast" else SEA_MARGIN_DEG
    else:
        return box
    return _box(box.west - across, box.south - along, box.unrolled_east + across, box.north + along)


def _between(first: BBox, last: BBox) -> BBox | None:
    (first_lon, first_lat), (last_lon, last_lat) = first.centre, last.centre
    step = (last_lon - first_lon + 180.0) % 360.0 - 180.0  # the shorter way around
    middle_lon, middle_lat = first_lon + step / 2.0, (first_lat + last_lat) / 2.0
    half_width = max(abs(step), (first.width_deg + last.width_deg) / 4.0, LEAST_SIDE_DEG) / 2.0
    half_height = max(abs(last_lat - first_lat), (first.height_deg + last.height_deg) / 4.0, LEAST_SIDE_DEG) / 2.0
    return _box(middle_lon - half_width, middle_lat - half_height, middle_lon + half_width, middle_lat + half_height)


def _neighbour(compass: str, box: BBox) -> BBox | None:
    width, height = max(box.width_deg, LEAST_SIDE_DEG), max(box.height_deg, LEAST_SIDE_DEG)
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


def _part(part: str, box: BBox) -> BBox | None:
    west, south, east, north = box.west, box.south, box.unrolled_east, box.north
    if part == "central":
        across, along = box.width_deg / 4.0, box.height_deg / 4.0
        return _box(west + across, south + along, east - across, north - along) or box
    middle_lon, middle_lat = (west + east) / 2.0, (south + north) / 2.0
    south = middle_lat if "north" in part else south
    north = middle_lat if "south" in part else north
    west = middle_lon if "east" in part else west
    east = middle_lon if "west" in part else east
    return _box(west, south, east, north) or box
