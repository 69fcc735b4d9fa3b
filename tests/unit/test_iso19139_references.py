"""ISO records in their own language, the data of a service, and parties that are only referred to."""

from __future__ import annotations

import pytest

from core.record import Record
from indexer.formats.registry import read
from indexer.raw import RawRecord
from search_api.formats_out import dcat, iso19139
from tests.shared_data import shared_data
from tests.unit.iso19139_document import code, record, text

SPOKEN = ("eng", "fre", "ger")
TITLES = {"eng": "Boreholes of the valley", "fre": "Sondages de la vallée", "ger": "Bohrungen im Tal"}


def _case(*names: str) -> Record:
    path = shared_data("cases", *names)
    return read(RawRecord(path.name, path.read_bytes(), str(path)), "s")


def _translated(name: str, order: tuple[str, ...], locales: dict[str, str]) -> str:
    strings = "".join(
        f'<gmd:textGroup><gmd:LocalisedCharacterString locale="#{locales[one]}">{name} {TITLES[one]}'
        "</gmd:LocalisedCharacterString></gmd:textGroup>"
        for one in order
    )
    return f"<gmd:{name}><gmd:PT_FreeText>{strings}</gmd:PT_FreeText></gmd:{name}>"


def _locale(id: str, spoken: str) -> str:
    inner = code("languageCode", "LanguageCode", spoken)
    return f'<gmd:locale><gmd:PT_Locale id="{id}">{inner}</gmd:PT_Locale></gmd:locale>'


@pytest.mark.parametrize("own", SPOKEN)
@pytest.mark.parametrize("order", [SPOKEN, SPOKEN[::-1]])
@pytest.mark.parametrize("locales", [{"eng": "EN", "fre": "FR", "ger": "DE"}, {one: f"locale-{one}" for one in SPOKEN}])
def test_texts_that_exist_only_as_translations_are_in_the_language_of_the_record(
    own: str, order: tuple[str, ...], locales: dict[str, str]
) -> None:
    metadata = code("language", "LanguageCode", own) + "".join(_locale(locales[one], one) for one in SPOKEN)
    found = record(
        _translated("abstract", order, locales),
        metadata,
        title=None,
        abstract=None,
        cited=_translated("title", order, locales),
    )
    assert (found.title, found.abstract) == (f"title {TITLES[own]}", f"abstract {TITLES[own]}")
    assert set(found.alternate_titles) == {f"title {TITLES[one]}" for one in SPOKEN if one != own}
    assert not any("title" in warning for warning in found.warnings)


def test_the_reported_records_in_french_slovene_and_german() -> None:
    found = _case("03-iso-freetext-only", "only-freetext.xml")
    assert (found.title, found.abstract) == ("Sondages de la haute vallée", "Profondeur et roche de 312 sondages.")
    assert set(found.alternate_titles) == {"Boreholes of the upper valley", "Bohrungen im oberen Tal"}
    assert _case("03-iso-freetext-only", "empty-main.xml").title == "Vrtine v dolini"
    assert _case("03-iso-freetext-only", "main-twice.xml").title == "Gefahrenkarte Wasser"


def test_a_service_is_linked_with_its_data() -> None:
    found = _case("07-iso-service-coupled", "a.xml")
    assert found.type == "service"
    links = {link.href: link for link in found.links}
    assert links["https://geo.example.org/wfs?service=WFS&request=GetCapabilities"].rel == "service"
    coupled = links["https://cat.example.org/csw?service=CSW&request=GetRecordById&id=ds-77"]
    assert (coupled.rel, coupled.name) == ("related", "ds-77")
    assert found.served_data == (coupled,)
    address = "https://s.example.org/records/x"
    for write in (iso19139.FORMAT.record, dcat.TURTLE.record):
        assert write is not None
        again = read(RawRecord("again", write(found, address).encode(), "/again"), "s")
        assert [link.href for link in again.served_data] == [coupled.href]
    alone = record('<srv:operatesOn uuidref="ds-78"/>', kind="srv:SV_ServiceIdentification")
    assert "links: the data of the service has no web address: 'ds-78'" in alone.warnings or any(
        "ds-78" in warning for warning in alone.warnings
    )


@pytest.mark.parametrize(
    "reference",
    [
        'uuidref="A1B2C3D4-0000-4000-8000-00000000ABCD"',
        'uuidref="{a1b2c3d4-0000-4000-8000-00000000abcd}"',
        'xlink:href="urn:uuid:a1b2c3d4-0000-4000-8000-00000000abcd"',
    ],
    ids=["plain", "in braces", "as a URN"],
)
def test_a_service_may_name_its_data_by_uuid_alone(reference: str) -> None:
    found = record(f"<srv:operatesOn {reference}/>", kind="srv:SV_ServiceIdentification")
    assert [link.href for link in found.served_data] == ["urn:uuid:a1b2c3d4-0000-4000-8000-00000000abcd"]
    assert not any("no web address" in warning for warning in found.warnings)
    again = RawRecord("again", iso19139.FORMAT.record(found, "https://s.example.org/x").encode(), "/again")  # type: ignore[misc]
    assert [link.href for link in read(again, "s").served_data] == [link.href for link in found.served_data]


def test_a_party_that_is_only_a_link_is_said_and_has_at_most_its_title() -> None:
    found = _case("06-iso-xlink-only", "a.xml")
    assert [(one.name, one.organisation) for one in found.contacts] == [(None, "Water office")]
    assert sum("a party is only a link" in warning for warning in found.warnings) == 2
    assert any("https://cat.example.org/entries/78" in warning for warning in found.warnings)


def test_a_party_written_elsewhere_in_the_document_is_read() -> None:
    party = f'<gmd:CI_ResponsibleParty id="p1">{text("organisationName", "Water office")}</gmd:CI_ResponsibleParty>'
    metadata = f"<gmd:contact>{party}</gmd:contact>"
    found = record('<gmd:pointOfContact xlink:href="#p1"/>', metadata)
    assert [one.organisation for one in found.contacts] == ["Water office"]
    assert not found.warnings
    lost = record('<gmd:pointOfContact xlink:href="#nobody"/>')
    assert any("a party is only a link" in warning for warning in lost.warnings)


def test_a_document_that_refers_to_itself_is_read() -> None:
    inner = '<gmd:CI_ResponsibleParty id="a"><gmd:contactInfo xlink:href="#a"/></gmd:CI_ResponsibleParty>'
    assert record(f"<gmd:pointOfContact>{inner}</gmd:pointOfContact>").title
