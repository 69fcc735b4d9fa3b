"""Tools for records: ``search``, ``get_record``, ``find_similar``, ``get_access``."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import Field

from core.json_types import Json
from search_api.formats_out.notations import without_empty
from search_api.protocols.mcp import answers
from search_api.protocols.mcp.answers import readable, with_quoted, within_budget
from search_api.protocols.mcp.api import (
    AgentApi,
    Box,
    KindOf,
    Limit,
    Period,
    Place,
    Query,
    RecordId,
    Source,
    ToolContext,
    api_of,
    bbox_text,
    kind_filters,
    refuse_unknown,
)

_SUMMARY_CHARACTERS = 1600
Cursor = Annotated[str | None, Field(max_length=2000, description="`next_cursor` of the page before, else nothing.")]

_MOST_LINKS = 20
_OF_DATA = ("download", "enclosure", "data", "item")
_WAYS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("zarr",), "xarray.open_zarr({href!r})"),
    (("opendap", "dods", "thredds/dodsc"), "xarray.open_dataset({href!r})"),
    (("service=wms", "/wms", "wms?"), "owslib.wms.WebMapService({href!r})"),
    (("service=wfs", "/wfs", "wfs?"), "owslib.wfs.WebFeatureService({href!r})"),
    (("stac",), "pystac_client.Client.open({href!r})"),
    (("geo+json", ".geojson", "geopackage", ".gpkg", ".shp", "shapefile"), "geopandas.read_file({href!r})"),
    (("parquet",), "pandas.read_parquet({href!r})"),
    (("csv",), "pandas.read_csv({href!r})"),
    (("geotiff", "image/tiff", ".tif"), "rioxarray.open_rasterio({href!r})"),
    (("netcdf", ".nc", "hdf5", ".h5"), "xarray.open_dataset(pooch.retrieve({href!r}, None))"),
)
"""What shows the form of a link (its media type, title or address), and the Python that opens it; first match."""


def search(
    context: ToolContext,
    query: Query = "",
    place: Place = None,
    bbox: Box = None,
    period: Period = None,
    kind: KindOf = None,
    source: Source = None,
    limit: Limit = 5,
    cursor: Cursor = None,
) -> str:
    """Find data sets and other records, best first, each with the reasons of its rank.

    The question may itself name place and time ("rainfall in southern Africa since 1990"): they then rank the hits.
    The other parameters filter: records without a place, period or kind drop out. Start without them.
    An answer with `nothing` means that these catalogues hold nothing about the question; say so to the user.
    """
    api = api_of(context)
    filters = without_empty({"place": place, "bbox": bbox_text(bbox), "period": period, "kind": kind, "source": source})
    where = {"place": place, "bbox": bbox_text(bbox), "datetime": period, "source": source}
    parameters = {"q": query, **where, **kind_filters(kind), "limit": limit, "cursor": cursor, "explain": "true"}
    answer = api.get("/search", parameters)
    longest, reasons = min(240, _SUMMARY_CHARACTERS // limit), 2 if limit <= 10 else 1
    hits = [{**answers.brief(feature, longest), "why": answers.why(feature, reasons)} for feature in answer["features"]]
    return within_budget(with_quoted({**_summary(answer), **_nothing(api, query, filters, answer)}, hits))


def get_record(context: ToolContext, id: RecordId) -> str:
    """Everything important that one record says: abstract, period, place, resolution, keywords, makers, licence."""
    feature = api_of(context).record(id)
    return within_budget(with_quoted({"page": answers.page_of(feature)}, answers.full(feature)))


def find_similar(context: ToolContext, id: RecordId, limit: Limit = 5) -> str:
    """Records like one that you already have, most similar first."""
    features = api_of(context).record(id, "/similar", {"limit": limit})["features"]
    hits = [
        {**answers.brief(feature, 120), "similarity": answers.rounded(feature.get("sonde:similarity"))}
        for feature in features
    ]
    return within_budget(with_quoted({} if hits else {"nothing": "No other record is like this one."}, hits))


def _summary(answer: Json) -> Json:
    return {
        "matches": answer["sonde:total"],
        "understood": _understood(answer["sonde:interpretation"]),
        "corrected_from": answer.get("sonde:correctedFrom"),
        "did_you_mean": answer.get("sonde:didYouMean"),
        "no_record_has_the_words": answer.get("sonde:unknownWords"),
        "without": answer["sonde:degraded"],
        "next_cursor": _cursor(answer),
    }


def _understood(read: Json) -> Json:
    """How the question was read, so that the agent can say it otherwise. Only what was found."""
    members: Json = {
        "topic": read["thematic"],
        "places": [entry["name"] for entry in read["places"]],
        "period": read["datetime"],
        "kind": [entry["kind"] for entry in read["kinds"]],
        "names": [f"{entry['text']} ({entry['count']} records)" for entry in read["names"]],
        "identifiers": [
            {"value": entry["value"], "in_these_catalogues": entry["known"]}
            for entry in read["identifiers"]
            if "known" in entry
        ],
    }
    return without_empty(members)


def _nothing(api: AgentApi, query: str, filters: Json, answer: Json) -> Json:
    """What to say and to try if there is no hit. Asks once more without the filters, to say which of both it was."""
    if answer["features"]:
        return {}
    if "source" in filters:
        refuse_unknown(api, filters["source"])
    if not filters:
        return {
            "nothing": f"These catalogues hold nothing about {query!r}.",
            "advice": "Tell the user so. Try once with a broader word, or see `describe_holdings`.",
        }
    beyond = api.get("/search", {"q": query, "limit": 1})
    if not beyond["features"]:
        return {
            "nothing": f"These catalogues hold nothing about {query!r}, with or without the filters.",
            "advice": "Tell the user so. `describe_holdings` says what there is.",
        }
    return {
        "nothing": f"Nothing passes the filters {', '.join(f'{name} {value}' for name, value in filters.items())}.",
        "advice": f"Without them there are {beyond['sonde:total']} matches: leave one filter out and call again.",
    }


def _cursor(answer: Json) -> str | None:
    following = next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
    return parse_qs(urlsplit(following).query)["cursor"][0] if following else None


def get_access(context: ToolContext, id: RecordId) -> str:
    """How to get the data of one record: links, licence, formats, access, and Python that opens what can be opened."""
    feature = api_of(context).record(id)
    properties = feature["properties"]
    links = [_link(link) for link in answers.links_of(feature) if _is_web(link["href"])]
    own: Json = {"page": answers.page_of(feature)}
    if not links:
        own["nothing"] = "The record has no link to the data; ask the organisations that it names."
    elif not any("python" in link or link["rel"] in _OF_DATA for link in links):
        own["advice"] = "No link is known to lead to files or a service: give the user the page of the data."
    quoted = without_empty(
        {
            "id": feature["id"],
            "title": properties.get("title"),
            "licence": properties.get("license"),
            "rights": properties.get("rights"),
            "access": properties.get("sonde:access"),
            "formats": [format["name"] for format in properties.get("formats", [])],
            "organisations": answers.organisations(feature),
            "links": links[:_MOST_LINKS],
            "more_links": max(0, len(links) - _MOST_LINKS) or None,
        }
    )
    return within_budget(with_quoted(own, quoted))


def _link(link: Json) -> Json:
    href = readable(link["href"])
    description = " ".join((link.get("type") or "", link.get("title") or "", href)).lower()
    python = next(
        (way for marks, way in _WAYS if link["rel"] != "about" and any(mark in description for mark in marks)), None
    )
    members: Json = {
        "href": href,
        "rel": link["rel"],
        "type": link.get("type"),
        "title": link.get("title"),
        "python": python.format(href=href) if python else None,
    }
    return without_empty(members)


def _is_web(href: str) -> bool:
    """Whether the link is to the web; an agent must not be handed ``file:`` or ``javascript:``."""
    try:
        return urlsplit(href).scheme in ("http", "https", "ftp", "s3", "gs")
    except ValueError:
        return False
