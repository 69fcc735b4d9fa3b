"""Pictures of the world as a WMS, a WMTS, a TMS and plain tiles send them, after the standards' texts.

Each pixel's colour says where it lies: red falls and blue grows with the latitude, green grows with the longitude.
"""

from __future__ import annotations

import io
import math

import numpy as np
from flask import Flask, Response, abort, request
from PIL import Image
from pyproj import Transformer

MERCATOR_M = math.pi * 6378137
WIDTHS = {"CRS:84": 180.0, "EPSG:4326": 180.0, "EPSG:3857": MERCATOR_M, "EPSG:3995": 12_400_000.0}
"""Half the width of each grid: its first level is one square tile of twice that."""
LEVELS = 5
TIMES = "2001-01-01,2002-01-01,2003-01-01"


def colour(lng: float, lat: float) -> tuple[int, int, int]:
    """What a pixel there shows."""
    return round(255 * (90 - lat) / 180), round(255 * (lng + 180) / 360), round(255 * (lat + 90) / 180)


def picture(system: str, west: float, south: float, east: float, north: float, width: int, height: int) -> bytes:
    """A PNG of the edges in a system's coordinates, x first; nothing where it shows nothing."""
    xs = west + (np.arange(width) + 0.5) * (east - west) / width
    ys = north - (np.arange(height) + 0.5) * (north - south) / height
    x, y = np.meshgrid(xs, ys)
    code = {"CRS:84": "OGC:CRS84", "EPSG:4326": "OGC:CRS84"}.get(system, system)
    lng, lat = Transformer.from_crs(code, "OGC:CRS84", always_xy=True).transform(x, y)
    known = np.isfinite(lng) & np.isfinite(lat) & (np.abs(lat) <= 90) & (np.abs(lng) <= 180.001)
    lng, lat = np.where(known, lng, 0), np.where(known, lat, 0)
    bands = [255 * (90 - lat) / 180, 255 * (lng + 180) / 360, 255 * (lat + 90) / 180, np.where(known, 255, 0)]
    out = io.BytesIO()
    Image.fromarray(np.stack(bands, axis=-1).round().astype(np.uint8), "RGBA").save(out, "PNG")
    return out.getvalue()


def tile(system: str, level: int, column: int, row: int) -> Response:
    """Of the square around the centre, halved with each level; rows count from the top."""
    half = WIDTHS[system]
    size = 2 * half / 2**level
    west, north = -half + column * size, half - row * size
    if not (0 <= level < LEVELS and 0 <= column < 2**level and 0 <= row < 2**level):
        abort(404)
    return Response(picture(system, west, north - size, west + size, north, 256, 256), mimetype="image/png")


def map_pictures() -> Flask:
    """Below ``/closed`` other pages may not read."""
    site = Flask("map pictures")
    asked: list[str] = []
    site.config["asked"] = asked
    site.before_request(lambda: asked.append(request.full_path))
    site.add_url_rule("/wms/<version>", "wms", wms)
    site.add_url_rule("/wmts", "wmts", wmts)
    site.add_url_rule("/rest/<style>/<grid>/<int:level>/<int:row>/<int:column>.png", "rest", rest_tile)
    site.add_url_rule("/rest/1.0.0/WMTSCapabilities.xml", "rest_capabilities", lambda: xml(wmts_capabilities()))
    site.add_url_rule("/xyz/<int:level>/<int:column>/<int:row>.png", "xyz", xyz)
    site.add_url_rule("/tilejson", "tilejson", tilejson)
    site.add_url_rule("/tms/1.0.0/", "tms_service", tms_service)
    site.add_url_rule("/tms/1.0.0/relief", "tms", lambda: xml(TILE_MAP))
    site.add_url_rule("/tms/1.0.0/relief/<int:level>/<int:column>/<int:row>.png", "tms_tile", tms_tile)

    @site.after_request
    def open_up(answer: Response) -> Response:
        answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    return site


def xml(text: str) -> Response:
    return Response(text, mimetype="text/xml")


def parameters() -> dict[str, str]:
    return {name.upper(): value for name, value in request.args.items()}


def wms(version: str) -> Response:
    asked = parameters()
    match asked["REQUEST"]:
        case "GetCapabilities":
            return xml(wms_capabilities(version))
        case "GetLegendGraphic":
            out = io.BytesIO()
            Image.new("RGB", (60, 40), "#884422").save(out, "PNG")
            return Response(out.getvalue(), mimetype="image/png")
    system = asked["CRS" if version == "1.3.0" else "SRS"]
    if asked["VERSION"] != version or asked["LAYERS"] not in ("relief", "ice") or system not in systems(version):
        return xml("<ServiceExceptionReport/>")
    edges = [float(number) for number in asked["BBOX"].split(",")]
    if version == "1.3.0" and system == "EPSG:4326":
        edges = [edges[1], edges[0], edges[3], edges[2]]
    west, south, east, north = edges
    size = int(asked["WIDTH"]), int(asked["HEIGHT"])
    return Response(picture(system, west, south, east, north, *size), mimetype="image/png")


def systems(version: str) -> tuple[str, ...]:
    return ("EPSG:4326", "EPSG:3995") if version == "1.3.0" else ("EPSG:3857",)


