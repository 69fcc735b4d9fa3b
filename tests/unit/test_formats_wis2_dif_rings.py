"""WIS 2's channels, DIF's classes of resolution, rings in the other order or not closed."""

# ruff: noqa: E501  # documents stand as they are written

from __future__ import annotations

import json
from typing import Any

import pytest

from core.geo import BBox
from core.record import Link, Record
from indexer.formats.registry import read
from indexer.formats.repair.resolution import distance_in, step_in
from indexer.raw import RawRecord
from tests.unit import second_formats

DEGREE_M = 111_319.49


def _read(document: Any) -> Record:
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    return read(RawRecord("file", content, "file"), "test")


def test_links_to_items_and_to_channels_are_kept():
    broker = "mqtts://everyone:everyone@broker.example.org:8883"
    found = _read(
        {
            "type": "Feature",
            "id": "urn:wmo:md:xx:rain",
            "conformsTo": ["http://wis.wmo.int/spec/wcmp/2/conf/core"],
            "geometry": None,
            "properties": {"title": "Rain", "type": "dataset", "description": "Rain."},
            "links": [
                {"rel": "items", "href": broker, "channel": "cache/a/wis2/xx/rain", "title": "Notifications"},
                {
                    "rel": "items",
                    "href": "https://api.example.org/collections/rain/items",
                    "type": "application/geo+json",
                },
                {"rel": "hub", "href": "wss://broker.example.org/"},
                {"rel": "self", "href": "https://api.example.org/rain"},
            ],
        }
    )
    assert found.links == (
        Link(broker, "service", name="Notifications", description="cache/a/wis2/xx/rain"),
        Link("https://api.example.org/collections/rain/items", "download", media_type="application/geo+json"),
        Link("wss://broker.example.org/", "service"),
    )


def test_every_link_of_the_real_wcmp2_records_that_leads_out_is_kept():
    for name, content in second_formats.of("wmo-im+wcmp2").items():
        stated = json.loads(content)
        (found,) = second_formats.records(content, name)
        hrefs = {link["href"] for link in stated["links"] if link["rel"] not in ("license", "collection")}
        assert len({link.href for link in found.links} & hrefs) == len(hrefs), name


def _dif(*resolutions: str) -> Record:
    inner = "".join(f"<Data_Resolution>{one}</Data_Resolution>" for one in resolutions)
    return _read(f"<DIF><Entry_ID>x</Entry_ID><Entry_Title>Rain</Entry_Title>{inner}</DIF>".encode())


CLASS = "<Horizontal_Resolution_Range>10 km - &lt; 50 km or approximately .09 degree - &lt; .5 degree</Horizontal_Resolution_Range>"


@pytest.mark.parametrize(
    ("resolutions", "metres"),
    [
        ((f"<Latitude_Resolution>0.25 degree</Latitude_Resolution>{CLASS}",), DEGREE_M / 4),
        ((CLASS, "<Latitude_Resolution>0.25 degree</Latitude_Resolution>"), DEGREE_M / 4),
        (("<Longitude_Resolution>2/3 degree, 1/2 degree</Longitude_Resolution>",), DEGREE_M / 2),
        ((CLASS,), 10_000),
    ],
)
def test_what_is_stated_goes_before_its_class(resolutions, metres):
    assert _dif(*resolutions).resolution.metres == pytest.approx(metres, abs=0.01)


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("1/12 deg", DEGREE_M / 12),
        (".09 degree", DEGREE_M * 0.09),
        ("0.5° x 0.625°", DEGREE_M / 2),
        ("0.5 x 0.625 degree", DEGREE_M / 2),
        ("0,25 degree", DEGREE_M / 4),
        ("30 m", 30),
        ("1/0 degree", None),
        ("1,000 m", 1000),
        ("1,234.5 m", 1234.5),
        ("0,250 km", 250),
        ("12,5 km", 12_500),
        ("9" * 100_000, None),
    ],
)
def test_distances_written_as_text(text, metres):
    assert distance_in(text) == (None if metres is None else pytest.approx(metres, abs=0.01))


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("hourly", "PT1H"), ("3-hourly", "PT3H"), ("6 hourly means", "PT6H"), ("10-daily", "P10D"), ("8 day", "P8D"),
        ("3hr", "PT3H"), ("6hrPt", "PT6H"), ("mon", "P1M"), ("monC", "P1M"), ("yr", "P1Y"), ("fx", None),
        ("1" * 100_000, None),
    ],
)  # fmt: skip
def test_time_steps_written_as_text(text, step):
    assert step_in(text) == step


def _place(**geo: str) -> Record:
    shape = {"@type": "GeoShape", **geo}
    return _read(
        {
            "@context": "https://schema.org/",
            "@type": "Dataset",
            "name": "Whales",
            "identifier": "whales",
            "spatialCoverage": {"@type": "Place", "geo": shape},
        }
    )


def test_a_ring_with_longitudes_first_is_turned_where_no_other_order_is_possible():
    found = _place(polygon="120 -10, 150 -10, 150 5, 120 5")  # not closed either
    assert found.extents == (BBox(120, -10, 150, 5),)
    assert found.warnings == ("extent: latitude and longitude of a polygon were swapped",)


def test_a_ring_that_can_be_read_both_ways_goes_by_the_documents_box():
    ring = "40 -10, 60 -10, 60 5, 50 10, 40 5"
    assert _place(polygon=ring).extents == (BBox(-10, 40, 10, 60),)  # latitude first, as schema.org has it
    assert _place(box="-10 40 10 60", polygon=ring).extents == (BBox(40, -10, 60, 10),)


def test_wkt_is_longitude_first_and_its_rings_are_closed():
    found = _place(polygon="POLYGON((40 -10, 60 -10, 60 5, 50 10, 40 5))")
    assert (found.extents, found.warnings) == ((BBox(40, -10, 60, 10),), ())


def test_a_geojson_ring_that_is_not_closed_is_closed():
    ring = [[40, -10], [60, -10], [60, 5], [50, 10], [40, 5]]
    found = _read(
        {
            "type": "Feature",
            "id": "x",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {"title": "Whales", "type": "dataset", "description": "Seen."},
        }
    )
    assert found.extents == (BBox(40, -10, 60, 10),)
