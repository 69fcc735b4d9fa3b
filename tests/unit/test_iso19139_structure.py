"""Documents in the namespace of ISO 19139 that break its schema: the structure of ISO 19115-3, the wrong parent."""

# ruff: noqa: E501  # documents stand as they are written

from __future__ import annotations

from core.geo import BBox
from core.record import Contact, Record
from core.timespan import TimeSpan
from indexer.formats.iso.structure import NAMES_OF_19115_3, STRUCTURE_REPAIRED
from indexer.formats.registry import read
from indexer.raw import RawRecord
from tests.unit import iso19139_document as iso
from tests.unit import second_formats
from tests.unit.format_documents import DOCUMENTS

PERSON = "<gmd:CI_Individual>{}</gmd:CI_Individual>"
ORGANISATION = "<gmd:CI_Organisation>{}</gmd:CI_Organisation>"
RESPONSIBILITY = "<gmd:CI_Responsibility>{}</gmd:CI_Responsibility>"
IDENTIFIER = "<gmd:MD_Identifier>{}</gmd:MD_Identifier>"


def _role(value: str) -> str:
    return f"<gmd:role><gmd:CI_RoleCode>{value}</gmd:CI_RoleCode></gmd:role>"


def _party(inner: str, role: str = "") -> str:
    return f"<gmd:party>{inner}{role}</gmd:party>"


def _read(identification: str, rest: str) -> Record:
    document = (
        f"<gmd:MD_Metadata {iso.NAMESPACES}><gmd:identificationInfo><gmd:MD_DataIdentification>{identification}"
        f"</gmd:MD_DataIdentification></gmd:identificationInfo>{rest}</gmd:MD_Metadata>"
    )
    return read(RawRecord("file.xml", document.encode(), "file.xml"), "test")


def test_the_structure_of_19115_3_in_the_namespace_of_19139():
    email = (
        f"<gmd:address><gmd:CI_Address>{iso.text('electronicMailAddress', 'a@b.org')}</gmd:CI_Address></gmd:address>"
    )
    point = RESPONSIBILITY.format(
        _party(
            PERSON.format(
                iso.text("name", "Ada")
                + f"<gmd:contactInfo><gmd:CI_Citation>{email}</gmd:CI_Citation></gmd:contactInfo>"
            )
            + ORGANISATION.format(iso.text("name", "College") + iso.text("name", "Repository"))
        )
        + _role("pointOfContact")
        + _party(PERSON.format(iso.text("name", "Bo")), _role("custodian"))
    )
    authors = "".join(RESPONSIBILITY.format(_party(PERSON.format(iso.text("name", name)))) for name in ("Cy", "Di"))
    dates = (
        "<gmd:CI_Date><gmd:date><gco:DateTime>2017-01-30</gco:DateTime></gmd:date></gmd:CI_Date>"
        "<gmd:CI_Date><gmd:CI_DateTypeCode>publication</gmd:CI_DateTypeCode></gmd:CI_Date>"
    )
    citation = iso.citation(
        iso.text("title", "Exit poll")
        + f"<gmd:citeResponsibleParty>{authors}{RESPONSIBILITY.format(_role('author'))}</gmd:citeResponsibleParty>"
        + f"<gmd:date>{dates}</gmd:date>"
    )
    keywords = "".join(f"<gmd:MD_Keywords>{iso.text('keyword', word)}</gmd:MD_Keywords>" for word in ("polls", "votes"))
    boxes = iso.box(1, 2, 3, 4).replace("</gmd:geographicElement>", "") + iso.box(5, 6, 7, 8).replace(
        "<gmd:geographicElement>", ""
    )
    lineage = f"<gmd:resourceLineage><gmd:LI_Lineage>{iso.text('statement', 'Counted.')}</gmd:LI_Lineage></gmd:resourceLineage>"
    parent = iso.citation(
        f"<gmd:identifier>{IDENTIFIER.format(iso.text('code', 'mother'))}</gmd:identifier>", "parentMetadata"
    )
    found = _read(
        f"{citation}<gmd:pointOfContact>{point}</gmd:pointOfContact>"
        f"<gmd:descriptiveKeywords>{keywords}</gmd:descriptiveKeywords>"
        f"<gmd:extent><gmd:EX_extent>{boxes}</gmd:EX_extent></gmd:extent>"
        "<gmd:defaultLocale><gmd:PT_Locale><gmd:defaultLocale><gco:LanguageCode>English</gco:LanguageCode>"
        "</gmd:defaultLocale></gmd:PT_Locale></gmd:defaultLocale>",
        f"<gmd:metadataIdentifier>{IDENTIFIER.format(iso.text('codeSpace', 'poll-1'))}</gmd:metadataIdentifier>{parent}"
        f"<gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:scope>{lineage}</gmd:scope></gmd:DQ_DataQuality></gmd:dataQualityInfo>",
    )
    assert (found.identifier, found.parent, found.languages) == ("poll-1", "mother", ("en",))
    assert found.contacts == (
        Contact("Cy", None, "author"),
        Contact("Di", None, "author"),
        Contact("Ada", "College", "pointOfContact", "a@b.org"),
        Contact(None, "Repository", "pointOfContact"),
        Contact("Bo", None, "custodian"),
    )
    assert found.dates.published == "2017-01-30"
    assert [keyword.term for keyword in found.keywords] == ["polls", "votes"]
    assert found.extents == (BBox(1, 2, 3, 4), BBox(5, 6, 7, 8))
    assert found.provenance.lineage == "Counted."
    assert found.warnings == (NAMES_OF_19115_3, STRUCTURE_REPAIRED)


