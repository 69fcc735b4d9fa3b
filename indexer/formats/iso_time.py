"""Temporal extents of ISO 19139, in GML 3.1 and 3.2."""

from __future__ import annotations

from core.timespan import TimeSpan
from indexer.formats.iso_xml import GMD, Element, held, local, objects, one_of_each
from indexer.formats.repair_time import Position, repair_span
from indexer.formats.text import line


def read_times(extents: list[Element], warnings: list[str]) -> tuple[TimeSpan, ...]:
    """Every temporal extent once, in order; repairs and omissions are added to ``warnings``."""
    spans = []
    for extent in extents:
        for temporal in objects(extent, f"{GMD}temporalElement"):
            for primitive in objects(temporal, f"{GMD}extent"):
                span = _span(primitive, warnings)
                if span is not None:
                    spans.append(span)
    return one_of_each(spans)


def time_interval(extents: list[Element]) -> tuple[str, str] | None:
    """Value and unit of the first ``timeInterval`` beside a begin and an end, where it means the step."""
    for extent in extents:
        for temporal in objects(extent, f"{GMD}temporalElement"):
            for primitive in objects(temporal, f"{GMD}extent"):
                parts = _parts(primitive)
                interval = parts.get("timeInterval")
                if (
                    interval is not None
                    and {"beginPosition", "begin"} & set(parts)
                    and {"endPosition", "end"} & set(parts)
                ):
                    return (interval.text or "").strip(), interval.get("unit", "")
    return None


def _span(primitive: Element, warnings: list[str]) -> TimeSpan | None:
    parts = _parts(primitive)
    frame = _strange_frame(primitive, parts)
    if frame is not None:
        warnings.append(f"time: period left out: its reference system {frame} is not the calendar")
        return None
    if local(primitive) == "TimeInstant":
        begin = end = _position(parts.get("timePosition"))
    else:
        begin = _position(parts.get("beginPosition", parts.get("begin")))
        end = _position(parts.get("endPosition", parts.get("end")))
    duration = parts.get("duration")
    span, repairs = repair_span(begin, end, "" if duration is None else duration.text or "")
    warnings.extend(one_of_each(repairs))
    return span


def _parts(primitive: Element) -> dict[str, Element]:
    return {local(part): part for part in primitive.iterchildren("*")}


def _position(part: Element | None) -> Position:
    """The position in ``beginPosition``, or in a ``TimeInstant`` inside it or inside ``begin``."""
    if part is None:
        return Position()
    inner = held(part)
    if inner is not None:
        if local(inner) == "timePosition":
            return _position(inner)
        return _position(next((one for one in inner.iterchildren("*") if local(one) == "timePosition"), None))
    return Position(line(part.text), part.get("indeterminatePosition", "").strip().lower())


def _strange_frame(primitive: Element, parts: dict[str, Element]) -> str | None:
    for element in (primitive, *parts.values()):
        frame = element.get("frame", "")
        if frame and "8601" not in frame and "gregorian" not in frame.lower():
            return frame
    return None
