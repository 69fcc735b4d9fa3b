"""An operator's base layer: what the settings refuse, and what the page's script gets."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from search_api.page.shell import BaseLayer
from sonde.portal_settings import BaseLayerSettings

XYZ = {"name": "Relief", "attribution": "© Survey", "xyz": "https://tiles.example/{z}/{x}/{y}.png"}
CAPABILITIES = "https://maps.example/wmts/1.0.0/WMTSCapabilities.xml"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({**XYZ, "projection": "EPSG:3857"}, "draws EPSG:4326 only"),
        (XYZ, "projection is missing"),
        ({**XYZ, "projection": "EPSG:4326", "xyz": "https://{s}.tiles.example/{z}/{x}/{y}.png"}, "one plain host"),
        ({**XYZ, "projection": "EPSG:4326", "xyz": "https://tiles.example/{z}/{x}.png"}, "once each"),
        ({**XYZ, "projection": "EPSG:4326", "attribution": ""}, "attribution"),
        ({**XYZ, "projection": "EPSG:4326", "min_zoom": 5, "max_zoom": 2}, "larger than max_zoom"),
        ({"name": "Relief", "attribution": "© Survey", "wmts": CAPABILITIES, "layer": "Relief"}, "give xyz instead"),
        ({**XYZ, "projection": "EPSG:4326", "xyz": CAPABILITIES}, "give xyz instead"),
        ({"name": "Relief", "attribution": "© Survey"}, "xyz"),
    ],
)
def test_settings_refuse_what_cannot_be_drawn(given: dict[str, object], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        BaseLayerSettings.model_validate(given)


def test_the_script_gets_a_grid_for_each_zoom() -> None:
    layer = BaseLayer("Relief", "© Survey", None, XYZ["xyz"], 2, 4)
    assert layer.origin == "https://tiles.example"
    grids = layer.for_script()["grids"]
    assert [grid[0] for grid in grids] == ["2", "3", "4"]
    assert grids[0] == ["2", 0.17578125, -180.0, 90.0, 256, 256, 8, 4]
