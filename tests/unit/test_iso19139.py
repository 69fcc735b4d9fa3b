"""ISO 19139 to Record, field by field, on documents written here."""

from __future__ import annotations

import pytest
from iso19139_document import citation, code, document, extent, geographic, read_bytes, record, text

from core.record import Contact, Dates, Keyword, Link
from indexer.formats.registry import reader_tag
from indexer.raw import RawRecord, RecordRefused


def test_a_plain_record():
    found = record()
    assert (found.id, found.source, found.identifier) == ("test:za.rain.1", "test", "za.rain.1")
    assert (found.title, found.abstract, found.native_format) == (
        "Rain gauges of the Limpopo",
        "Daily sums.",
        "iso19139",
    )
    assert (found.extents, found.times, found.geometry, found.vertical) == ((), (), None, None)
    assert (found.access, found.licence, found.type, found.warnings) == ("open", None, "dataset", ())


def test_imagery_metadata_of_part_2():
    found = record(
        metadata="<gmi:acquisitionInformation><gmi:MI_AcquisitionInformation><gmi:platform><gmi:MI_Platform>"
        f"<gmi:identifier><gmd:MD_Identifier>{text('code', 'Terra')}</gmd:MD_Identifier></gmi:identifier>"
        "<gmi:instrument><gmi:MI_Instrument><gmi:identifier><gmd:MD_Identifier>"
        f"{text('code', 'MODIS')}</gmd:MD_Identifier></gmi:identifier></gmi:MI_Instrument></gmi:instrument>"
        "</gmi:MI_Platform></gmi:platform></gmi:MI_AcquisitionInformation></gmi:acquisitionInformation>",
        root="gmi:MI_Metadata",
    )
    assert found.native_format == "iso19115-2"
    assert found.keywords == (Keyword("Terra", "platform"), Keyword("MODIS", "instrument"))


def test_a_national_profile_is_known_by_its_iso_type():
    content = (
        document()
        .replace(b"gmd:MD_Metadata", b"che:CHE_MD_Metadata")
        .replace(
            b" xmlns:gmd=", b' gco:isoType="gmd:MD_Metadata" xmlns:che="http://www.geocat.ch/2008/che" xmlns:gmd=', 1
        )
    )
    assert reader_tag(RawRecord("x", content, "/x")).startswith("iso19139/")
    assert read_bytes(content).title == "Rain gauges of the Limpopo"


def test_without_a_file_identifier_the_sources_name_stands_in():
    found = record(identifier=None)
    assert found.identifier == "folder/file.xml"
    assert found.id == "test:folder~2ffile.xml"  # '/' is hexadecimal 2f
    assert found.warnings == ("identifier: none given, the source's own name for the document is used",)


@pytest.mark.parametrize(
    ("parts", "title", "stand_in"),
    [
        ({"cited": text("alternateTitle", "LIMPOPO-RAIN")}, "LIMPOPO-RAIN", "alternate title"),
        ({}, "za.rain.1", "identifier"),
        ({"identifier": None}, "Daily sums.", "beginning of the abstract"),
    ],
)
def test_an_empty_title_is_stood_in_for(parts, title, stand_in):
    found = record(title=" ", **parts)
    assert found.title == title
    assert f"title: none given, the {stand_in} is used" in found.warnings


def test_neither_identifier_title_nor_abstract_is_refused():
    with pytest.raises(RecordRefused, match="neither identifier, title nor abstract"):
        record(title=None, abstract=None, identifier=None)


def test_white_space_and_html_become_plain_paragraphs():
    found = record(
        title="  Rain\n   gauges\u200b ",
        abstract="&lt;p&gt;Daily &lt;b&gt;sums&lt;/b&gt; &amp;amp; means, T &lt; 5 K.&lt;/p&gt;"
        "&lt;ul&gt;&lt;li&gt;one&lt;/li&gt;&lt;/ul&gt;",
    )
    assert found.title == "Rain gauges"
    assert found.abstract == "Daily sums & means, T < 5 K.\n\none"


def test_an_empty_line_parts_paragraphs_and_a_single_break_does_not():
    assert record(abstract="One\nline.\n\n  Two.").abstract == "One line.\n\nTwo."


