"""What makes two records versions of one data set, what names a record in a text, and how events are read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.geo import BBox
from core.record import Dates, Link, Record
from core.record_keys import title_stem
from core.timespan import TimeSpan
from core.versions import are_versions, doi_stem, newest_version, order_of, stated_successor, version_key
from search_api.catalogue.related.citations import CitingWork, citations_of, names_one, phrases_of


def _record(title: str, doi: str | None = None, edition: str | None = None, published: str | None = None) -> Record:
    return Record("a:x", "a", "x", title, doi=doi, edition=edition, dates=Dates(published=published))


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("MODIS Snow Cover, Version 6", ("modis", "snow", "cover")),
        ("GPCC full data v2018.1 (daily)", ("gpcc", "full", "data", "daily")),
        ("World Ocean Atlas, 3rd Edition", ("world", "ocean", "atlas")),
        ("Vertical velocity at station 7", ("vertical", "velocity", "at", "station", "7")),
        ("Bathymetry V2", ()),
    ],
)
def test_a_title_without_its_version(title: str, stem: tuple[str, ...]) -> None:
    assert title_stem(title) == stem


@pytest.mark.parametrize(
    ("doi", "stem"),
    [
        ("10.5067/MODIS/MOD10A1.006", ("10.5067/modis/mod10a1", False)),
        ("10.5676/dwd_gpcc/fd_v2018", ("10.5676/dwd_gpcc/fd", True)),
        ("10.1594/pangaea.123456", None),
        ("10.5065/006", None),
    ],
)
def test_a_doi_without_its_version(doi: str, stem: tuple[str, bool] | None) -> None:
    assert doi_stem(doi) == stem


def test_the_version_is_stated_or_in_the_title_or_at_the_end_of_the_doi() -> None:
    assert version_key(_record("Snow, Version 6", edition="Version 7.0")) == (7,)
    assert version_key(_record("Snow, Version 6.10")) == (6, 10)
    assert version_key(_record("Snow", "10.5067/a/b.006")) == (6,)
    assert version_key(_record("Snow", "10.1594/pangaea.123456")) is None


def test_versions_share_a_title_or_a_doi_but_equal_titles_alone_are_no_evidence() -> None:
    old, new = _record("Snow Cover Daily, Version 5"), _record("Snow cover daily V6")
    assert are_versions(old, new)
    assert (order_of(old, new), order_of(new, old)) == ("newer_version", "older_version")
    assert not are_versions(_record("Meteorological data"), _record("Meteorological data"))
    six = _record("Daily snow cover", "10.5067/x/mod.006")
    assert are_versions(six, _record("Daily snow cover of Terra", "10.5067/x/mod.061"))
    assert not are_versions(six, _record("Daily snow cover, part 2", "10.5067/x/mod.062"))
    assert not are_versions(six, _record("Ozone over Borneo", "10.5067/x/mod.007"))
    assert are_versions(_record("Rain", "10.5676/gpcc/fd.v2018"), _record("Ozone", "10.5676/gpcc/fd.v2020"))


def test_without_numbers_the_date_decides() -> None:
    old, new = _record("a b", edition="final", published="2001-01-01"), _record("a b", published="2002")
    assert order_of(old, new) == "newer_version"
    assert order_of(_record("a b"), new) == "other_version"


def test_a_doi_in_a_text_ends_where_it_ends() -> None:
    named = phrases_of(_record("Snow depth of alpine stations", "10.5065/d61"))
    assert names_one("data (https://doi.org/10.5065/D61).", named)
    assert names_one("doi: 10.5065/\nd61, last seen", named)
    assert not names_one("https://doi.org/10.5065/d612", named)
    assert not names_one("https://doi.org/10.5065/d61.v2", named)
    assert names_one("We use Snow Depth of Alpine\nStations since 1990.", named)
    assert phrases_of(_record("Snow depth")) == []


def _event(subject: str, relation: str, object_: str, when: str = "2021-05-01T00:00:00Z") -> dict[str, object]:
    said = {"subj-id": f"https://doi.org/{subject}", "obj-id": f"https://doi.org/{object_}", "occurred-at": when}
    return {"type": "events", "attributes": {**said, "relation-type-id": relation, "source-id": "crossref"}}


def test_events_are_read_from_both_sides_and_each_work_counts_once() -> None:
    events = [
        _event("10.5555/paper", "references", "10.5065/D61"),
        _event("10.5555/paper", "cites", "10.5065/d61", "2022-01-01T00:00:00Z"),
        _event("10.5065/d61", "is-supplement-to", "10.5556/other", "0000-01-01T00:00:00Z"),
        _event("10.5065/d61", "references", "10.5557/what-it-cites"),
        _event("10.5065/d61", "is-version-of", "10.5065/d6"),
    ]
    found = citations_of("10.5065/d61", {"data": [*events, "odd", {"attributes": None}]})
    assert found == (
        CitingWork("10.5555/paper", "cites", "crossref", "2022"),
        CitingWork("10.5556/other", "is-supplemented-by", "crossref", None),
    )
    with pytest.raises(ValueError, match="no list"):
        citations_of("10.5065/d61", {"data": None})


def test_formats_of_one_data_set_are_versions_without_an_order() -> None:
    box = (BBox(1.0, 2.0, 3.0, 4.0),)
    excel, text = (replace(_record(f"Toolik Snow Depth ({name})"), extents=box) for name in ("Excel", "ASCII"))
    assert are_versions(excel, text)
    assert order_of(excel, text) == "other_version"
    assert not are_versions(excel, replace(text, extents=(BBox(5.0, 6.0, 7.0, 8.0),)))


ALPS = BBox(5, 44, 16, 48)


def _there(title: str, box: BBox, edition: str | None = None, start: str = "2001-01-01") -> Record:
    return replace(_record(title, edition=edition), extents=(box,), times=(TimeSpan.from_iso(start, "2011-12-31"),))


SNOW = _there("Snow cover daily, Version 5", ALPS)


@pytest.mark.parametrize(
    ("others", "newest"),
    [
        ([_record("Snow cover daily, Version 6"), _record("Snow cover daily, V10"), _record("Snow cover daily v4")], 1),
        ([_record("Snow cover daily", edition="6.1")], 0),
        ([_there("Snow cover daily, Version 6", BBox(50, 5, 60, 8)), _there("Snow cover daily, V7", ALPS)], 1),
        ([_record("Snow cover weekly, Version 6")], None),
        ([_record("Snow cover daily", published="2030")], None),
        ([_record("Snow cover daily", edition="2021-03")], None),
        ([replace(_record("Snow cover daily, Version 6"), source="b")], None),
        ([], None),
    ],
    ids=[
        "numbers",
        "edition",
        "another area",
        "another title",
        "only a date",
        "a year is no number",
        "another source",
        "nothing",
    ],
)
def test_the_newest_version_replaces_a_record(others: list[Record], newest: int | None) -> None:
    assert newest_version(SNOW, others) == (None if newest is None else others[newest])


def test_a_year_replaces_a_year_and_a_number_at_the_end_of_a_doi_another() -> None:
    old, new = _there("Glaciers of Asia", ALPS, "2019"), _there("Glaciers of Asia", ALPS, "2021")
    assert newest_version(old, [new]) == new
    assert newest_version(replace(old, edition="3"), [new]) is None
    six, later = _record("Daily snow cover", "10.5067/x/mod.006"), _record("Daily snow cover", "10.5067/x/mod.061")
    assert newest_version(six, [later]) == later
    assert newest_version(later, [six]) is None


def test_editions_of_equal_titles_are_versions_only_of_one_area_and_start() -> None:
    first = _there("Flight tracks", ALPS, "1.0")
    assert newest_version(first, [_there("Flight tracks", ALPS, "2.0")]) is not None
    assert newest_version(first, [_there("Flight tracks", BBox(5, 44, 16, 47), "2.0")]) is None
    assert newest_version(first, [_there("Flight tracks", ALPS, "2.0", start="2005-01-01")]) is None
    assert not are_versions(_record("Flight tracks", edition="1.0"), _record("Flight tracks", edition="2.0"))


def test_a_date_orders_states_but_not_formats() -> None:
    dates = Dates(published="2001"), Dates(published="2009")
    text = replace(_there("Soil data (ASCII)", ALPS), dates=dates[0])
    netcdf = replace(_there("Soil data (netCDF)", ALPS), dates=dates[1])
    assert are_versions(text, netcdf)
    assert order_of(text, netcdf) == "other_version"
    draft, final = replace(text, title="Soil data, preliminary"), replace(netcdf, title="Soil data, final")
    assert order_of(draft, final) == "newer_version"


def test_metadata_state_the_successor_by_a_link() -> None:
    link = Link("https://doi.org/10.5555/new", "successor-version")
    assert stated_successor(replace(SNOW, links=(Link("https://x.example", "about"), link))) == link
    assert stated_successor(SNOW) is None
