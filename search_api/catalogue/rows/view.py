"""``/collections/{catalogue}/items/{id}/rows``: the first rows of a table, or a series of a grid, live."""

from __future__ import annotations

from dataclasses import asdict

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.errors import InvalidInput
from search_api.catalogue.rows.grids import Point, SeriesWindow
from search_api.catalogue.rows.tables import table_links
from search_api.catalogue.view import ItemPath, stored_record
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts


class RowsQuery(Parameters):
    href: str | None = Field(None, max_length=4096, description="A link of the record to a table; default: the first.")
    limit: int = Field(10, ge=1, le=500, description="Rows to show.")
    variable: str | None = Field(None, max_length=200, description="Of a grid (OPeNDAP, Zarr); none: only its header.")
    longitude: float | None = Field(None, ge=-180, le=360, description="Of the point of the series; else the middle.")
    latitude: float | None = Field(None, ge=-90, le=90, description="Of the point of the series; else the middle.")
    start: int = Field(0, ge=0, le=100_000_000, description="Of a grid: the first step of the series.")
    every: int = Field(1, ge=0, le=1_000_000, description="Of a grid: 2: each second step; 0: `limit` over the whole.")

    def window(self) -> SeriesWindow:
        """Raises InvalidInput if only one of longitude and latitude is given."""
        if (self.longitude is None) != (self.latitude is None):
            raise InvalidInput("longitude", "A point needs longitude and latitude.")
        is_point = self.longitude is not None and self.latitude is not None
        point = Point(self.longitude, self.latitude) if is_point else None  # type: ignore[arg-type]
        return SeriesWindow(self.limit, self.variable, point, self.start, self.every)


class GridDimension(BaseModel):
    name: str
    size: int


class GridVariableAnswer(BaseModel):
    """``title`` and ``unit`` are empty if the data set does not say them."""

    name: str
    title: str
    unit: str
    dimensions: list[GridDimension]


class GridPoint(BaseModel):
    longitude: float
    latitude: float


class RowsAnswer(BaseModel, title="TableRows"):
    """Cells as written; ``has_more``: whether the table goes on."""

    href: str
    columns: list[str]
    rows: list[list[str]]
    has_more: bool
    variables: list[GridVariableAnswer] = Field(description="Header of a grid (OPeNDAP, Zarr); empty for other tables.")
    point: GridPoint | None = Field(description="The grid's cell whose series the rows are.")
    fixed: dict[str, str] = Field(description="The grid's dimensions that do not run, each with its value.")
    tables: list[str] = Field(description="All links of the record whose rows can be read so.")


def rows_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("rows", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/rows",
        summary="The first rows of a CSV, an ERDDAP table, features, or an OPeNDAP or Zarr variable of a record",
        description="404: the record links to no such table. 503: the other side does not answer, or sends no table.",
        responses={200: RowsAnswer, 503: Problem, **WITH_NOT_FOUND},
    )
    def rows(path: ItemPath, query: RowsQuery) -> Response:
        record = stored_record(parts, path).record
        first_rows = parts.tables.first_rows(record, query.href, query.window())
        return jsonify({**asdict(first_rows), "tables": [link.href for link in table_links(record)]})

    return api
