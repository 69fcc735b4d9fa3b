"""``/collections/{catalogue}/items/{id}/picture``: what a WMS or a GeoTIFF of a record shows, live."""

from __future__ import annotations

import base64

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from search_api.catalogue.pictures.reader import picture_links
from search_api.catalogue.previews import PREVIEW_TYPE
from search_api.catalogue.view import ItemPath, stored_record
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts


class PictureQuery(Parameters):
    href: str | None = Field(None, max_length=4096, description="A link of the record; default: the first that fits.")


class PictureAnswer(BaseModel, title="DataPicture"):
    """A picture, and what it shows."""

    href: str
    picture: str = Field(description="As a data address (WebP).")
    layer: str = Field(description="Title of the WMS's layer; empty for a GeoTIFF.")
    bbox: list[float] | None = Field(description="The area that a WMS was asked for.")
    size: list[int] | None = Field(description="Width and height of the overview of a GeoTIFF.")
    low: float | None = Field(description="The value that is drawn black; null for a picture in colours.")
    high: float | None = Field(description="The value that is drawn white; null for a picture in colours.")
    pictures: list[str] = Field(description="All links of the record that can be drawn so.")


def picture_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("picture", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/picture",
        summary="A picture of the data of a record: its area in a WMS, or an overview of a GeoTIFF",
        description="404: the record has no such link. 503: the other side does not answer, or sends no picture.",
        responses={200: PictureAnswer, 503: Problem, **WITH_NOT_FOUND},
    )
    def picture(path: ItemPath, query: PictureQuery) -> Response:
        record = stored_record(parts, path).record
        drawn = parts.pictures.draw(record, query.href)
        box = drawn.box
        return jsonify(
            {
                "href": drawn.href,
                "picture": f"data:{PREVIEW_TYPE};base64,{base64.b64encode(drawn.picture).decode('ascii')}",
                "layer": drawn.layer,
                "bbox": None if box is None else [box.west, box.south, box.east, box.north],
                "size": drawn.size,
                "low": drawn.low,
                "high": drawn.high,
                "pictures": [link.href for link in picture_links(record)],
            }
        )

    return api
