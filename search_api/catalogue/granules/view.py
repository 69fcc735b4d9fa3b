"""``/collections/{catalogue}/items/{id}/granules``: granules of a record in an area and a period, live."""

from __future__ import annotations

from flask import Response
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from search_api.catalogue.granules.answers import Granule, TimeLine
from search_api.catalogue.view import ItemPath, stored_record
from search_api.formats_out.notations import without_empty
from search_api.http.openapi import WITH_NOT_FOUND, answer_as
from search_api.http.parameters import FlatBoxParameter, Parameters, SpanText, read_datetime, read_flat_bbox
from search_api.http.responses import GEOJSON, Addresses, feature_collection, link
from search_api.parts import Parts
from search_api.search.views.geojson import polygons

_MOST_SHOWN = 100


class GranuleQuery(Parameters):
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
        responses={200: answer_as(GEOJSON, GranuleAnswer), **WITH_NOT_FOUND},
    )
    def granules(path: ItemPath, query: GranuleQuery) -> Response:
        record = stored_record(parts, path).record
        granules_page = parts.granules.ask(record, _stac_filters(query))
        search = parts.granules.of(record)
        features = [_feature(granule) for granule in granules_page.first[: query.limit]]
        members: Json = {}
        if search is not None:
            members["sonde:searched"] = {"kind": search.kind, "host": parts.granules.host(search)}
        if granules_page.line is not None:
            members["sonde:timeline"] = _line(granules_page.line)
        links = [link("self", Addresses.of(parts.http).this(), GEOJSON)]
        return feature_collection(features, links, granules_page.matched, **members)

    return api


def _stac_filters(query: GranuleQuery) -> dict[str, str]:
    """As parameters of STAC; an instant of any precision as an interval of RFC 3339."""
    filters: dict[str, str] = {}
    if query.bbox:
        filters["bbox"] = ",".join(f"{edge:g}" for edge in read_flat_bbox(query.bbox).as_list())
    if query.datetime:
        span = read_datetime(query.datetime)
        filters["datetime"] = "/".join(edge or ".." for edge in (span.start_iso, span.end_iso))
    return filters


def _line(line: TimeLine) -> Json:
    values = [{"value": start, "count": number} for start, number in line.counts]
    return {"interval": line.interval, "of": "all" if line.of_all else "read", "values": values}


def _feature(granule: Granule) -> Json:
    properties = {"title": granule.title, "start_datetime": granule.start, "end_datetime": granule.end}
    return {
        "type": "Feature",
        "id": granule.id,
        "geometry": None if granule.box is None else polygons(granule.box),
        **({} if granule.box is None else {"bbox": granule.box.as_list()}),
        "properties": without_empty(properties),
        "links": [{"rel": "about", "href": granule.href}] if granule.href else [],
    }
