"""Values at the edge of what a request may hold: refused with a reason, or read; never a defect."""

from __future__ import annotations

from datetime import date

import pytest
from flask import Flask
from prometheus_client import generate_latest
from pydantic import ValidationError

from core.errors import InvalidInput
from core.geo import BBox
from core.record import Record
from search_api.catalogue.listing_facets import facet_requests
from search_api.formats_out.bibliography import Citation, bibtex
from search_api.formats_out.formats import atom
from search_api.formats_out.notations import ResultPage
from search_api.http.responses import Addresses
from search_api.http.telemetry import watch
from search_api.library.references import read_references
from search_api.protocols.csw.constraint import clause_for
from search_api.protocols.csw.filter_xml import CswError
from search_api.protocols.csw.request import of_pairs, read_xml
from search_api.stewards.insight_view import SliceParameters


@pytest.mark.parametrize(("query", "sent"), [("q=日本", "q=%E6%97%A5%E6%9C%AC"), ("q=%22a?", "q=%22a?"), ("", "")])
def test_the_address_of_an_answer_can_stand_in_a_header(query: str, sent: str) -> None:
    raw = query.encode().decode("latin-1")  # as curl and WSGI hand it over
    with Flask("addresses").test_request_context("/search", environ_overrides={"QUERY_STRING": raw}):
        this = Addresses("https://sonde.example").this()
    assert this == f"https://sonde.example/search{'?' if sent else ''}{sent}"


def test_no_invented_method_becomes_a_metric() -> None:
    app = Flask("watched")
    watch(app)
    assert app.test_client().open("/none", method="ABRACADABRA").status_code == 404
    assert b'endpoint="unknown",method="unknown",status="404"' in generate_latest()
    assert b"ABRACADABRA" not in generate_latest()


@pytest.mark.parametrize("buckets", ["101", "0", "0000011000"])
def test_no_zeros_lift_the_limit_of_a_facet(buckets: str) -> None:
    with pytest.raises(InvalidInput, match="can have 1 to 100"):
        facet_requests([f"type:{buckets}"], is_first_page=True)


def test_a_position_of_thousands_of_digits_is_no_position() -> None:
    with pytest.raises(CswError, match="startPosition"):
        of_pairs([("service", "CSW"), ("request", "GetRecords"), ("startPosition", "0" * 5000)])


def test_an_instruction_in_a_filter_is_no_condition() -> None:
    constraint = read_xml(b'<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc"><?a b?></ogc:Filter>')
    with pytest.raises(CswError, match="holds one condition"):
        clause_for(constraint, True)


def test_the_last_day_of_all_has_no_day_after_it() -> None:
    assert SliceParameters(until=date(9999, 12, 30)).slice().before == "9999-12-31"
    with pytest.raises(ValidationError):
        SliceParameters(until=date.max)


def test_an_author_that_is_a_number_is_left_out() -> None:
    (read,) = read_references('[{"title": "Peat", "author": 5}]').references
    assert (read.title, read.authors) == ("Peat", ())


def test_ids_that_bibtex_takes_for_one_are_two_entries() -> None:
    keys = ("portal_A", "portal_a", "portal_a")
    text = bibtex([Citation(key, "dataset", f"Title {number}", "http://h") for number, key in enumerate(keys)])
    assert [line for line in text.splitlines() if line.startswith("@")] == [
        "@misc{portal_A,", "@misc{portal_a_,", "@misc{portal_a__,",
    ]  # fmt: skip


def test_a_feed_places_a_record_as_exactly_as_the_record_does() -> None:
    record = Record("a:x", "a", "x", "Rain", extents=(BBox(-93.123456, 45.123456, -93.023456, 45.223456),))
    text = atom(ResultPage("Rain", "http://h/feed", 1, [(record, "http://h/x")]))
    assert "45.123456 -93.123456 45.223456 -93.023456" in text
