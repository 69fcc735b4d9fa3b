"""Records as a table with geometries, for geopandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sonde_client.optional import needed
from sonde_client.records import Record

if TYPE_CHECKING:
    import geopandas


def to_geodataframe(records: Iterable[Record]) -> geopandas.GeoDataFrame:
    """One row a record, in their order: id, title, type, source, start, end, licence, address, geometry (EPSG:4326).

    ``start`` and ``end`` are the earliest and latest of its periods, ISO 8601, None where open or unknown. A record
    without a place has no geometry. Raises NotOpenable if geopandas is missing.
    """
    frames, shapes = needed("geopandas", "geo"), needed("shapely.geometry", "geo")
    kept = list(records)
    geometries = [shapes.shape(record["geometry"]) if record.get("geometry") else None for record in kept]
    return frames.GeoDataFrame([_row(record) for record in kept], columns=_COLUMNS, geometry=geometries, crs=4326)


_COLUMNS = ("id", "title", "type", "source", "start", "end", "licence", "address")


def _row(record: Record) -> tuple[str | None, ...]:
    starts, ends = zip(*record.periods, strict=True) if record.periods else ((None,), (None,))
    start = None if None in starts else min(starts, key=_moment)
    end = None if None in ends else max(ends, key=_moment)
    return (record.id, record.title, record.type, record.source, start, end, record.licence, record.address)


def _moment(iso: str) -> tuple[int, str]:
    """By year, then by text: years before 0 and after 9999 do not sort as texts."""
    sign, text = (-1, iso[1:]) if iso.startswith("-") else (1, iso.lstrip("+"))
    year, _, rest = text.partition("-")
    return sign * int(year), rest