def test_the_purpose_stands_in_for_a_missing_abstract():
    found = record(text("purpose", "Water planning."), abstract="none")
    assert found.abstract == "Water planning."
    assert "abstract: none given, the purpose is used" in found.warnings


def test_titles_in_other_languages_become_alternate_titles():
    translated = (
        '<gmd:title xsi:type="gmd:PT_FreeText_PropertyType"><gco:CharacterString>Groundwater</gco:CharacterString>'
        "<gmd:PT_FreeText><gmd:textGroup>"
        '<gmd:LocalisedCharacterString locale="#DE">Grundwasser</gmd:LocalisedCharacterString></gmd:textGroup>'
        '<gmd:textGroup><gmd:LocalisedCharacterString locale="#FR">Eau souterraine</gmd:LocalisedCharacterString>'
        "</gmd:textGroup></gmd:PT_FreeText></gmd:title>"
    )
    found = record(title=None, cited=translated + text("alternateTitle", "GW-1"))
    assert found.title == "Groundwater"
    assert found.alternate_titles == ("GW-1", "Grundwasser", "Eau souterraine")


def test_a_text_that_is_only_translated_is_read_too():
    only = (
        '<gmd:title><gmd:PT_FreeText><gmd:textGroup><gmd:LocalisedCharacterString locale="#DE">Grundwasser'
        "</gmd:LocalisedCharacterString></gmd:textGroup></gmd:PT_FreeText></gmd:title>"
    )
    assert record(title=None, cited=only).title == "Grundwasser"


@pytest.mark.parametrize(
    ("written", "languages"),
    [
        ("<gco:CharacterString>eng; USA</gco:CharacterString>", ("en",)),
        ('<gmd:LanguageCode codeList="x" codeListValue="ger">Deutsch</gmd:LanguageCode>', ("de",)),
        ("<gco:CharacterString>French</gco:CharacterString>", ("fr",)),
        ("<gco:CharacterString>haw</gco:CharacterString>", ("haw",)),
        ("<gco:CharacterString>zxx</gco:CharacterString>", ()),
    ],
)
def test_languages_are_iso_639_1(written, languages):
    assert record(f"<gmd:language>{written}</gmd:language>").languages == languages


def test_the_language_of_the_metadata_stands_in():
    assert record(metadata=text("language", "spa")).languages == ("es",)


@pytest.mark.parametrize(
    ("level", "type_", "warned"),
    [
        ("series", "series", False),
        ("nonGeographicDataset", "nonGeographicDataset", False),
        ("Application", "software", False),
        ("fieldSession", "fieldSession", False),
        ("banana", "dataset", True),
    ],
)
def test_the_hierarchy_level_is_the_type(level, type_, warned):
    found = record(metadata=code("hierarchyLevel", "MD_ScopeCode", level))
    assert found.type == type_
    assert any(warning.startswith("type:") for warning in found.warnings) is warned


def test_a_registry_number_gives_way_to_the_word_beside_it():
    word = '<gmd:MD_ScopeCode codeListValue="RI_623">series; série</gmd:MD_ScopeCode>'
    level = f"<gmd:hierarchyLevel>{word}</gmd:hierarchyLevel>"
    assert record(metadata=level).type == "series"


def test_keywords_keep_vocabulary_and_address():
    group = (
        "<gmd:descriptiveKeywords><gmd:MD_Keywords>"
        '<gmd:keyword><gmx:Anchor xlink:href="http://vocab.example/rain">rainfall</gmx:Anchor></gmd:keyword>'
        f"{text('keyword', 'runoff')}{text('keyword', 'Rainfall')}{text('keyword', 'none')}"
        f"{citation(text('title', 'GEMET'), 'thesaurusName')}</gmd:MD_Keywords></gmd:descriptiveKeywords>"
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{text('keyword', 'gauge')}{text('keyword', 'runoff')}"
        "</gmd:MD_Keywords></gmd:descriptiveKeywords>"
    )
    topics = "".join(
        f"<gmd:topicCategory><gmd:MD_TopicCategoryCode>{topic}</gmd:MD_TopicCategoryCode></gmd:topicCategory>"
        for topic in ("inlandWaters", "environment", "inlandWaters")
    )
    found = record(group + topics)
    assert found.keywords == (
        Keyword("rainfall", "GEMET", "http://vocab.example/rain"),
        Keyword("runoff", "GEMET"),
        Keyword("gauge"),
    )
    assert found.themes == ("inlandWaters", "environment")


