"""Reference systems by name, with the order of their axes; boxes and geometries of them in degrees."""

from __future__ import annotations

import pytest
from shapely.geometry import box, mapping, shape

from core.reference_systems import read_reference_system


@pytest.mark.parametrize(
    ("name", "latitude_first"),
    [
        ("", False),
        ("EPSG:4326", False),
        ("CRS:84", False),
        ("urn:ogc:def:crs:OGC::CRS84", False),
        ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", False),
        ("urn:ogc:def:crs:EPSG::4326", True),
        ("urn:x-ogc:def:crs:EPSG:6.11:4326", True),
        ("http://www.opengis.net/def/crs/EPSG/0/4326", True),
        ("urn:ogc:def:crs:EPSG::4258", True),
        ("EPSG:4258", False),
        ("EPSG:7409", False),  # with a height, which is left out
    ],
)
def test_a_long_name_has_the_authoritys_axes(name: str, latitude_first: bool) -> None:
    system = read_reference_system(name)
    assert system.in_degrees
    assert system.box(1, 2, 3, 4) == ((2, 1, 4, 3) if latitude_first else (1, 2, 3, 4))


@pytest.mark.parametrize(
    ("name", "corners", "edges"),
    [
        ("EPSG:25832", (300000, 5100000, 600000, 5400000), (6.2806, 46.0244, 10.3603, 48.7530)),
        ("urn:ogc:def:crs:EPSG::31467", (5400000, 3400000, 5500000, 3600000), (7.6148, 48.7295, 10.3831, 49.6367)),
        ("EPSG:31467", (3400000, 5400000, 3600000, 5500000), (7.6148, 48.7295, 10.3831, 49.6367)),
        ("EPSG:4807", (-2, 50, 2, 55), (0.5365, 45.0, 4.1367, 49.5)),  # grads from Paris
        ("EPSG:3031", (-1e6, -1e6, 1e6, 1e6), (-180, -90, 180, -77.0374)),  # round the pole
        ("EPSG:3857", (19e6, 0, 21e6, 1e6), (170.6799, 0, -171.3538, 8.9466)),  # across the antimeridian
        ("EPSG:3857", (-3e7, -3e7, 3e7, 3e7), (-180, -88.9615, 180, 88.9615)),
    ],
)
def test_a_box_is_brought_to_degrees(name: str, corners: tuple[float, ...], edges: tuple[float, ...]) -> None:
    first, second, third, fourth = corners
    assert read_reference_system(name).box(first, second, third, fourth) == pytest.approx(edges, abs=1e-3)


@pytest.mark.parametrize("corners", [(-2e6, -2e6, -1e6, -1e6), (-1e6, -2e6, 1e6, -1e6), (-1e6, -1e6, 1e6, 1e6)])
def test_a_polygon_near_a_pole_covers_its_corners(corners: tuple[float, float, float, float]) -> None:
    found = shape(read_reference_system("EPSG:3031").geometry(dict(mapping(box(*corners)))))
    assert found.is_valid
    assert -180 <= found.bounds[0] <= found.bounds[2] <= 180
    west, south, third, fourth = corners
    for x, y in ((west, south), (third, fourth), ((west + third) / 2, (south + fourth) / 2)):
        corner = shape(read_reference_system("EPSG:3031").geometry({"type": "Point", "coordinates": [x, y]}))
        assert found.distance(corner) < 1e-6


def test_a_polygon_across_the_antimeridian_is_in_two_parts() -> None:
    found = shape(read_reference_system("EPSG:3857").geometry(dict(mapping(box(19e6, 0, 21e6, 1e6)))))
    assert [part.bounds[0] for part in found.geoms] == pytest.approx([-180, 170.68], abs=1e-2)


@pytest.mark.parametrize("name", ["EPSG:5773", "EPSG:4978", "EPSG:999999", "moon", "+proj=merc", "file:///x", "EPSG:"])
def test_what_is_no_horizontal_system_is_named(name: str) -> None:
    with pytest.raises(ValueError, match="reference system"):
        read_reference_system(name)
