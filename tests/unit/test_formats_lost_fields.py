"""Fields that documents state in rarer ways: several heights, several languages, other reference systems, entities."""

from __future__ import annotations

import json

import pytest

from core.geo import BBox
from core.record import Record, Vertical
from core.timespan import TimeSpan
from indexer.data_files.table import moment_in
from indexer.formats.draft import RecordDraft
from indexer.formats.registry import read, stated_fields
from indexer.formats.repair.gml import PolygonReader
from indexer.formats.repair.links import doi_in
from indexer.formats.repair.text import block, line
from indexer.formats.xml_documents import parse
from indexer.raw import RawRecord


def _read(document: object) -> Record:
    content = document.encode() if isinstance(document, str) else json.dumps(document).encode()
    return read(RawRecord("r", content, "/r"), "test")


def _echo10(folder: str, *heights: tuple[str, str]) -> Record:
    domain = "<VerticalSpatialDomain><Type>{}</Type><Value>{}</Value></VerticalSpatialDomain>"
    domains = folder.format("".join(domain.format(*height) for height in heights))
    product = "<ShortName>O3</ShortName><VersionId>1</VersionId><DataSetId>Ozone</DataSetId>"
    return _read(f"<Collection>{product}<Spatial>{domains}</Spatial></Collection>")


def _umm(*heights: tuple[str, str]) -> Record:
    domains = [{"Type": kind, "Value": value} for kind, value in heights]
    extent = {"SpatialCoverageType": "VERTICAL", "VerticalSpatialDomains": domains}
    return _read({"EntryTitle": "Ozone", "ShortName": "O3", "Version": "1", "SpatialExtent": extent})


@pytest.mark.parametrize(
    ("heights", "vertical"),
    [
        ([("Atmosphere Layer", "Troposphere"), ("Maximum Altitude", "1500")], Vertical(1500, 1500, "m")),
        ([("Minimum Altitude", "10 km"), ("Maximum Altitude", "25 Kilometers")], Vertical(10_000, 25_000, "m")),
        ([("MINIMUM DEPTH", "5 m"), ("Maximum Depth", "2,500 meters"), ("", "")], Vertical(-2500, -5, "m")),
        ([("Minimum Altitude", "0"), ("Maximum Altitude", "1500 m")], Vertical(0, 1500, "m")),
        ([("Maximum Depth", "200"), ("Minimum Depth", "5")], Vertical(-200, -5, "m")),
        ([("Maximum Altitude", "30"), ("Maximum Depth", "200")], Vertical(-200, 30, "m")),
    ],
)
def test_the_minimum_and_the_maximum_height_are_both_read(heights, vertical):
    assert _umm(*heights).vertical == vertical
    for folder in ("{}", "<VerticalSpatialDomains>{}</VerticalSpatialDomains>"):
        assert _echo10(folder, *heights).vertical == vertical


def test_echo10_with_a_prefix_and_lines_is_read():
    points = [(10, 50), (12, 52)]
    point = "<e:Point><e:PointLongitude>{}</e:PointLongitude><e:PointLatitude>{}</e:PointLatitude></e:Point>"
    line = f"<e:Line>{''.join(point.format(*corner) for corner in points)}</e:Line>"
    domain = f"<e:HorizontalSpatialDomain><e:Geometry>{line}</e:Geometry></e:HorizontalSpatialDomain>"
    product = "<e:ShortName>M</e:ShortName><e:VersionId/><e:DataSetId>Moorings</e:DataSetId>"
    record = _read(f'<e:Collection xmlns:e="http://a.org/e">{product}<e:Spatial>{domain}</e:Spatial></e:Collection>')
    assert (record.native_format, record.title) == ("echo10", "Moorings")
    assert record.extents == (BBox(10, 50, 12, 52),)


def test_heights_of_several_places_are_joined_in_the_unit_of_the_first():
    draft = RecordDraft(RawRecord("r", b"", "/r"), "test", "x")
    for low, high, unit in ((10, 20, "m"), (5, float("nan"), "m"), (0, 1, "hPa"), (float("nan"), 30, "m")):
        draft.add_vertical(low, high, unit)
    assert draft.vertical == Vertical(5, 30, "m")


def test_translations_of_ckan_are_titles_and_keywords():
    package = {
        "id": "a", "title": "Lakes", "notes": "Depths.", "resources": [],
        "title_translated": {"en": "Lakes", "fr": "Lacs"}, "keywords": {"en": ["water"], "fr": ["eau", "lac"]},
    }  # fmt: skip
    record = _read(package)
    assert (record.title, record.alternate_titles) == ("Lakes", ("Lacs",))
    assert [keyword.term for keyword in record.keywords] == ["water", "eau", "lac"]
    swiss = _read({**package, "title": {"de": "Seen", "it": "Laghi"}, "title_translated": None})
    assert (swiss.title, swiss.alternate_titles) == ("Seen", ("Laghi",))