def test_elements_inside_a_neighbour_of_their_parent_are_read():
    online = "<gmd:onLine><gmd:CI_OnlineResource><gmd:linkage><gmd:URL>https://a.org/x.nc</gmd:URL></gmd:linkage></gmd:CI_OnlineResource></gmd:onLine>"
    transfer = f"<gmd:transferOptions><gmd:MD_DigitalTransferOptions>{online}</gmd:MD_DigitalTransferOptions></gmd:transferOptions>"
    rest = (
        "<gmd:distributionInfo><gmd:MD_Distribution><gmd:distributionFormat><gmd:MD_Format>"
        f"{iso.text('name', 'NetCDF')}{transfer}</gmd:MD_Format></gmd:distributionFormat></gmd:MD_Distribution></gmd:distributionInfo>"
    )
    begin_end = iso.begin_end("1990", "1991")
    nested = iso.box(1, 2, 3, 4).replace("</gmd:geographicElement>", f"{begin_end}</gmd:geographicElement>")
    alone = iso.geographic(begin_end.replace("1990", "2000").replace("1991", "2001"))
    found = _read(iso.citation(iso.text("title", "Rain")) + iso.extent(nested) + iso.extent(alone), rest)
    assert ([link.href for link in found.links], found.formats) == (["https://a.org/x.nc"], ("NetCDF",))
    assert found.extents == (BBox(1, 2, 3, 4),)
    assert found.times == (TimeSpan.from_iso("1990", "1991"), TimeSpan.from_iso("2000", "2001"))
    assert STRUCTURE_REPAIRED in found.warnings


def test_a_document_that_keeps_its_schema_is_not_touched():
    for name in ("iso19139", "iso19115-3"):
        found = read(RawRecord("x", DOCUMENTS[name], "x"), "test")
        assert not [warning for warning in found.warnings if warning.startswith("structure")], name


def test_the_real_export_of_a_national_repository():
    exported = {
        name: data for name, data in second_formats.of("OpenGeoMetadata+ca.frdr").items() if name.endswith(".xml")
    }
    assert len(exported) == 10
    for name, content in exported.items():
        (found,) = second_formats.records(content, name)
        assert found.identifier != name, name
        assert found.parent, name
        assert (found.parent or "").lower() == found.doi, name
        assert found.dates.published, name
        assert len(found.extents) == content.count(b"<gmd:EX_GeographicBoundingBox>"), name  # 44 in one of them
        assert bool(found.provenance.lineage) == (b"LI_Lineage" in content), name
        terms = {keyword.term for keyword in found.keywords}
        assert content.count(b"<gmd:keyword>") <= len(terms) + 3, name  # a few are given twice
        people = {contact.name or contact.organisation for contact in found.contacts}
        assert len(people) >= 3, name
        assert {"author", "pointOfContact"} <= {contact.role for contact in found.contacts}, name