def _party(name: str, organisation: str, role: str, email: str = "") -> str:
    address = (
        "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>"
        f"{text('electronicMailAddress', email)}</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
    )
    return (
        f"<gmd:CI_ResponsibleParty>{text('individualName', name)}{text('organisationName', organisation)}"
        f"{address if email else ''}{code('role', 'CI_RoleCode', role)}</gmd:CI_ResponsibleParty>"
    )


def test_contacts_from_all_places_without_doubles():
    desk = _party("", "Weather Office", "pointOfContact", "desk@weather.example")
    found = record(
        f"<gmd:pointOfContact>{desk}</gmd:pointOfContact>"
        f"<gmd:pointOfContact>{_party('', 'Weather Office', 'pointOfContact')}</gmd:pointOfContact>",
        metadata=f"<gmd:contact>{desk}</gmd:contact>",
        cited=f"<gmd:citedResponsibleParty>{_party('Ada Field', 'none', 'author')}</gmd:citedResponsibleParty>",
    )
    assert found.contacts == (
        Contact("Ada Field", None, "author", None),
        Contact(None, "Weather Office", "pointOfContact", "desk@weather.example"),
    )
    assert found.provenance.attributed_to == ("Ada Field",)


def _date(value: str, kind: str) -> str:
    return (
        f"<gmd:date><gmd:CI_Date><gmd:date><gco:Date>{value}</gco:Date></gmd:date>"
        f"{code('dateType', 'CI_DateTypeCode', kind)}</gmd:CI_Date></gmd:date>"
    )


def test_dates_keep_the_precision_given():
    found = record(
        metadata="<gmd:dateStamp><gco:DateTime>2024-02-29T10:00:00Z</gco:DateTime></gmd:dateStamp>",
        cited=_date("1998", "creation")
        + _date("2001-07", "publication")
        + _date("2003/5/6", "revision")
        + _date("2010-01-01", "revision")
        + _date("2011-02-30", "revision"),
    )
    assert found.dates == Dates("1998", "2001-07", "2010-01-01", "2024-02-29T10:00:00Z")
    assert found.warnings == ("dates: left out: '2011-02-30' does not exist",)


def _identifier(value: str) -> str:
    return f"<gmd:identifier><gmd:MD_Identifier>{value}</gmd:MD_Identifier></gmd:identifier>"


@pytest.mark.parametrize(
    ("parts", "doi"),
    [
        ({"cited": _identifier(text("code", "doi:10.5065/D64B2ZQC"))}, "10.5065/d64b2zqc"),
        ({"cited": _identifier(text("code", "10.1234/a(b)c."))}, "10.1234/a(b)c"),
        (
            {
                "cited": _identifier(
                    '<gmd:code><gmx:Anchor xlink:href="https://doi.org/10.1234/X">x</gmx:Anchor></gmd:code>'
                )
            },
            "10.1234/x",
        ),
        ({"metadata": text("dataSetURI", "https://doi.org/10.24381/CDS.ADBB2D47")}, "10.24381/cds.adbb2d47"),
        ({"identifier": "doi:10.7289/V5D21VHZ"}, "10.7289/v5d21vhz"),
        ({"cited": _identifier(text("code", "urn:x:10.2"))}, None),
    ],
)
def test_the_doi_is_bare_and_in_lower_case(parts, doi):
    found = record(**parts)
    assert found.doi == doi
    assert found.identity == (doi or found.identifier)


def _online(url: str, **said: str) -> str:
    inner = "".join(text(name, value) for name, value in said.items() if name != "function")
    function = code("function", "CI_OnLineFunctionCode", said["function"]) if "function" in said else ""
    linkage = f"<gmd:linkage><gmd:URL>{url}</gmd:URL></gmd:linkage>"
    return f"<gmd:CI_OnlineResource>{linkage}{inner}{function}</gmd:CI_OnlineResource>"


def _distribution(*resources: str, formats: str = "") -> str:
    lines = "".join(f"<gmd:onLine>{one}</gmd:onLine>" for one in resources)
    return (
        f"<gmd:distributionInfo><gmd:MD_Distribution>{formats}<gmd:transferOptions><gmd:MD_DigitalTransferOptions>{lines}"
        "</gmd:MD_DigitalTransferOptions></gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo>"
    )