def test_the_period_of_an_ogc_record_before_version_1():
    extent = {"spatial": {"bbox": [[1, 2, 3, 4]]}, "temporal": {"interval": ["2001-10-30", "2007-10-30"]}}
    properties = {"title": "Wells", "type": "dataset", "description": "Levels.", "extent": extent}
    record = _read({"type": "Feature", "id": "w", "geometry": None, "properties": properties})
    assert record.times == (TimeSpan.from_iso("2001-10-30", "2007-10-30"),)


@pytest.mark.parametrize("system", ["urn:ogc:def:crs:EPSG::4171", "http://www.opengis.net/def/crs/EPSG/0/4674"])
def test_polygons_in_the_degrees_of_other_datums(system):
    corners = "45 1 45 2 46 2 45 1"  # latitude first
    reader = PolygonReader()
    polygon = f"<Polygon srsName='{system}'><exterior><posList>{corners}</posList></exterior></Polygon>"
    reader.add(parse(polygon.encode()).root)
    assert (reader.warnings, [box.as_list() for box in reader.boxes]) == ([], [[1.0, 45.0, 2.0, 46.0]])


@pytest.mark.parametrize("system", ["urn:ogc:def:crs:EPSG::25832", "EPSG:999999", "local"])
def test_polygons_in_other_units_are_left_out(system):
    reader = PolygonReader()
    reader.add(parse(f"<Point srsName='{system}'><pos>500000 5000000</pos></Point>".encode()).root)
    assert reader.warnings == [f"extent: polygon left out: its reference system {system} is not in degrees"]


def test_an_abstract_of_eml_keeps_the_order_of_its_sections():
    sections = "".join(f"<section><title>{t}</title><para>About {t}.</para></section>" for t in ("Aim", "Methods"))
    abstract = f"<abstract>{sections}<para>End.</para></abstract>"
    eml = f"<eml packageId='k.1.1'><dataset><title>T</title>{abstract}</dataset></eml>"
    assert _read(eml).abstract == "Aim\n\nAbout Aim.\n\nMethods\n\nAbout Methods.\n\nEnd."


def test_a_geologic_period_of_datacite_and_dublin_core_is_kept():
    datacite = _read({"titles": [{"title": "Ammonites"}], "doi": "10.1234/a", "dates": [_JURASSIC], "creators": []})
    core = "http://www.openarchives.org/OAI/2.0/oai_dc/"
    dublin = _read(
        f"<o:dc xmlns:o='{core}' xmlns:d='http://purl.org/dc/elements/1.1/' xmlns:t='http://purl.org/dc/terms/'>"
        "<d:title>Ammonites</d:title><d:identifier>a</d:identifier><t:temporal>Late Jurassic</t:temporal></o:dc>"
    )
    for record in (datacite, dublin):
        assert len(record.times) == 1
        assert [keyword.term for keyword in record.keywords] == ["Late Jurassic"]


_JURASSIC = {"dateType": "Coverage", "date": "Late Jurassic"}


def test_dates_of_iso_19115_3_that_19139_has_not():
    mdb, mri, cit, gco, mcc = (
        f"http://standards.iso.org/iso/19115/-3/{name}/1.0" for name in ("mdb", "mri", "cit", "gco", "mcc")
    )
    spaces = f"xmlns:mdb='{mdb}' xmlns:mri='{mri}' xmlns:cit='{cit}' xmlns:gco='{gco}' xmlns:mcc='{mcc}'"
    dates = "".join(
        f"<cit:date><cit:CI_Date><cit:date><gco:Date>{date}</gco:Date></cit:date><cit:dateType>"
        f"<cit:CI_DateTypeCode codeListValue='{kind}'/></cit:dateType></cit:CI_Date></cit:date>"
        for kind, date in (("released", "2019-01-02"), ("lastUpdate", "2020-03-04"))
    )
    title = "<cit:title><gco:CharacterString>Wells</gco:CharacterString></cit:title>"
    citation = f"<mri:citation><cit:CI_Citation>{title}{dates}</cit:CI_Citation></mri:citation>"
    info = f"<mri:MD_DataIdentification>{citation}</mri:MD_DataIdentification>"
    info = f"<mdb:identificationInfo>{info}</mdb:identificationInfo>"
    found = _read(f"<mdb:MD_Metadata {spaces}>{info}</mdb:MD_Metadata>").dates
    assert (found.published, found.modified) == ("2019-01-02", "2020-03-04")


