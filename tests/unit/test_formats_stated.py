"""What a document states is found by the paths of its own format, whatever its syntax."""

from __future__ import annotations

import json

import pytest

from indexer.formats.recognition import FORMATS
from indexer.formats.registry import read, stated_fields
from indexer.formats.stated_fields import FIELDS, stated_in
from indexer.formats.survey import survey_of
from indexer.raw import RawPage, RawRecord, RecordRefused
from indexer.sources.folder import FolderSource
from tests.shared_data import shared_data
from tests.unit.format_documents import DOCUMENTS, VARIANTS

_TURTLE = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
# dct:temporal is only named in this comment: 1990
<https://x.example.org/a> a dcat:Dataset ; dct:identifier "a" %s .
"""
_SUBSTITUTED = {"title": "title: none given", "abstract": "abstract: none given"}


def _raw(content: bytes) -> RawRecord:
    return RawRecord("a", content, "/x/a")


def _stated(content: bytes) -> frozenset[str] | None:
    return stated_fields(_raw(content))


@pytest.mark.parametrize(
    "content",
    [*DOCUMENTS.values(), *VARIANTS.values()],
    ids=[*DOCUMENTS, *(f"{name}, another" for name in VARIANTS)],
)
def test_a_full_document_states_all_that_a_survey_counts(content: bytes) -> None:
    wordless = {"times"} if content == DOCUMENTS["arcgis"] else set()  # an item has no word for a period
    assert _stated(content) == frozenset(FIELDS) - wordless


def test_every_format_says_where_it_states_them() -> None:
    assert not [name for name, format in FORMATS.items() if format.resource is None]
    assert not [name for name in FORMATS if stated_in(name, {}) is None]


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        (_TURTLE % "", set()),
        (_TURTLE % '; dct:title "Ice"@de ; dct:description "n/a"', {"title"}),
        (_TURTLE % '; dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "1990-01-01" ]', {"times"}),
        (_TURTLE % "; dct:spatial <http://sws.geonames.org/6361390/>", set()),
        (_TURTLE % '; dct:spatial [ dcat:bbox "POLYGON((1 2, 3 2, 3 4, 1 4, 1 2))" ]', {"extents"}),
        (json.dumps({"@type": "dcat:Dataset", "title": "Ice", "spatial": "-10,40,5,50"}), {"title", "extents"}),
        (json.dumps({"@type": "dcat:Dataset", "title": "Ice", "spatial": "Alaska"}), {"title"}),
        (json.dumps({"@type": "dcat:Dataset", "title": "Ice", "temporal": "1990/2000"}), {"title", "times"}),
        (
            json.dumps({"@context": "https://schema.org/", "@type": "Dataset", "name": "Ice", "description": "Cold."}),
            {"title", "abstract"},
        ),
        (
            json.dumps({"@context": "https://schema.org/", "@type": "Dataset", "temporalCoverage": "Jurassic"}),
            {"times"},
        ),
        (
            '<html><head><script type="application/ld+json">{"@context": "https://schema.org/", "@type": "Dataset", '
            '"name": "Ice", "spatialCoverage": {"@type": "Place", "geo": {"@type": "GeoShape", "box": "1 2 3 4"}}}'
            "</script></head></html>",
            {"title", "extents"},
        ),
    ],
)
def test_linked_data_state_by_their_own_names(content: str, stated: set[str]) -> None:
    assert set(_stated(content.encode()) or ()) == stated


def test_a_value_that_the_reader_drops_is_stated_and_not_given() -> None:
    content = DOCUMENTS["fgdc"].replace(b"<begdate>19900101", b"<begdate>201900405")
    assert content != DOCUMENTS["fgdc"]
    found = survey_of([RawPage((_raw(content),))])
    (missed,) = found.missed_fields
    assert (missed.format, missed.name) == ("fgdc", "times")
    assert missed.reasons == ("time: period left out: '201900405' is not a date",)
    assert (found.stated_counts["fgdc", "times"], found.read_counts["fgdc", "times"]) == (1, 0)


def test_what_a_record_gives_was_stated() -> None:
    """Else the paths of its format are incomplete."""
    unstated = []
    for page in FolderSource(shared_data("catalogues", "format_fixtures.tar.gz")).pages():
        for raw in page.records:
            try:
                record = read(raw, "s")
            except RecordRefused:
                continue
            given = {name for name in FIELDS if getattr(record, name)}
            for name, warning in _SUBSTITUTED.items():
                if any(text.startswith(warning) for text in record.warnings):
                    given.discard(name)
            unstated += [(raw.origin, name) for name in given - (stated_fields(raw) or frozenset())]
    assert not unstated
