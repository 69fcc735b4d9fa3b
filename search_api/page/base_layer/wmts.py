"""Reads from the capabilities of a WMTS 1.0.0 how a layer is drawn on plate carrée (OGC 07-057r7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import urlencode, urljoin

from lxml import etree

from search_api.page.base_layer.tiles import Grid, checked_template

_WMTS = "{http://www.opengis.net/wmts/1.0}"
_OWS = "{http://www.opengis.net/ows/1.1}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_DRAWN = ("image/png", "image/jpeg", "image/webp", "image/jpg", "image/png8")
_PIXEL_M = 0.00028
_DEGREE_M = 111_319.49079327358
"""Of the equator, WGS 84."""
_PLACES = {"TileMatrix": "{z}", "TileCol": "{x}", "TileRow": "{y}"}
_PLATE_CARREE = re.compile(r"(EPSG:(:|[\d.]*:)?4326|CRS(:|:1\.3:)?:?84)$", re.IGNORECASE)
_LISTED = 10
_LARGEST_TILE = 2048


class NotDrawable(ValueError):
    """The map cannot draw this layer; the message says why."""


def read_wmts(body: bytes, address: str, layer: str, matrix_set: str | None = None) -> tuple[str, tuple[Grid, ...]]:
    """The template of a tile's address, with the places ``{z}``, ``{x}`` and ``{y}``, and the grids by name.

    ``address``: where the capabilities came from. Raises NotDrawable.
    """
    root = _parsed(body)
    contents = root.find(f"{_WMTS}Contents")
    if contents is None:
        raise NotDrawable("is not the capabilities of a WMTS 1.0.0")
    found = _named(contents.iterfind(f"{_WMTS}Layer"), layer, "layer")
    own = [_text(link, f"{_WMTS}TileMatrixSet") for link in found.iterfind(f"{_WMTS}TileMatrixSetLink")]
    matrices = _set_of(contents, own, matrix_set)
    name = _text(matrices, f"{_OWS}Identifier")
    return _template(root, found, layer, name, address), _grids(matrices)


def _parsed(body: bytes) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise NotDrawable(f"is not XML: {error.msg}") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise NotDrawable("has a document type, which is not read")
    return root


def _text(element: etree._Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _named(elements: Iterator[etree._Element], name: str, kind: str) -> etree._Element:
    known = {_text(one, f"{_OWS}Identifier"): one for one in elements}
    if name not in known:
        some = ", ".join(list(known)[:_LISTED]) or "none"
        more = f" and {len(known) - _LISTED} more" if len(known) > _LISTED else ""
        raise NotDrawable(f"has no {kind} {name!r}; it has {some}{more}")
    return known[name]


def _set_of(contents: etree._Element, own: list[str], wanted: str | None) -> etree._Element:
    """The wanted set of tile matrices, or else the layer's first on plate carrée."""
    known = {_text(one, f"{_OWS}Identifier"): one for one in contents.iterfind(f"{_WMTS}TileMatrixSet")}
    if wanted is not None and wanted not in own:
        raise NotDrawable(f"offers the layer in {', '.join(own) or 'no set of tile matrices'}, not in {wanted!r}")
    offered = {name: _projection(known[name]) for name in ([wanted] if wanted else own) if name in known}
    drawn = next((name for name, projection in offered.items() if _PLATE_CARREE.search(projection)), None)
    if drawn is None:
        said = ", ".join(f"{name} ({projection})" for name, projection in offered.items()) or "no projection"
        raise NotDrawable(f"offers the layer in {said}; the map is plate carrée and draws EPSG:4326 or CRS84 only")
    return known[drawn]


def _projection(matrices: etree._Element) -> str:
    return _text(matrices, f"{_OWS}SupportedCRS")


def _grids(matrices: etree._Element) -> tuple[Grid, ...]:
    longitude_first = "84" in _projection(matrices).rpartition(":")[2] and "4326" not in _projection(matrices)
    try:
        return tuple(_grid(one, longitude_first) for one in matrices.iterfind(f"{_WMTS}TileMatrix"))
    except ValueError as error:
        raise NotDrawable(f"has a tile matrix that cannot be read: {error}") from None