def test_entities_with_digits_and_invisible_hyphens_are_resolved():
    assert line("km&sup2; and &frac12; of it") == "km² and ½ of it"
    assert block("Boden\u00adkarte &shy;von \u2066Bayern\u2069") == "Bodenkarte von Bayern"
    assert line("a&b1;c &amp;amp;") == "a&b1;c &"


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2020-01-01 00:00:00+00", "2020-01-01T00:00:00Z"),  # as PostgreSQL writes it
        ("2020-01-01T00:00:00.5+00:00", "2020-01-01T00:00:00Z"),
    ],
)
def test_times_of_tables_with_a_short_zone(written, moment):
    assert moment_in(written) == moment


def test_a_doi_of_the_info_scheme():
    assert doi_in("info:doi/10.1234/Abc") == "10.1234/abc"


def test_a_coordinate_of_very_many_digits_leaves_the_geometry_out():
    geometry = {"type": "Polygon", "coordinates": [[[0, 0], [10**400, 1], [1, 1], [0, 0]]]}
    record = _read({"type": "Feature", "id": "w", "geometry": geometry, "properties": {"title": "W", "keywords": []}})
    assert record.extents == ()
    assert record.warnings == ("extent: left out: GeoJSON that is none (int too large to convert to float)",)


def test_a_date_whose_type_is_an_object_is_no_period():
    document = {"titles": [{"title": "A"}], "doi": "10.1234/a", "dates": [{"dateType": {"a": 1}, "date": "2000"}]}
    assert stated_fields(RawRecord("r", json.dumps(document).encode(), "/r")) is not None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8"])
def test_json_ld_in_a_page_of_utf_16_is_read(encoding):
    dataset = {"@context": "https://schema.org/", "@type": "Dataset", "name": "Größe der Gletscher"}
    script = f'<script type="application/ld+json">{json.dumps(dataset, ensure_ascii=False)}</script>'
    page = f'<!doctype html><html><head><meta charset="utf-16">{script}</head></html>'
    assert read(RawRecord("r", page.encode(encoding), "/r"), "test").title == "Größe der Gletscher"


@pytest.mark.parametrize("begin", ["..", None, "", "unknown"])
def test_a_period_with_an_open_begin_keeps_its_end(begin):
    properties = {"title": "Rain", "keywords": ["rain"]}
    time = {"interval": [begin, "2001-02-03"]}
    record = _read({"type": "Feature", "id": "a", "geometry": None, "properties": properties, "time": time})
    assert record.times == (TimeSpan.from_iso(None, "2001-02-03"),)


def _dataset(**members):
    return _read({"@context": "https://schema.org/", "@type": "Dataset", "name": "Snow", **members})


@pytest.mark.parametrize(("said", "access"), [(False, "restricted"), ("False", "restricted"), (True, "open")])
def test_data_that_are_not_free_are_restricted(said, access):
    assert _dataset(isAccessibleForFree=said).access == access


def test_a_circle_is_read_as_the_box_around_it():
    (box,) = _dataset(spatialCoverage={"@type": "GeoShape", "circle": "50 10 111319.49"}).extents
    assert (box.south, box.north) == pytest.approx((49.0, 51.0))
    assert (box.west, box.east) == pytest.approx((8.411, 11.589), abs=1e-3)


@pytest.mark.parametrize("circle", ["50 10", "89 10 200000", "here", "50 10 -3"])
def test_what_is_no_circle_is_named(circle):
    record = _dataset(spatialCoverage={"@type": "GeoShape", "circle": circle})
    assert record.extents == ()
    assert any("is no circle" in warning for warning in record.warnings)


def test_every_file_of_a_distribution_is_a_link():
    files = ["https://a.org/b.csv", "https://a.org/c.csv"]
    links = _dataset(distribution=[{"@type": "DataDownload", "contentUrl": files}]).links
    assert [link.href for link in links] == files


def test_a_contact_of_eml_may_be_a_reference():
    person = "<individualName><surName>Moor</surName></individualName>"
    dataset = f"<title>Snow</title><creator id='c1'>{person}</creator><contact><references>c1</references></contact>"
    record = _read(f"<eml:eml xmlns:eml='eml://ecoinformatics.org/eml-2.1.1'><dataset>{dataset}</dataset></eml:eml>")
    assert [(contact.name, contact.role) for contact in record.contacts] == [
        ("Moor", "author"),
        ("Moor", "pointOfContact"),
    ]
