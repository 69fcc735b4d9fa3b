"""An operator's base layer: what the settings refuse, and what is read from a WMTS's capabilities."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from search_api.page.base_layer.live import LiveBaseLayer
from search_api.page.base_layer.tiles import BaseLayer, Grid, Named, quad_grids, within_zooms
from search_api.page.base_layer.wmts import NotDrawable, read_wmts
from sonde.portal_settings import BaseLayerSettings
from sonde.settings import Settings
from sonde.wiring.models import gate_policy

XYZ = {"name": "Relief", "attribution": "© Survey", "xyz": "https://tiles.example/{z}/{x}/{y}.png"}
ADDRESS = "https://maps.example/wmts/1.0.0/WMTSCapabilities.xml"


def capabilities(*, crs: str = "urn:ogc:def:crs:EPSG::4326", corner: str = "90.0 -180.0", tiles: str = "") -> bytes:
    """Two levels: GIBS's grid of 512 pixels, of .5625 and .28125 degrees each."""
    matrices = "".join(
        f"""<TileMatrix><ows:Identifier>{level}</ows:Identifier>
        <ScaleDenominator>{223632905.6114871 / 2**level}</ScaleDenominator><TopLeftCorner>{corner}</TopLeftCorner>
        <TileWidth>512</TileWidth><TileHeight>512</TileHeight>
        <MatrixWidth>{2 + level}</MatrixWidth><MatrixHeight>{1 + level}</MatrixHeight></TileMatrix>"""
        for level in (0, 1)
    )
    tiles = tiles or (
        '<ResourceURL format="image/png" resourceType="tile" '
        'template="https://cdn.example/{Style}/{Time}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}.png"/>'
    )
    return f"""<?xml version="1.0"?>
    <Capabilities xmlns="http://www.opengis.net/wmts/1.0" xmlns:ows="http://www.opengis.net/ows/1.1"
      xmlns:xlink="http://www.w3.org/1999/xlink" version="1.0.0">
    <ows:OperationsMetadata><ows:Operation name="GetTile"><ows:DCP><ows:HTTP><ows:Get xlink:href="../../kvp?map=1">
    </ows:Get></ows:HTTP></ows:DCP></ows:Operation></ows:OperationsMetadata>
    <Contents><Layer><ows:Identifier>Relief</ows:Identifier><Style isDefault="true">
    <ows:Identifier>default</ows:Identifier></Style><Format>image/png</Format>
    <Dimension><ows:Identifier>Time</ows:Identifier><Default>2026-01-01</Default></Dimension>
    <TileMatrixSetLink><TileMatrixSet>half</TileMatrixSet></TileMatrixSetLink>{tiles}</Layer>
    <TileMatrixSet><ows:Identifier>half</ows:Identifier><ows:SupportedCRS>{crs}</ows:SupportedCRS>{matrices}
    </TileMatrixSet></Contents></Capabilities>""".encode()


def test_a_wmts_is_read_with_its_grids_style_and_time() -> None:
    template, grids = read_wmts(capabilities(), ADDRESS, "Relief")
    assert template == "https://cdn.example/default/2026-01-01/half/{z}/{y}/{x}.png"
    assert [(grid.name, grid.west, grid.north, grid.width, grid.columns, grid.rows) for grid in grids] == [
        ("0", -180.0, 90.0, 512, 2, 1),
        ("1", -180.0, 90.0, 512, 3, 2),
    ]
    assert [grid.degrees_per_pixel for grid in grids] == pytest.approx([0.5625, 0.28125])


@pytest.mark.parametrize(
    ("crs", "corner"),
    [
        ("urn:ogc:def:crs:OGC:1.3:CRS84", "-180 90"),
        ("EPSG:4326", "-180 90"),
        ("urn:ogc:def:crs:EPSG:6.18:4326", "90 -180"),
    ],
)
def test_the_corner_is_found_in_either_order_of_axes(crs: str, corner: str) -> None:
    _, grids = read_wmts(capabilities(crs=crs, corner=corner), ADDRESS, "Relief")
    assert (grids[0].west, grids[0].north) == (-180.0, 90.0)


