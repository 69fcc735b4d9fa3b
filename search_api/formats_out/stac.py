"""Writes a record with assets as a STAC 1.0 Item."""

from __future__ import annotations

from core.geo import enclosing_box
from core.json_types import Json
from core.names import Variable
from core.record import Link, Record
from core.timespan import TimeSpan, iso
from search_api.formats_out.notations import EARLIEST_MS, nearest_rfc3339, rfc3339_moment

VERSION = "1.0.0"
_SCIENTIFIC = "https://stac-extensions.github.io/scientific/v1.0.0/schema.json"  # the prefix sci:
_PROCESSING = "https://stac-extensions.github.io/processing/v1.2.0/schema.json"  # the prefix processing:
_CF = "https://stac-extensions.github.io/cf/v0.2.0/schema.json"  # the prefix cf:
ASSET_RELS = ("download", "enclosure", "data", "item")


def item(record: Record, geometry: Json | None, links: list[Json]) -> Json:
    """``geometry`` as in the record's feature; STAC requires a bbox with it and forbids one without it."""
    box = enclosing_box(record.extents) if geometry is not None else None
    members: Json = {
        "type": "Feature",
        "stac_version": VERSION,
        "stac_extensions": _extensions(record),
        "id": record.id,
        "collection": record.source,
        "geometry": geometry if box is not None else None,
    }
    if box is not None:
        members["bbox"] = box.as_list()
    return {**members, "properties": _properties(record), "links": links, "assets": _assets(record.links)}


def _extensions(record: Record) -> list[str]:
    extensions = {
        _SCIENTIFIC: record.doi,
        _PROCESSING: record.names.processing_level,
        _CF: record.names.variables,
    }
    return [schema for schema, value in extensions.items() if value]


def _properties(record: Record) -> Json:
    properties: Json = {
        **datetimes(record.times),
        "title": record.title,
        "description": record.abstract,
        "license": record.licence,
        "created": rfc3339_moment(record.dates.created),
        "updated": rfc3339_moment(record.dates.modified or record.dates.metadata),
        **_names(record),
        "gsd": record.resolution.metres if record.resolution.metres else None,
        "keywords": [keyword.term for keyword in record.keywords],
        "sci:doi": record.doi,
        "sonde:type": record.type,
    }
    non_empty = {name: value for name, value in properties.items() if value not in (None, "", [])}
    return {"datetime": properties["datetime"], **non_empty}


def _names(record: Record) -> Json:
    """STAC has room for one platform and one level; the keywords have them all.

    Variables are CF's parameters: ``cube:variables`` needs dimensions, which a record does not know.
    """
    names = record.names
    return {
        "platform": names.platforms[0] if len(names.platforms) == 1 else None,
        "instruments": list(names.instruments),
        "processing:level": names.processing_level,
        "cf:parameter": [_parameter(variable) for variable in names.variables],
    }


def _parameter(variable: Variable) -> Json:
    unit = {"unit": variable.unit} if variable.unit else {}
    return {"name": variable.standard_name or variable.name, **unit}


def datetimes(times: tuple[TimeSpan, ...]) -> Json:
    """``datetime`` alone for an open period (its known end), null with both ends for a closed one."""
    starts = [nearest_rfc3339(span.start_ms) for span in times if span.start_ms is not None]
    ends = [nearest_rfc3339(span.end_ms) for span in times if span.end_ms is not None]
    start = min(starts) if len(starts) == len(times) and starts else None
    end = max(ends) if len(ends) == len(times) and ends else None
    if start is not None and end is not None and start < end:
        return {"datetime": None, "start_datetime": iso(start), "end_datetime": iso(end)}
    moment = start if start is not None else end
    if moment is None:
        moment = min([*starts, *ends], default=EARLIEST_MS)
    return {"datetime": iso(moment)}


def _assets(links: tuple[Link, ...]) -> Json:
    """Every download and picture under a unique name."""
    data = [_asset(link, "data") for link in links if link.rel in ASSET_RELS]
    pictures = [_asset(link, "thumbnail") for link in links if link.rel == "preview"]
    return {
        **{f"data-{number}": asset for number, asset in enumerate(data, 1)},
        **{f"thumbnail-{number}": asset for number, asset in enumerate(pictures, 1)},
    }


def _asset(link: Link, role: str) -> Json:
    asset = {"href": link.href, "type": link.media_type, "title": link.name, "description": link.description}
    return {**{name: value for name, value in asset.items() if value}, "roles": [role]}
