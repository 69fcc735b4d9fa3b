"""Tools for agents that work with the data of records: granules, variables, rows, comparisons, citations."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from core.json_types import Json
from search_api.formats_out.notations import without_empty
from search_api.protocols.mcp import answers
from search_api.protocols.mcp.answers import with_quoted, within_budget
from search_api.protocols.mcp.api import Box, Limit, Period, RecordId, ToolContext, api_of, bbox_text

_GRANULES_REL = "sonde:granules"
_MOST_STEPS = 24
Ids = Annotated[list[str], Field(min_length=2, max_length=5, description="Ids of records.")]
Variable = Annotated[str | None, Field(max_length=200, description="Of a grid; none: list.")]
Point = Annotated[list[float] | None, Field(min_length=2, max_length=2, description="[lon, lat] in a grid.")]
Style = Annotated[Literal["text", "bibtex", "ris", "csl"], Field(description="Form of the citation.")]
Address = Annotated[str | None, Field(max_length=4096, description="`href` of one of its links; default: first table.")]
_COMPARED = (
    "kind", "product", "period", "bbox", "resolution", "names", "formats", "licence", "access", "edition", "dates",
    "organisations", "doubts",
)  # fmt: skip


def get_granules(context: ToolContext, id: RecordId, bbox: Box = None, period: Period = None, limit: Limit = 10) -> str:
    """Single scenes or files of a record, asked live of its STAC API or NASA's CMR: how many, when, and links."""
    api = api_of(context)
    if not any(link["rel"] == _GRANULES_REL for link in api.record(id)["links"]):
        advice = "`get_access` lists what the record links to."
        return within_budget(with_quoted({"nothing": "Nothing says where its granules are.", "advice": advice}, []))
    found = api.record(id, "/granules", {"bbox": bbox_text(bbox), "datetime": period, "limit": limit})
    line = found.get("sonde:timeline", {})
    summary: Json = {
        "matches": found.get("numberMatched"),
        "asked": found.get("sonde:searched"),
        "per": line.get("interval"),
        "timeline": {step["value"]: step["count"] for step in line.get("values", [])[-_MOST_STEPS:]},
        "nothing": None if found["features"] else "No granule fits: widen `bbox` or `period`.",
    }
    return within_budget(with_quoted(summary, [_granule(feature) for feature in found["features"]]))


def _granule(feature: Json) -> Json:
    properties = feature["properties"]
    edges = (properties.get("start_datetime"), properties.get("end_datetime"))
    members: Json = {
        "id": feature["id"],
        "title": properties.get("title"),
        "period": "/".join(edge or ".." for edge in edges) if any(edges) else None,
        "bbox": feature.get("bbox"),
        "href": next((link["href"] for link in feature["links"]), None),
    }
    return without_empty(members)


def get_variables(context: ToolContext, id: RecordId) -> str:
    """The measured variables that a record names, with unit and standard name, and its instruments and platforms."""
    feature = api_of(context).record(id)
    names = feature["properties"].get("sonde:names", {})
    quotes = without_empty({name: names.get(name) for name in ("variables", "instruments", "platforms")})
    if quotes.get("variables"):
        return within_budget(with_quoted({"page": answers.page_of(feature)}, quotes))
    advice = "Its keywords may name them (`get_record`); the files themselves do (`get_access`)."
    return within_budget(with_quoted({"nothing": "The record names no variables.", "advice": advice}, quotes))


def read_rows(
    context: ToolContext,
    id: RecordId,
    href: Address = None,
    variable: Variable = None,
    point: Point = None,
    limit: Limit = 5,
) -> str:
    """The first rows of a table (CSV, ERDDAP) or an OPeNDAP or Zarr variable of a record."""
    api = api_of(context)
    longitude, latitude = point or (None, None)
    place = {"longitude": longitude, "latitude": latitude}
    try:
        found = api.record(id, "/rows", {"href": href, "variable": variable, **place, "limit": limit})
    except ToolError as error:
        if "has no link to" not in str(error):
            raise
        advice = "`get_access` says how to open its data."
        return within_budget(with_quoted({"nothing": f"{str(error).partition('. ')[0]}.", "advice": advice}, []))
    rows = [dict(zip(found["columns"], row, strict=False)) for row in found["rows"]]
    quotes: Json = {"href": found["href"], "columns": found["columns"], "rows": rows, "tables": found["tables"]}
    summary: Json = {"has_more": found["has_more"]}
    if found["variables"] and variable is None:
        summary = {"advice": "Call again with the `variable`, and the `point`, whose values you want."}
        quotes = {"href": found["href"], "variables": [_shape(each) for each in found["variables"]]}
    elif found["variables"]:
        quotes["fixed"] = found["fixed"]
        summary["point"] = found["point"] and [found["point"]["longitude"], found["point"]["latitude"]]
    return within_budget(with_quoted(summary, quotes))


def _shape(variable: Json) -> str:
    """``sst (degC): time 40, lat 7, lon 72``."""
    unit = f" ({variable['unit']})" if variable["unit"] else ""
    sizes = ", ".join(f"{each['name']} {each['size']}" for each in variable["dimensions"])
    return f"{variable['name']}{unit}: {sizes}"


def compare_records(context: ToolContext, ids: Ids) -> str:
    """Two to five records side by side, field by field; `same` names the fields in which all agree."""
    api = api_of(context)
    records = [answers.full_record(api.record(id)) for id in dict.fromkeys(ids)]
    table = {name: [record.get(name) for record in records] for name in _COMPARED}
    stated = {name: values for name, values in table.items() if any(value is not None for value in values)}
    same = [name for name, values in stated.items() if all(value == values[0] for value in values)]
    quotes = [
        without_empty({"id": record["id"], "title": record.get("title"), **{name: record.get(name) for name in stated}})
        for record in records
    ]
    return within_budget(with_quoted({"same": same}, quotes))


def cite(context: ToolContext, id: RecordId, style: Style = "text") -> str:
    """The citation of a record, from what its metadata say; `missing` names what they do not say."""
    api = api_of(context)
    (item,) = json.loads(api.record_text(id, "csl"))
    missing = [name for name in ("author", "issued", "publisher", "DOI") if not item.get(name)]
    citation = _sentence(item) if style == "text" else api.record_text(id, style).strip()
    return within_budget(with_quoted({"missing": missing}, {"id": id, "citation": citation}))


def _sentence(item: Json) -> str:
    """``Nkosi, T.; Weather Office (2020): Rain gauges. Weather Office. https://doi.org/...``"""
    authors = [party.get("literal") or f"{party['family']}, {party['given']}" for party in item.get("author", [])]
    year = item["issued"]["date-parts"][0][0] if item.get("issued") else "n.d."
    address = f"https://doi.org/{item['DOI']}" if item.get("DOI") else item.get("URL", "")
    parts = [f"{'; '.join(authors) or item.get('publisher') or 'Unknown'} ({year}): {item['title'].rstrip('.')}."]
    parts += [f"{text}." for text in (item.get("container-title"), item.get("publisher")) if text]
    return " ".join([*parts, address]).strip()
