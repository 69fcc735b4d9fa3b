"""What we write is read again: every field that a form can hold, and for every other the reason."""

# ruff: noqa: E501  # tables stand as they are written

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import orjson
import pytest

from core.geo import BBox
from core.names import Names, Variable
from core.record import Contact, Dates, Keyword, Link, Provenance, Record, Resolution, Vertical
from core.timespan import TimeSpan
from indexer.formats.registry import read
from indexer.raw import RawRecord, RecordRefused
from indexer.sources.folder import FolderSource
from search_api.formats_out import stac
from tests.unit import second_formats
from tests.unit.format_documents import DOCUMENTS
from tests.unit.round_trip import FORMS, again, lost

_SAMPLES = Path(__file__).parents[2] / "samples"
_KINDS = "no form has a place for the kind of provenance; it is read from keywords again, where they say it"

# Field -> why a form cannot hold it, or not in every case. Whatever is not here has to come in again.
CANNOT: dict[str, dict[str, str]] = {
    "iso19139": {
        "link relations": "CI_OnLineFunctionCode only knows download, information, offline access, order and search",
        "type": "MD_ScopeCode has no map, no collection and no document",
        "kind": _KINDS,
        "time step": "a timeInterval has one number and one unit, and stands in a period",
        "attributed_to": "made of the contacts",
    },
    "dcat": {
        "units": "DCAT has no variables, and a subject has no unit",
        "standard names": "a subject has one name",
        "short names": "an alternative title is a short name only if it looks like one",
        "vertical": "DCAT has no heights",
        "date metadata": "belongs to a CatalogRecord, which harvesters take for a second data set",
        "link relations": "outside distributions there are landing pages and pages",
        "link names": "a landing page is an address",
        "link descriptions": "a page is an address with a title",
        "link protocols": "DCAT names media types, not protocols",
        "vocabularies": "two keywords with one URI are one concept",
        "keyword URIs": "two keywords with one URI are one concept",
        "kind": _KINDS,
        "attributed_to": "made of the contacts",
    },
    "schema.org": {
        "platforms": "a Dataset has measured variables and techniques, but nothing that carried the instrument",
        "projects": "a funder or a producer is no project",
        "processing level": "schema.org has none",
        "short names": "an alternate name is a short name only if it looks like one and was a title before",
        "identifier": "a data set with a DOI is called by it",
        "parent": "a parent with a DOI is called by it",
        "type": "schema.org has no series and no model",
        "vertical": "schema.org has no heights of places under the sea",
        "scale": "schema.org has no scale of maps",
        "link relations": "what is no download and no preview is a page about the data set",
        "link names": "the DOI is an address only (sameAs)",
        "link descriptions": "the DOI is an address only (sameAs)",
        "link protocols": "schema.org names media types, not protocols",
        "constraints": "the word restricted alone is the access",
        "times": "years before 0000 and after 9999 are no ISO 8601 of four digits",
        "kind": _KINDS,
        "attributed_to": "made of the contacts",
    },
    "oai_dc": dict.fromkeys(
        (
            "contact roles", "contacts", "e-mails", "attributed_to", "vocabularies", "keyword URIs", "themes", "lineage",
            "generated_by", "parent", "metres", "scale", "time step", "vertical", "geometry", "link relations",
            "link names", "link descriptions", "link protocols", "date created", "date modified", "date metadata",
            "date published", "identifier", "kind", "links", "short names", "platforms", "instruments", "projects",
            "variables", "standard names", "units", "processing level", "edition",
        ),
        "simple Dublin Core has fifteen elements of plain text: one name, one date, one relation without a kind",
    ),
}  # fmt: skip

FULL = Record(
    id="s:rain", source="s", identifier="rain", title="Rain gauges", abstract="Daily sums.",
    alternate_titles=("Gauges",), languages=("en", "fr"),
    keywords=(Keyword("rain"), Keyword("Alps, Austria", "places"), Keyword("rainfall", "GEMET", "https://a.org/rainfall")),
    themes=("climatologyMeteorologyAtmosphere",),
    contacts=(Contact("Ada", "College", "author", "ada@a.org"), Contact("Bo", None, "principalInvestigator"),
              Contact(None, "Office", "publisher"), Contact(None, "Archive", "custodian", "help@a.org"),
              Contact("Cy", "Office", "processor"), Contact("Di", "Desk", "pointOfContact", "di@a.org")),
    extents=(BBox(7.123456, 46.1, 8.654321, 47), BBox(177, -21, -172, -12), BBox(10, 50, 10, 50)),
    geometry={"type": "Polygon", "coordinates": [[[7.123456, 46.1], [8.654321, 46.1], [8, 47], [7.123456, 46.1]]]},
    vertical=Vertical(-12.5, 300.0, "m"), times=(TimeSpan.from_iso("1990", "1999"), TimeSpan.from_iso("2010", None)),
    resolution=Resolution(27829.873, 50_000, "PT6H"),
    provenance=Provenance("Checked by hand.", derived_from=("Paper sheets", "https://a.org/raw"), generated_by=("Sorted.",)),
    licence="OGL-Canada-2.0", constraints=("Cite us.",), access="restricted",
    links=(Link("https://a.org/rain.nc", "download", None, "application/x-netcdf", "Data", "All of it"),
           Link("https://a.org/rain", "about"), Link("https://a.org/paper", "describedby", name="Paper"),
           Link("https://a.org/rain.png", "preview", media_type="image/png")),
    dates=Dates("2019-01-01", "2020-03-01", "2021-05-01", "2022-01-01"), formats=("NetCDF", "CSV"), parent="mother",
    names=Names(("RAIN_L3",), ("Aqua", "Terra"), ("MODIS", "Rain gauge"),
                (Variable("rain", "rainfall_rate", "mm h-1"), Variable("Wind speed", None, "m s-1"), Variable("humidity")),
                ("TOGA COARE",), "L3"),
    edition="2.1",
)  # fmt: skip


