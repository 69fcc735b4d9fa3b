"""The tool ``get_access``: links, licence, formats, and how to open the data in Python."""

from __future__ import annotations

from urllib.parse import urlsplit

from core.json_types import Json
from search_api.protocols.mcp import records
from search_api.protocols.mcp.asking import Asked, RecordId, api_of
from search_api.protocols.mcp.budget import written
from search_api.protocols.mcp.catalogue_text import marked, readable

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
"""What tells the form of a link (its media type, title or address), and the Python that opens it; first match."""


def get_access(asked: Asked, id: RecordId) -> str:
    """How to get the data of one record: links, licence, formats, access, and Python that opens what can be opened."""
    feature = api_of(asked).record(id)
    said = feature["properties"]
    links = [_link(one) for one in records.links_of(feature) if _is_web(one["href"])]
    own: Json = {"page": records.page_of(feature)}
    if not links:
        own["nothing"] = "The record has no link to the data; ask the organisations that it names."
    elif not any("python" in one or one["rel"] in _OF_DATA for one in links):
        own["advice"] = "No link is known to lead to files or a service: give the user the page of the data."
    quoted = records.stated(
        {
            "id": feature["id"],
            "title": said.get("title"),
            "licence": said.get("license"),
            "rights": said.get("rights"),
            "access": said.get("sonde:access"),
            "formats": [one["name"] for one in said.get("formats", [])],
            "organisations": records.organisations(feature),
            "links": links[:_MOST_LINKS],
            "more_links": max(0, len(links) - _MOST_LINKS) or None,
        }
    )
    return written(marked(own, quoted))


def _link(one: Json) -> Json:
    href = readable(one["href"])
    told = " ".join((one.get("type") or "", one.get("title") or "", href)).lower()
    python = next((way for marks, way in _WAYS if one["rel"] != "about" and any(mark in told for mark in marks)), None)
    return records.stated(
        {
            "href": href,
            "rel": one["rel"],
            "type": one.get("type"),
            "title": one.get("title"),
            "python": python.format(href=href) if python else None,
        }
    )


def _is_web(href: str) -> bool:
    """Whether the link is to the web; an agent must not be handed ``file:`` or ``javascript:``."""
    try:
        return urlsplit(href).scheme in ("http", "https", "ftp", "s3", "gs")
    except ValueError:
        return False
