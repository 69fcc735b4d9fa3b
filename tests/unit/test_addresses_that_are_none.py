"""A link that is no address, as metadata with a template have it, hides nothing else of its record."""

from __future__ import annotations

import pytest

from core.errors import Unavailable
from core.record import DATA_OF_SERVICE, Link, Record
from net.errors import Refused
from search_api.catalogue.fair.indicators import Subject, judge_all
from search_api.catalogue.granules.searches import granule_search
from search_api.catalogue.item_formats import forms_of
from search_api.catalogue.pictures.reader import PictureReader
from search_api.catalogue.previews import picture_addresses
from search_api.catalogue.related.relations import _queries as related_queries
from search_api.catalogue.view import article
from search_api.formats_out.formats import record_formats

_TEMPLATE = "http://[server]/data/collections/x/items"


def _record(href: str = _TEMPLATE, rel: str | None = "download", kind: str = "dataset") -> Record:
    return Record("a:x", "a", "x", "Rain", type=kind, links=(Link(href, rel, description=DATA_OF_SERVICE),))


def test_the_record_has_its_other_formats() -> None:
    forms = forms_of(_record())
    assert "dcat" in forms
    assert "croissant" not in forms
    for writer in record_formats().values():
        if writer.record is not None and writer.offered(_record()):
            assert writer.record(_record(), "https://sonde.example/x")


def test_its_page_judgement_and_neighbours_are_made() -> None:
    assert "<a href" not in article(_record()).partition('class="links"')[2]
    assert judge_all(Subject(_record()))
    assert picture_addresses(_record(rel="preview")) == ()
    assert granule_search(_record(), {}) is None
    assert ("data", None) in related_queries(_record(kind="service"))


def test_a_picture_of_it_cannot_be_drawn() -> None:
    class RefusingGate:
        def request(self, outgoing: object) -> object:
            raise Refused(f"{outgoing} is not a URL")

    with pytest.raises(Unavailable):
        PictureReader(lambda: RefusingGate()).draw(_record("http://[server]/wms?layers=a"), None)  # type: ignore[arg-type,return-value]
