"""What ISO 19115-3 keeps elsewhere than ISO 19139: parties, acquisition, dates of the metadata, parents."""

from __future__ import annotations

from core.record import Contact, Keyword, Record
from indexer.formats.registry import read
from indexer.raw import RawRecord
from tests.unit.format_documents import DOCUMENTS

ACQUISITION = b"""<mdb:acquisitionInformation xmlns:mac="http://standards.iso.org/iso/19115/-3/mac/2.0"><mac:MI_AcquisitionInformation>
<mac:platform><mac:MI_Platform><mac:identifier><mcc:MD_Identifier><mcc:code><gco:CharacterString>Sentinel-2A</gco:CharacterString>
</mcc:code></mcc:MD_Identifier></mac:identifier><mac:instrument><mac:MI_Instrument><mac:identifier><mcc:MD_Identifier><mcc:code>
<gco:CharacterString>MSI</gco:CharacterString></mcc:code></mcc:MD_Identifier></mac:identifier></mac:MI_Instrument></mac:instrument>
</mac:MI_Platform></mac:platform></mac:MI_AcquisitionInformation></mdb:acquisitionInformation></mdb:MD_Metadata>"""


def _record(content: bytes) -> Record:
    return read(RawRecord("x", content, "/x"), "test")


def test_each_party_of_a_responsibility_is_a_contact():
    contacts = _record(DOCUMENTS["iso19115-3"]).contacts
    assert contacts == (
        Contact(name="Thandi Nkosi", role="author"),
        Contact(organisation="Weather Office", role="author"),
    )


def test_platforms_and_instruments_are_keywords():
    record = _record(DOCUMENTS["iso19115-3"].replace(b"</mdb:MD_Metadata>", ACQUISITION))
    assert {Keyword("Sentinel-2A", "platform"), Keyword("MSI", "instrument")} <= set(record.keywords)


def test_the_first_edition_reads_the_same():
    old = DOCUMENTS["iso19115-3"].replace(b"/mdb/2.0", b"/mdb/1.0").replace(b"/cit/2.0", b"/cit/1.0")
    assert _record(old) == _record(DOCUMENTS["iso19115-3"])


def test_the_last_revision_is_the_date_of_the_metadata():
    assert _record(DOCUMENTS["iso19115-3"]).dates.metadata == "2021-01-01"
