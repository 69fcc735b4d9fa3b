"""What makes two records versions of one data set, what names a record in a text, and how events are read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.geo import BBox
from core.record import Dates, Record
from core.record_keys import title_stem
from search_api.catalogue.related.citations import CitingWork, citations_of, names_one, phrases_of
from search_api.catalogue.related.relations import are_versions, doi_stem, order_of, version_key


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
