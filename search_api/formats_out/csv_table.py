"""Hits as a table (RFC 4180): one line for each record, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from core.extent import BBox
from core.record import Record
from core.timespan import TimeSpan, iso
from search_api.formats_out.output_format import OutputFormat, ResultPage
from search_api.formats_out.spreadsheet import harmless

COLUMNS = (
    "id", "title", "type", "source", "abstract", "keywords", "organisations", "start", "end", "west", "south", "east",
    "north", "resolution_m", "licence", "doi", "updated", "downloads", "address",
)  # fmt: skip


def table(page: ResultPage) -> str:
    """With a header. Several values are separated by ``; ``; of several areas or periods: the bounds of all."""
    written = io.StringIO(newline="")
    lines = csv.writer(written)
    lines.writerow(COLUMNS)
    lines.writerows(_line(record, address) for record, address in page.entries)
    return written.getvalue()


def _line(record: Record, address: str) -> list[str | float | None]:
    texts = (
        record.id,
        record.title,
        record.type,
        record.source,
        record.abstract,
        _all(keyword.term for keyword in record.keywords),
        _all(contact.organisation for contact in record.contacts),
    )
    ends = (
        record.licence,
        record.doi,
        record.dates.modified or record.dates.metadata,
        _all(link.href for link in record.links if link.rel in ("download", "enclosure")),
        address,
    )
    numbers = (*_period(record.times), *_bounds(record.extents), record.resolution.metres)
    return [*map(_text, texts), *numbers, *map(_text, ends)]


def _text(text: str | None) -> str | None:
    return harmless(text) if text else text


def _all(values: Iterable[str | None]) -> str:
    return "; ".join(dict.fromkeys(value for value in values if value))


def _period(times: Sequence[TimeSpan]) -> tuple[str | None, str | None]:
    """ISO 8601; an open end is None."""
    starts = [span.start_ms for span in times if span.start_ms is not None]
    ends = [span.end_ms for span in times if span.end_ms is not None]
    start = iso(min(starts)) if starts and len(starts) == len(times) else None
    return start, iso(max(ends)) if ends and len(ends) == len(times) else None


def _bounds(boxes: Sequence[BBox]) -> tuple[float | None, ...]:
    """West, south, east, north; of several boxes, one of which crosses 180 degrees, the whole circle."""
    if len(boxes) == 1:
        return boxes[0].west, boxes[0].south, boxes[0].east, boxes[0].north
    if not boxes:
        return None, None, None, None
    south, north = min(box.south for box in boxes), max(box.north for box in boxes)
    if any(box.crosses_antimeridian for box in boxes):
        return -180.0, south, 180.0, north
    return min(box.west for box in boxes), south, max(box.east for box in boxes), north


FORMAT = OutputFormat("csv", "text/csv", "CSV table", results=table)
