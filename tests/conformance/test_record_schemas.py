"""Records are valid against the JSON schemas of OGC API - Records, and what could not be said so is kept beside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.record import Contact, Dates, Record
from core.timespan import TimeSpan
from search_api.search.views import geojson
from tests.conformance.record_schemas import NCAR, faults, features_of, validator
from tests.conformance.suites import suite
from tests.service import SAMPLES, Service
from tests.shared_data import shared_data

STEP = 40  # every fortieth record of NCAR here, all of them by the command


def feature(**said: Any) -> dict[str, Any]:
    return geojson.feature(Record("s:1", "s", "1", "Title", **said))


def test_every_sample_is_a_valid_record() -> None:
    suite("ogc-schemas")
    assert [fault for one in features_of(SAMPLES) for fault in faults(one)] == []


@pytest.mark.parametrize("archive", NCAR)
def test_records_of_ncar_are_valid(archive: str) -> None:
    suite("ogc-schemas")
    path: Path = shared_data("catalogues", archive)
    found = list(features_of(path, STEP))
    assert len(found) > 20
    assert [fault for one in found for fault in faults(one)] == []


def test_pages_and_catalogues_are_valid(samples: Service) -> None:
    suite("ogc-schemas")
    page = samples.http.get("/collections/samples/items?limit=30").get_json()
    assert [one.message for one in validator("recordCollectionGeoJSON").iter_errors(page)] == []
    catalogue = samples.http.get("/collections/samples").get_json()
    assert [one.message for one in validator("catalog").iter_errors(catalogue)] == []


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("-799050-01-01", "1950-12-31", ["..", "1950-12-31T23:59:59.999Z"]),
        ("-0500-01-01", "-0400-12-31", ["..", "0001-01-01T00:00:00Z"]),
        ("1950-01-01", "+12000-01-01", ["1950-01-01T00:00:00Z", ".."]),
        ("0000-01-01", None, ["..", ".."]),
        ("1990-01-01", "2000-01-01T00:00:00Z", ["1990-01-01T00:00:00Z", "2000-01-01T00:00:00Z"]),
    ],
)
def test_an_interval_has_years_of_four_digits(start: str, end: str | None, said: list[str]) -> None:
    """GDAL 3.12 refuses the whole page for one year before 1."""
    span = TimeSpan.from_iso(start, end)
    made = feature(times=(span,))
    assert made["time"] == {"interval": said}
    assert made["properties"]["sonde:times"] == [[span.start_iso, span.end_iso]]


def test_dates_are_moments_and_stay_as_they_were_given() -> None:
    said = feature(dates=Dates(created="2011", modified="soon", metadata="2012-05-04"))["properties"]
    assert (said["created"], said["updated"]) == ("2011-01-01T00:00:00Z", "2012-05-04T00:00:00Z")
    assert said["sonde:dates"] == {"created": "2011", "modified": "soon", "metadata": "2012-05-04"}


def test_a_contact_without_a_name_is_named_by_its_mail_or_left_out() -> None:
    mail, role = Contact(email="a@b.example", role="author"), Contact(role="publisher")
    assert feature(contacts=(mail, role))["properties"]["contacts"] == [
        {"name": "a@b.example", "emails": [{"value": "a@b.example"}], "roles": ["author"]}
    ]
