"""``/collections/{catalogue}/items/{id}/rows``: the first rows of a table that a record links to, live."""

from __future__ import annotations

from dataclasses import asdict

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from search_api.catalogue.rows.tables import table_links
from search_api.catalogue.view import ItemPath, stored_record
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import Parameters
from search_api.http.problems import Problem
from search_api.parts import Parts


class RowsQuery(Parameters):
    href: str | None = Field(None, max_length=4096, description="A link of the record to a table; default: the first.")
    limit: int = Field(10, ge=1, le=100, description="Rows to show.")


class RowsAnswer(BaseModel):
    """Cells as written; ``has_more``: whether the table goes on."""

    model_config = ConfigDict(title="TableRows")

    href: str
    columns: list[str]
    rows: list[list[str]]
    has_more: bool
    tables: list[str] = Field(description="All links of the record whose rows can be read so.")


def rows_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("rows", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/rows",
        summary="The first rows of a CSV or an ERDDAP table that a record links to",
        description="404: the record links to no such table. 503: the other side does not answer, or sends no table.",
        responses={200: RowsAnswer, 503: Problem, **WITH_NOT_FOUND},
    )
    def rows(path: ItemPath, query: RowsQuery) -> Response:
        record = stored_record(parts, path).record
        found = parts.tables.first_rows(record, query.href, query.limit)
        return jsonify({**asdict(found), "tables": [link.href for link in table_links(record)]})

    return api
