"""``/collections/{catalogue}/items/{id}/granules``: are there granules here and then? Asked live of the other side."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.extent import BBox
from core.json_types import Json
from search_api.catalogue.granules.answers import Granule, TimeLine
from search_api.http.addresses import GEOJSON, Addresses, link
from search_api.http.documented import WITH_NOT_FOUND, sent_as
from search_api.http.parameter_types import FlatBoxParameter, Parameters, SpanText, read_datetime, read_flat_bbox
from search_api.parts import Parts
from search_api.protocols.ogc.items import ItemPath

_MOST_SHOWN = 100


class GranuleQuery(Parameters):
    """Where and when."""

    bbox: FlatBoxParameter | None = Field(None, description="west,south,east,north, degrees WGS 84.")
    datetime: SpanText | None = Field(None, description="An instant or `start/end`, ISO 8601, `..` for an open end.")
    limit: int = Field(10, ge=1, le=_MOST_SHOWN, description="Granules to show.")


class GranuleAnswer(BaseModel):
    """The first granules. ``numberMatched`` is missing if the other side does not count."""

    type: str
    features: list[Json]
    numberReturned: int  # noqa: N815 - OGC's name
    links: list[Json]


def granules_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("granules", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/granules",
        summary="Granules of a record, asked live of its STAC API or of NASA CMR",
        description="404: nothing says where its granules are. 503: the other side does not answer, or wrongly.",
        responses={200: sent_as(GEOJSON, GranuleAnswer), **WITH_NOT_FOUND},
    )
    def granules(path: ItemPath, query: GranuleQuery) -> Response:
        record = parts.records.record(path.record, parts.catalogues.get(path.catalogue).source).record
        found = parts.granules.ask(record, _asked(query))
        search = parts.granules.of(record)
        features = [_feature(one) for one in found.first[: query.limit]]
        response = jsonify(
            {
                "type": "FeatureCollection",
                "features": features,
                **({} if found.matched is None else {"numberMatched": found.matched}),
                "numberReturned": len(features),
                "links": [link("self", Addresses.of(parts).this(), GEOJSON)],
                **(
                    {}
                    if search is None
                    else {"sonde:searched": {"kind": search.kind, "host": parts.granules.host(search)}}
                ),
                **({} if found.line is None else {"sonde:timeline": _line(found.line)}),
            }
        )
        response.mimetype = GEOJSON
        return response

    return api


def _asked(query: GranuleQuery) -> dict[str, str]:
    """As parameters of STAC; an instant of any precision as an interval of RFC 3339."""
    asked: dict[str, str] = {}
    if query.bbox:
        asked["bbox"] = ",".join(f"{edge:g}" for edge in read_flat_bbox(query.bbox).as_list())
    if query.datetime:
        span = read_datetime(query.datetime)
        asked["datetime"] = "/".join(edge or ".." for edge in (span.start_iso, span.end_iso))
    return asked


def _line(line: TimeLine) -> Json:
    values = [{"value": start, "count": number} for start, number in line.counts]
    return {"interval": line.interval, "of": "all" if line.of_all else "read", "values": values}


def _feature(one: Granule) -> Json:
    said = {"title": one.title, "start_datetime": one.start, "end_datetime": one.end}
    return {
        "type": "Feature",
        "id": one.id,
        "geometry": None if one.box is None else _polygon(one.box),
        **({} if one.box is None else {"bbox": one.box.as_list()}),
        "properties": {name: value for name, value in said.items() if value},
        "links": [{"rel": "about", "href": one.href}] if one.href else [],
    }


def _polygon(box: BBox) -> Json:
    """Two polygons across the antimeridian."""
    rings = [
        [
            [part.west, part.south], [part.east, part.south], [part.east, part.north], [part.west, part.north],
            [part.west, part.south],
        ]
        for part in box.parts()
    ]  # fmt: skip
    if len(rings) == 1:
        return {"type": "Polygon", "coordinates": rings}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in rings]}