def test_a_wmts_without_resources_is_asked_by_pairs() -> None:
    template, _ = read_wmts(capabilities(tiles="<Abstract/>"), ADDRESS, "Relief")
    assert template.startswith("https://maps.example/kvp?map=1&SERVICE=WMTS&REQUEST=GetTile&")
    assert "&STYLE=default&TIME=2026-01-01&TILEMATRIX={z}&TILECOL={x}&TILEROW={y}" in template


@pytest.mark.parametrize(
    ("body", "layer", "said"),
    [
        (capabilities(crs="urn:ogc:def:crs:EPSG::3857"), "Relief", "plate carrée"),
        (capabilities(), "Roads", "it has Relief"),
        (b"<html></html>", "Relief", "not the capabilities of a WMTS"),
        (b"<", "Relief", "is not XML"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "Relief", "document type"),
        (capabilities(corner="north west"), "Relief", "tile matrix that cannot be read"),
        (
            capabilities(
                tiles='<ResourceURL format="image/png" resourceType="tile" '
                'template="https://a.example;script-src/{TileMatrix}/{TileRow}/{TileCol}"/>'
            ),
            "Relief",
            "one plain host",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(body: bytes, layer: str, said: str) -> None:
    with pytest.raises(NotDrawable, match=said):
        read_wmts(body, ADDRESS, layer)


def test_zooms_choose_the_grids() -> None:
    assert [grid.name for grid in within_zooms(quad_grids(0, 9), 2, 4)] == ["2", "3", "4"]
    half = Grid("0", 0.5625, -180.0, 90.0, 512, 512, 2, 1)
    assert within_zooms((half,), 0, 9) == (half,)
    assert within_zooms((half,), 3, 9) == ()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({**XYZ, "projection": "EPSG:3857"}, "draws EPSG:4326 only"),
        (XYZ, "projection is missing"),
        ({**XYZ, "projection": "EPSG:4326", "xyz": "https://{s}.tiles.example/{z}/{x}/{y}.png"}, "one plain host"),
        ({**XYZ, "projection": "EPSG:4326", "xyz": "https://tiles.example/{z}/{x}.png"}, "once each"),
        ({**XYZ, "projection": "EPSG:4326", "attribution": ""}, "attribution"),
        ({**XYZ, "projection": "EPSG:4326", "min_zoom": 5, "max_zoom": 2}, "larger than max_zoom"),
        ({**XYZ, "wmts": ADDRESS, "layer": "Relief"}, "either xyz"),
        ({"name": "Relief", "attribution": "© Survey", "wmts": ADDRESS}, "layer of the WMTS"),
    ],
)
def test_settings_refuse_what_cannot_be_drawn(given: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        BaseLayerSettings.model_validate(given)


def test_the_host_of_the_capabilities_may_be_a_private_one() -> None:
    settings = Settings.model_validate(
        {
            "portal": {
                "base_layer": {"name": "R", "attribution": "S", "wmts": "http://maps.internal:8080/c", "layer": "R"}
            }
        }
    )
    assert "maps.internal:8080" in gate_policy(settings).allowed_hosts


def test_a_layer_that_cannot_be_read_is_asked_again_later() -> None:
    layer = BaseLayer(Named("Relief", "© Survey"), XYZ["xyz"], quad_grids(0, 1))
    assert layer.origin == "https://tiles.example"
    seconds, answers = [0.0], [NotDrawable("no"), None]

    def read() -> BaseLayer:
        problem = answers.pop(0)
        if problem is not None:
            raise problem
        return layer

    live = LiveBaseLayer(read, lambda: seconds[0])
    live._refresh()
    assert live._known is None
    live._refresh()
    seconds[0] = 100.0
    assert live.current() is layer, "kept for a day"
    assert answers == []
