"""The ranking target: parameters if given, else the values read from the question."""

from __future__ import annotations

from typing import cast, get_args

from core.extent import BBox
from core.record import Resolution
from search_api.search.ranking.target import Level, Target
from search_api.search.request import SearchRequest
from search_api.search.understanding.interpretation import Interpretation

_WORLD = BBox(-180.0, -90.0, 180.0, 90.0)


def target_of(request: SearchRequest, read: Interpretation, now_ms: int) -> Target:
    """``spatial=off`` and ``temporal=off`` leave place and time out; ``now_ms`` is the time of the question."""
    filters = request.filters
    boxes = (filters.area,) if filters.area is not None else read.areas
    if not boxes and request.spatial == "hausdorff" and _level(read) == "global":
        boxes = (_WORLD,)  # in the distance mode the whole world is a valid box
    span = filters.span if filters.span is not None else read.span
    topological = filters.relation in ("within", "contains", "disjoint", "intersects")
    scale = _resolution(read)
    return Target(
        boxes=boxes if request.spatial != "off" else (),
        relation=filters.relation if topological else None,
        span=span if request.temporal else None,
        latest=read.latest and request.temporal,
        resolution=scale,
        level=_level(read),
        kind=read.kinds[0].kind if read.kinds else None,
        place=read.places[0].name if len(read.places) == 1 and filters.area is None else request.place,
        now_ms=now_ms,
        spatial=request.spatial,
    )


def _resolution(read: Interpretation) -> Resolution:
    """The first of each that the question names."""
    return Resolution(
        next((s.metres for s in read.scales if s.metres is not None), None),
        next((s.scale_denominator for s in read.scales if s.scale_denominator is not None), None),
        next((s.time_step for s in read.scales if s.time_step is not None), None),
    )


def _level(read: Interpretation) -> Level | None:
    """The first scale word that gives the size of an area ("high resolution" does not)."""
    known = get_args(Level)
    return cast(Level | None, next((scale.level for scale in read.scales if scale.level in known), None))