def _grid(matrix: etree._Element, longitude_first: bool) -> Grid:
    first, second = map(float, _text(matrix, f"{_WMTS}TopLeftCorner").split())
    if longitude_first or abs(first) > 90:  # many servers write longitude first for EPSG:4326 too
        west, north = first, second
    else:
        west, north = second, first
    width, height = (int(_text(matrix, f"{_WMTS}{name}")) for name in ("TileWidth", "TileHeight"))
    columns, rows = (int(_text(matrix, f"{_WMTS}{name}")) for name in ("MatrixWidth", "MatrixHeight"))
    degrees = float(_text(matrix, f"{_WMTS}ScaleDenominator")) * _PIXEL_M / _DEGREE_M
    if not (0 < degrees < 360 and 0 < width <= _LARGEST_TILE and 0 < height <= _LARGEST_TILE and columns > 0 < rows):
        raise ValueError("its scale or sizes are out of range")
    return Grid(_text(matrix, f"{_OWS}Identifier"), degrees, west, north, width, height, columns, rows)


def _template(root: etree._Element, layer: etree._Element, name: str, matrix_set: str, address: str) -> str:
    """Of the layer's resources, else of the operation GetTile with key-value pairs."""
    formats = [_text_of(one) for one in layer.iterfind(f"{_WMTS}Format")]
    values = {"TileMatrixSet": matrix_set, "Style": _style(layer), **_dimensions(layer)}
    for media_type in _DRAWN:
        for resource in layer.iterfind(f"{_WMTS}ResourceURL"):
            if resource.get("resourceType") == "tile" and resource.get("format") == media_type:
                return _filled(urljoin(address, resource.get("template") or ""), values)
    media_type = next((one for one in _DRAWN if one in formats), "")
    if not media_type:
        raise NotDrawable(f"offers the layer as {', '.join(formats) or 'no format'}; browsers draw PNG, JPEG and WebP")
    return _by_pairs(root, name, media_type, values, address)


def _text_of(element: etree._Element) -> str:
    return (element.text or "").strip()


def _style(layer: etree._Element) -> str:
    styles = layer.findall(f"{_WMTS}Style")
    default = next((one for one in styles if one.get("isDefault") == "true"), styles[0] if styles else None)
    return "" if default is None else _text(default, f"{_OWS}Identifier")


def _dimensions(layer: etree._Element) -> Mapping[str, str]:
    """Each at its default."""
    found = layer.iterfind(f"{_WMTS}Dimension")
    return {_text(one, f"{_OWS}Identifier"): _text(one, f"{_WMTS}Default") for one in found}


def _filled(template: str, values: Mapping[str, str]) -> str:
    known = {name.casefold(): value for name, value in {**values, **_PLACES}.items()}

    def fill(place: re.Match[str]) -> str:
        value = known.get(place[1].casefold())
        if value is None:
            raise NotDrawable(f"wants a value for {{{place[1]}}} in its addresses, and names no default")
        return value

    return _checked(re.sub(r"\{([^{}]+)\}", fill, template))


def _by_pairs(root: etree._Element, layer: str, media_type: str, values: Mapping[str, str], address: str) -> str:
    operations = root.iterfind(f"{_OWS}OperationsMetadata/{_OWS}Operation[@name='GetTile']")
    gets = (get for one in operations for get in one.iterfind(f"{_OWS}DCP/{_OWS}HTTP/{_OWS}Get"))
    href = next((get.get(_HREF) for get in gets if _takes_pairs(get)), None)
    if href is None:
        raise NotDrawable("names no address of tiles: neither a ResourceURL of the layer nor GetTile with KVP")
    asked = {
        "SERVICE": "WMTS", "REQUEST": "GetTile", "VERSION": "1.0.0", "LAYER": layer, "FORMAT": media_type, **values,
    }  # fmt: skip
    pairs = urlencode({name.upper(): value for name, value in asked.items()})
    joint = "" if href.endswith(("?", "&")) else "&" if "?" in href else "?"
    return _checked(f"{urljoin(address, href)}{joint}{pairs}&TILEMATRIX={{z}}&TILECOL={{x}}&TILEROW={{y}}")


def _takes_pairs(get: etree._Element) -> bool:
    values = [_text_of(one) for one in get.iterfind(f"{_OWS}Constraint/{_OWS}AllowedValues/{_OWS}Value")]
    return not values or "KVP" in values


def _checked(template: str) -> str:
    try:
        return checked_template(template)
    except ValueError as error:
        raise NotDrawable(f"names an address of tiles that {error}") from None
