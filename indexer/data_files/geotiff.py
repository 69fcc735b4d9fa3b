"""The header of a GeoTIFF or COG (OGC 19-008): its first image, its place, and the names of its bands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

import tifffile
from lxml import etree
from pyproj import CRS
from pyproj.exceptions import CRSError

from core.json_types import Json, JsonMapping
from indexer.data_files.georeference import box_in_degrees
from indexer.data_files.grid import plain
from indexer.data_files.messages import FileFault

_TAGS = ("ImageDescription", "Artist", "Copyright", "DateTime", "Software", "GDAL_NODATA")
_USER_DEFINED = 32767
_PIXEL_IS_POINT = 2
_WKT = re.compile(r"(?:PROJCS|GEOGCS|PROJCRS|GEOGCRS)\[.*\]", re.DOTALL)
_METHODS = {
    1: "tmerc", 7: "merc", 8: "lcc", 9: "lcc", 10: "laea", 11: "aea", 12: "aeqd", 14: "stere", 15: "stere",
    16: "sterea", 17: "eqc", 18: "cass", 24: "sinu",
}  # fmt: skip
_POLAR = 15
_PARAMETERS = {
    "lat_0": ("ProjNatOriginLatGeoKey", "ProjFalseOriginLatGeoKey", "ProjCenterLatGeoKey"),
    "lon_0": (
        "ProjNatOriginLongGeoKey", "ProjFalseOriginLongGeoKey", "ProjCenterLongGeoKey",
        "ProjStraightVertPoleLongGeoKey",
    ),
    "lat_1": ("ProjStdParallel1GeoKey",),
    "lat_2": ("ProjStdParallel2GeoKey",),
    "k_0": ("ProjScaleAtNatOriginGeoKey", "ProjScaleAtCenterGeoKey"),
    "x_0": ("ProjFalseEastingGeoKey", "ProjFalseOriginEastingGeoKey"),
    "y_0": ("ProjFalseNorthingGeoKey", "ProjFalseOriginNorthingGeoKey"),
}  # fmt: skip
_MOST_BANDS = 500


def read_geotiff(file: IO[bytes]) -> Json:
    """Raises FileFault: no place is written into it; and what tifffile raises."""
    with tifffile.TiffFile(file, name="file.tif") as tiff:
        page = tiff.pages[0]
        if not isinstance(page, tifffile.TiffPage):
            raise FileFault("its first image has no tags")
        keys: JsonMapping = (page.geotiff_tags if page.is_geotiff else None) or {}
        corners = _corners(keys, page.imagewidth, page.imagelength)
        if corners is None:
            raise FileFault("it is a picture: no place is written into it", is_data=False)
        tags = {name: tag.value for name in _TAGS if (tag := page.tags.get(name)) is not None}
        items = _gdal_items(page.tags.valueof("GDAL_METADATA") or "")
        file.seek(0)
        is_cog = page.is_tiled and b"LAYOUT=COG" in file.read(1024)
        header: Json = {
            "format": "Cloud Optimized GeoTIFF" if is_cog else "GeoTIFF",
            "attributes": plain({**tags, **{name: text for name, text, band in items if band is None}}),
            "variables": list(_bands(page, items)),
        }
        return header | _place(keys, corners, (page.imagewidth, page.imagelength))


def _corners(keys: JsonMapping, width: int, height: int) -> list[tuple[float, float]] | None:
    """The four corners of the image in its reference system; None if its tags do not say."""
    matrix = keys.get("ModelTransformation")
    scale, tie = keys.get("ModelPixelScale"), keys.get("ModelTiepoint")
    shift = 0.5 if int(keys.get("GTRasterTypeGeoKey") or 1) == _PIXEL_IS_POINT else 0.0
    pixels = [(column - shift, row - shift) for column in (0, width) for row in (0, height)]
    if matrix is not None:
        (a, b, _, c), (d, e, _, f) = matrix[0], matrix[1]
        return [(a * column + b * row + c, d * column + e * row + f) for column, row in pixels]
    if scale is None or tie is None or len(tie) < 6:
        return None
    return [(tie[3] + (column - tie[0]) * scale[0], tie[4] - (row - tie[1]) * scale[1]) for column, row in pixels]


def _place(keys: JsonMapping, corners: list[tuple[float, float]], size: tuple[int, int]) -> Json:
    system = _system(keys)
    if system is None:
        return {"warnings": ["extent: its reference system is not one that Sonde knows, so it has no place in degrees"]}
    xs, ys = zip(*corners, strict=True)
    try:
        box = box_in_degrees((min(xs), min(ys), max(xs), max(ys)), system)
    except ValueError as error:
        return {"warnings": [f"extent: {error}"]}
    authority = system.to_authority()
    step = min((max(xs) - min(xs)) / size[0], (max(ys) - min(ys)) / size[1])
    if not system.is_geographic:
        step *= system.axis_info[0].unit_conversion_factor if system.axis_info else 1.0
    return {
        "extent": box,
        "crs": ":".join(authority) if authority is not None else system.name,
        "resolution": {"value": round(step, 9), "unit": "degrees" if system.is_geographic else "metres"},
    }


def _system(keys: JsonMapping) -> CRS | None:
    for name in ("ProjectedCSTypeGeoKey", "ProjectedCRSGeoKey", "GeographicTypeGeoKey", "GeodeticCRSGeoKey"):
        code = int(keys.get(name) or 0)
        if code and code != _USER_DEFINED:
            with suppress(CRSError):
                return CRS.from_epsg(code)
        if code == _USER_DEFINED and (system := _user_defined(keys)) is not None:
            return system
    return None


def _user_defined(keys: JsonMapping) -> CRS | None:
    """A system that is written as WKT in a citation, or by its parameters."""
    for name in ("PCSCitationGeoKey", "ProjectedCitationGeoKey", "GTCitationGeoKey", "GeogCitationGeoKey"):
        wkt = _WKT.search(str(keys.get(name) or ""))
        if wkt is not None:
            with suppress(CRSError):
                return CRS.from_wkt(wkt[0])
    method = int(keys.get("ProjCoordTransGeoKey") or 0)
    if method not in _METHODS:
        return None
    values = {name: next((keys[key] for key in names if key in keys), None) for name, names in _PARAMETERS.items()}
    parameters = {name: float(value) for name, value in values.items() if value is not None}
    if method == _POLAR and (latitude := parameters.pop("lat_0", None)) is not None:
        parameters |= {"lat_0": 90.0 if latitude >= 0 else -90.0, "lat_ts": latitude}
    for axis in ("a", "b"):
        size = keys.get({"a": "GeogSemiMajorAxisGeoKey", "b": "GeogSemiMinorAxisGeoKey"}[axis])
        parameters |= {axis: float(size)} if size is not None else {}
    with suppress(CRSError):
        return CRS.from_dict({"proj": _METHODS[method], **parameters})
    return None


def _gdal_items(xml: str) -> list[tuple[str, str, int | None]]:
    """Name, text and band of what GDAL wrote; a role (``description``, ``unittype``) takes the place of the name."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)
    root = etree.fromstring(xml.encode(), parser) if xml.strip() else None
    items: list[tuple[str, str, int | None]] = []
    for item in root.iter("Item") if root is not None else ():
        sample = item.get("sample")
        band = int(sample) if sample is not None and sample.isdecimal() else None
        items.append((item.get("role") or item.get("name") or "", (item.text or "").strip(), band))
    return items


def _bands(page: tifffile.TiffPage, items: list[tuple[str, str, int | None]]) -> Iterator[Json]:
    """Bands that have a name; a grey or coloured picture has none."""
    for band in range(min(page.samplesperpixel, _MOST_BANDS)):
        texts = {name: text for name, text, of_band in items if of_band == band}
        name = texts.get("description") or texts.get("DESCRIPTION") or texts.get("long_name") or ""
        if name:
            attributes = {"units": texts.get("unittype") or texts.get("units") or "", **texts}
            yield {"name": name, "type": str(page.dtype), "attributes": plain(attributes)}