def wms_capabilities(version: str) -> str:
    is_new = version == "1.3.0"
    element = "CRS" if is_new else "SRS"
    listed = "".join(f"<{element}>{name}</{element}>" for name in systems(version))
    time = (
        f'<Dimension name="time" units="ISO8601" default="2002-01-01">{TIMES}</Dimension>'
        if is_new
        else '<Dimension name="time" units="ISO8601"/>'
        '<Extent name="time" default="2002-01-01">2001-01-01/2003-01-01/P1Y</Extent>'
    )
    root = "WMS_Capabilities" if is_new else "WMT_MS_Capabilities"
    namespace = 'xmlns="http://www.opengis.net/wms"' if is_new else ""
    return f"""<{root} version="{version}" {namespace}><Capability><Layer><Title>All</Title>{listed}
<Attribution><Title>The survey</Title></Attribution>
<Layer><Name>relief</Name><Title>Relief</Title>{time}</Layer>
<Layer><Name>ice</Name><Title>Ice</Title></Layer></Layer></Capability></{root}>"""


def wmts() -> Response:
    asked = parameters()
    if asked["REQUEST"] == "GetCapabilities":
        return xml(wmts_capabilities())
    if (asked["LAYER"], asked["FORMAT"], asked["TIME"]) != ("degrees", "image/png", "2003-01-01"):
        abort(400)
    system = {"degrees": "CRS:84", "polar": "EPSG:3995"}[asked["TILEMATRIXSET"]]
    return tile(system, int(asked["TILEMATRIX"]), int(asked["TILECOL"]), int(asked["TILEROW"]))


def rest_tile(style: str, grid: str, level: int, row: int, column: int) -> Response:
    if (style, grid) != ("plain", "web"):
        abort(404)
    return tile("EPSG:3857", level, column, row)


def wmts_capabilities() -> str:
    host = request.host_url
    template = f"{host}rest/{{Style}}/{{TileMatrixSet}}/{{TileMatrix}}/{{TileRow}}/{{TileCol}}.png"
    return f"""<Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1"
 xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
<ows:OperationsMetadata><ows:Operation name="GetTile"><ows:DCP><ows:HTTP>
<ows:Get xlink:href="{host}wmts?"/></ows:HTTP></ows:DCP></ows:Operation></ows:OperationsMetadata>
<Contents>
<Layer><ows:Title>Web</ows:Title><ows:Identifier>web</ows:Identifier>
<Style isDefault="true"><ows:Identifier>plain</ows:Identifier></Style><Format>image/png</Format>
<TileMatrixSetLink><TileMatrixSet>web</TileMatrixSet></TileMatrixSetLink>
<ResourceURL format="image/png" resourceType="tile" template="{template}"/></Layer>
<Layer><ows:Title>Degrees</ows:Title><ows:Identifier>degrees</ows:Identifier>
<Style isDefault="true"><ows:Identifier>plain</ows:Identifier></Style><Format>image/png</Format>
<Dimension><ows:Identifier>Time</ows:Identifier><Default>2003-01-01</Default><Value>2001-01-01</Value></Dimension>
<TileMatrixSetLink><TileMatrixSet>degrees</TileMatrixSet></TileMatrixSetLink>
<TileMatrixSetLink><TileMatrixSet>polar</TileMatrixSet></TileMatrixSetLink></Layer>
{grid("web", "urn:ogc:def:crs:EPSG::3857", "EPSG:3857", 1.0)}
{grid("degrees", "urn:ogc:def:crs:OGC:1.3:CRS84", "CRS:84", math.pi / 180 * 6378137)}
{grid("polar", "urn:ogc:def:crs:EPSG::3995", "EPSG:3995", 1.0)}
</Contents></Capabilities>"""


def grid(name: str, urn: str, system: str, metres: float) -> str:
    half = WIDTHS[system]
    matrices = "".join(
        f"""<TileMatrix><ows:Identifier>{level}</ows:Identifier>
<ScaleDenominator>{2 * half / 256 / 2**level * metres / 0.28e-3}</ScaleDenominator>
<TopLeftCorner>{-half} {half}</TopLeftCorner><TileWidth>256</TileWidth><TileHeight>256</TileHeight>
<MatrixWidth>{2**level}</MatrixWidth><MatrixHeight>{2**level}</MatrixHeight></TileMatrix>"""
        for level in range(LEVELS)
    )
    names = f"<ows:Identifier>{name}</ows:Identifier><ows:SupportedCRS>{urn}</ows:SupportedCRS>"
    return f"<TileMatrixSet>{names}{matrices}</TileMatrixSet>"


def xyz(level: int, column: int, row: int) -> Response:
    return tile("EPSG:3857", level, column, row)


def tilejson() -> dict[str, object]:
    return {
        "tilejson": "3.0.0",
        "name": "Relief",
        "attribution": '<a href="https://survey.example">The survey</a>',
        "tiles": [f"{request.host_url}xyz/{{z}}/{{x}}/{{y}}.png"],
        "maxzoom": LEVELS - 1,
    }


TILE_SETS = "".join(
    f'<TileSet href="relief/{level}" units-per-pixel="{MERCATOR_M / 128 / 2**level}" order="{level}"/>'
    for level in range(LEVELS)
)
TILE_MAP = f"""<TileMap version="1.0.0"><Title>Relief</Title><SRS>OSGEO:41001</SRS>
<BoundingBox minx="{-MERCATOR_M}" miny="{-MERCATOR_M}" maxx="{MERCATOR_M}" maxy="{MERCATOR_M}"/>
<Origin x="{-MERCATOR_M}" y="{-MERCATOR_M}"/>
<TileFormat width="256" height="256" mime-type="image/png" extension="png"/>
<TileSets profile="global-mercator">
{TILE_SETS}
</TileSets></TileMap>"""


def tms_service() -> Response:
    return xml(
        f'<TileMapService version="1.0.0"><TileMaps><TileMap title="Relief" srs="OSGEO:41001" profile="global-mercator"'
        f' href="{request.host_url}tms/1.0.0/relief"/></TileMaps></TileMapService>'
    )


def tms_tile(level: int, column: int, row: int) -> Response:
    return tile("EPSG:3857", level, column, 2**level - 1 - row)