@cache
def _records() -> list[Record]:
    documents = [RawRecord(name, content, name) for name, content in DOCUMENTS.items()]
    samples = [
        raw for page in FolderSource(_SAMPLES).pages() for raw in page.records if not raw.origin.endswith(".pdf")
    ]
    return [FULL, *(read(raw, "test") for raw in [*documents, *samples])]


@cache
def _lost(form: str) -> list[tuple[str, dict[str, Any]]]:
    return [(record.title, lost(record, form)) for record in _records()]


@pytest.mark.parametrize("form", FORMS)
def test_what_a_form_can_hold_comes_in_again(form):
    for title, fields in _lost(form):
        assert {name: values for name, values in fields.items() if name not in CANNOT[form]} == {}, title


@pytest.mark.parametrize("form", ["iso19139", "dcat", "schema.org"])
def test_nothing_of_a_full_record_is_lost_but_what_the_form_cannot_hold(form):
    expected = {
        "iso19139": {"link relations"},
        "dcat": {"vertical", "date metadata", "link relations", "units", "standard names"},
        "schema.org": {
            "vertical",
            "scale",
            "link relations",
            "short names",
            "platforms",
            "projects",
            "processing level",
        },
    }
    assert lost(FULL, form).keys() <= expected[form]


@pytest.mark.parametrize("form", FORMS)
def test_every_reason_is_needed_by_some_record(form):
    """A form that learns to hold a field has to lose its excuse: at least the full record or a document shows it."""
    seen = {name for _, fields in _lost(form) for name in fields}
    rare = {"times", "attributed_to", "vocabularies", "keyword URIs", "constraints", "parent", "identifier", "time step",
            "links", "link descriptions", "link protocols", "link names", "date published", "kind", "type"}  # fmt: skip
    assert CANNOT[form].keys() - seen <= rare


def test_iso_gives_the_very_same_names():
    found = again(FULL, "iso19139")
    assert (found.names, found.edition) == (FULL.names, FULL.edition)


def test_a_name_that_a_keyword_says_is_not_written_twice():
    keywords = (
        Keyword("Aqua", "GCMD Platforms"),
        Keyword("EARTH SCIENCE > ATMOSPHERE > RAIN", "GCMD Science Keywords"),
    )
    names = Names(platforms=("AQUA",), variables=(Variable("RAIN"),))
    for form in ("iso19139", "dcat"):
        found = again(replace(FULL, keywords=keywords, names=names), form)
        assert [one.casefold() for one in found.names.platforms] == ["aqua"]
        assert [one for one in found.keywords if one.term.casefold() in ("aqua", "rain")] == [keywords[0]], form


def test_an_item_of_stac_has_its_names_again():
    record = replace(FULL, names=replace(FULL.names, platforms=("Aqua",)))
    found = read(RawRecord("rain", orjson.dumps(stac.item(record, None, [])), "again"), "s").names
    assert (found.platforms, found.instruments, found.processing_level) == (("Aqua",), FULL.names.instruments, "L3")
    assert found.variables == (
        Variable("rainfall_rate", "rainfall_rate", "mm h-1"), Variable("Wind speed", None, "m s-1"), Variable("humidity"),
    )  # fmt: skip


def test_the_polygon_comes_in_again_corner_by_corner():
    for form in ("iso19139", "dcat", "schema.org"):
        found = again(FULL, form).geometry
        assert found is not None
        assert {tuple(corner) for corner in found["coordinates"][0]} == {(7.123456, 46.1), (8.654321, 46.1), (8, 47)}, (
            form
        )


def test_real_records_of_other_catalogues_come_in_again():
    names = ("wmo-im+wcmp2", "aodn+es-indexer", "OpenGeoMetadata+ca.frdr")
    for name in [name for name in second_formats.files() if name.startswith(names)][:40:3]:
        try:
            found = second_formats.records(second_formats.files()[name], name)
        except RecordRefused:
            continue
        for record in found:
            for form in FORMS:
                missing = {field: values for field, values in lost(record, form).items() if field not in CANNOT[form]}
                assert missing == {}, (name, form)