def test_links_say_what_they_are_for():
    graphic = (
        f"<gmd:graphicOverview><gmd:MD_BrowseGraphic>{text('fileName', 'https://x.example/map.png')}"
        f"{text('fileDescription', 'Map')}</gmd:MD_BrowseGraphic></gmd:graphicOverview>"
    )
    found = record(
        graphic,
        metadata=text("dataSetURI", "https://x.example/d1")
        + _distribution(
            _online("https://x.example/d1.nc"),
            _online("https://x.example/wms?", protocol="OGC:WMS", name="layer"),
            _online("https://x.example/about", function="information", description="More"),
            _online("https://x.example/about", name="A name"),
            _online("www.x.example/a b"),
            _online("javascript:alert(1)"),
        )
        + "<gmd:metadataExtensionInfo><gmd:MD_MetadataExtensionInformation><gmd:extensionOnLineResource>"
        + _online("https://x.example/manual.pdf", name="Documentation", function="information")
        + "</gmd:extensionOnLineResource></gmd:MD_MetadataExtensionInformation></gmd:metadataExtensionInfo>",
    )
    assert found.links == (
        Link("https://x.example/d1", "about"),
        Link("https://x.example/d1.nc", "download", None, "application/x-netcdf"),
        Link("https://x.example/wms?", "service", "OGC:WMS", None, "layer"),
        Link("https://x.example/about", "about", None, None, "A name", "More"),
        Link("http://www.x.example/a%20b", "related"),
        Link("https://x.example/manual.pdf", "describedby", None, "application/pdf", "Documentation"),
        Link("https://x.example/map.png", "preview", None, "image/png", "Map"),
    )
    assert found.warnings == ("links: javascript:alert(1) left out: it is no web address",)


def test_a_doi_link_counts_unless_it_leads_to_a_paper():
    own = _distribution(_online("https://doi.org/10.1234/DATA", name="Data set"))
    paper = _distribution(_online("https://doi.org/10.1234/PAPER", name="Journal article"))
    assert record(metadata=own).doi == "10.1234/data"
    assert record(metadata=paper).doi is None


def test_a_service_has_its_address_and_extent():
    operation = (
        f"<srv:containsOperations><srv:SV_OperationMetadata><srv:connectPoint>{_online('https://x.example/wfs')}"
        "</srv:connectPoint></srv:SV_OperationMetadata></srv:containsOperations>"
    )
    found = record(operation, kind="srv:SV_ServiceIdentification")
    assert found.type == "service"
    assert found.links == (Link("https://x.example/wfs", "service"),)


def test_formats_once_each():
    named = "".join(
        f"<gmd:distributionFormat><gmd:MD_Format>{text('name', name)}</gmd:MD_Format></gmd:distributionFormat>"
        for name in ("NetCDF", "n/a", "NetCDF", "CSV")
    )
    assert record(metadata=_distribution(formats=named)).formats == ("NetCDF", "CSV")


def test_the_parent_is_named_or_the_larger_work():
    larger = (
        "<gmd:aggregationInfo><gmd:MD_AggregateInformation>"
        f"{citation(text('title', 'Project') + _identifier(text('code', 'p-1')), 'aggregateDataSetName')}"
        f"{code('associationType', 'DS_AssociationTypeCode', 'largerWorkCitation')}"
        "</gmd:MD_AggregateInformation></gmd:aggregationInfo>"
    )
    assert record(larger).parent == "p-1"
    assert record(larger, metadata=text("parentIdentifier", "p-2")).parent == "p-2"
    assert record().parent is None


def test_an_extent_description_is_a_keyword_and_no_place_is_made_up():
    identifier = f"{citation(text('title', 'ISO 3166'), 'authority')}{text('code', 'ZAF')}"
    named = geographic(
        "<gmd:EX_GeographicDescription><gmd:geographicIdentifier>"
        f"<gmd:MD_Identifier>{identifier}</gmd:MD_Identifier></gmd:geographicIdentifier></gmd:EX_GeographicDescription>"
    )
    found = record(extent(text("description", "Southern Africa"), named))
    assert found.keywords == (Keyword("Southern Africa"), Keyword("ZAF", "ISO 3166"))
    assert found.extents == ()
