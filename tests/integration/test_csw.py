"""``/csw`` for the clients that ask it: OWSLib, Sonde's own harvest, the schemas of CSW 2.0.2."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask.testing import FlaskClient
from lxml import etree
from owslib import fes
from owslib.csw import CatalogueServiceWeb
from owslib.ows import ExceptionReport

from core.names import folded
from indexer.formats import registry
from indexer.raw import RawRecord
from indexer.sources.csw import CswSource
from tests.live import serving
from tests.servers.asking import all_of, fetcher_of
from tests.servers.pycsw2 import pycsw
from tests.service import SAMPLES, Service
from tests.shared_data import shared_data

COUNT = len(list(SAMPLES.glob("*.xml")))
GMD = "http://www.isotc211.org/2005/gmd"
CSW = "http://www.opengis.net/cat/csw/2.0.2"
ALL_RECORDS = {"request": "GetRecords", "resultType": "results", "maxRecords": "100"}
RAIN = fes.PropertyIsLike("csw:AnyText", "%rain%")


@pytest.fixture(scope="module")
def url(samples: Service) -> Iterator[str]:
    with serving(samples.app) as address:
        yield f"{address}/csw"


@pytest.fixture(scope="module")
def client(url: str) -> Any:
    return CatalogueServiceWeb(url)


@cache
def _schema() -> etree.XMLSchema:
    """CSW 2.0.2 with everything that it includes, as pycsw carries it."""
    found = importlib.util.find_spec("pycsw")
    assert found is not None
    assert found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0]) / "core" / "schemas" / "ogc"
    return etree.XMLSchema(etree.parse(str(folder / "csw" / "2.0.2" / "CSW-discovery.xsd")))


def _asked(http: FlaskClient, **given: str) -> etree._Element:
    answer = http.get("/csw", query_string={"service": "CSW", "version": "2.0.2", **given})
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return etree.fromstring(answer.data)


def _matched(client: Any, *constraints: Any, **more: Any) -> list[str]:
    client.getrecords2(constraints=list(constraints), esn="brief", maxrecords=100, **more)
    return [identifier.removeprefix("samples:") for identifier in client.records]


def test_owslib_reads_the_capabilities_with_what_inspire_asks(client: Any) -> None:
    assert client.version == "2.0.2"
    assert {one.name for one in client.operations} == {
        "GetCapabilities", "DescribeRecord", "GetRecords", "GetRecordById", "GetDomain",
    }  # fmt: skip
    assert client.identification.title == "Sonde"
    root = etree.fromstring(client.response)
    (inspire,) = root.iter("{http://inspire.ec.europa.eu/schemas/inspire_ds/1.0}ExtendedCapabilities")
    assert [etree.QName(one).localname for one in inspire] == [
        "ResourceLocator", "ResourceType", "TemporalReference", "Conformity", "MetadataPointOfContact", "MetadataDate",
        "SpatialDataServiceType", "MandatoryKeyword", "SupportedLanguages", "ResponseLanguage",
    ]  # fmt: skip


def test_owslib_pages_through_every_record(client: Any) -> None:
    found: set[str] = set()
    start = 1
    while start:
        client.getrecords2(esn="brief", startposition=start, maxrecords=50)
        found |= client.records.keys()
        start = client.results["nextrecord"]
    assert len(found) == client.results["matches"] == COUNT


def test_owslib_reads_dublin_core_and_iso_of_the_same_record(client: Any) -> None:
    client.getrecordbyid(["samples:corine-2018"], esn="full")
    (short,) = client.records.values()
    client.getrecordbyid(["corine-2018"], outputschema=GMD)
    (whole,) = client.records.values()
    assert short.identifier == "samples:corine-2018"
    assert whole.identifier == "corine-2018"
    titles = {short.title, whole.identification[0].title}
    assert len(titles) == 1
    assert [float(edge) for edge in (short.bbox.minx, short.bbox.miny)] == [
        float(edge) for edge in (whole.identification[0].bbox.minx, whole.identification[0].bbox.miny)
    ]


@pytest.mark.parametrize(
    ("constraint", "holds", "lacks"),
    [
        (fes.PropertyIsLike("csw:AnyText", "%sea ice%"), "nsidc-sea-ice-index", "corine-2018"),
        (fes.PropertyIsEqualTo("dc:type", "service"), "onegeology-wms", "corine-2018"),
        (fes.PropertyIsLike("dc:title", "CORINE*", wildCard="*"), "corine-2018", "era5"),
        (fes.PropertyIsEqualTo("dc:identifier", "samples:era5"), "era5", "era5-land"),
        (fes.PropertyIsEqualTo("apiso:Identifier", "era5"), "era5", "era5-land"),
        (fes.PropertyIsLike("dct:abstract", "%photometers%"), "aeronet-v3", "era5"),
        (fes.BBox([7, 46, 8, 47]), "glamos-swiss-glaciers", "lake-victoria-level"),
        (fes.BBox([46, 7, 47, 8], crs="urn:ogc:def:crs:EPSG::4326"), "glamos-swiss-glaciers", "lake-victoria-level"),
        (fes.PropertyIsLessThanOrEqualTo("apiso:TempExtent_begin", "1900-01-01"), "histalp", "smap-l3-soil-moisture"),
        (fes.Not([fes.PropertyIsEqualTo("dc:type", "dataset")]), "onegeology-wms", "corine-2018"),
        (fes.And([RAIN, fes.BBox([20, -20, 30, -10])]), "wfp-zambia-rainfall", "br-dwgd"),
        (fes.Or([RAIN, fes.PropertyIsEqualTo("dc:type", "service")]), "onegeology-wms", "corine-2018"),
    ],
)  # fmt: skip
def test_filters_select(client: Any, constraint: Any, holds: str, lacks: str) -> None:
    found: list[str] = []
    start = 1
    while start:
        found += _matched(client, constraint, startposition=start)
        start = client.results["nextrecord"]
    assert holds in found
    assert lacks not in found


def test_a_box_of_another_system_finds_what_the_box_in_degrees_finds(samples: Service) -> None:
    request = shared_data("cases", "16-csw-srs-out", "request.xml").read_text("utf-8")
    asked = samples.app.test_client()
    degrees = request.replace("urn:ogc:def:crs:EPSG::3857", "EPSG:4326")
    degrees = degrees.replace("556597 5621521", "5 45").replace("1224514 6106854", "11 48")
    pairs = {"service": "CSW", "version": "2.0.2", "request": "GetRecords", "resultType": "hits"}
    answers = [
        asked.post("/csw", data=request, content_type="application/xml"),
        asked.post("/csw", data=degrees, content_type="application/xml"),
        asked.get("/csw", query_string={**pairs, "bbox": "556597,5621521,1224514,6106854,EPSG:3857"}),
        asked.get(
            "/csw",
            query_string={
                **pairs,
                "constraintLanguage": "CQL_TEXT",
                "constraint": "BBOX(ows:BoundingBox,556597,5621521,1224514,6106854,'EPSG:3857')",
            },
        ),
    ]
    counts = {re.search(r'numberOfRecordsMatched="(\d+)"', answer.text)[1] for answer in answers}  # type: ignore[index]
    assert len(counts) == 1
    everything = asked.get("/csw", query_string={**pairs, "q": "soil moisture"}).text
    assert 0 < int(re.search(r'numberOfRecordsMatched="(\d+)"', everything)[1]) < 40  # type: ignore[index]


def test_cql_text_selects_as_the_filter_does(samples: Service) -> None:
    for constraint, holds in {
        "csw:AnyText LIKE '%sea ice%' AND dc:type = 'dataset'": "samples:nsidc-sea-ice-index",
        "BBOX(ows:BoundingBox, 31, -3, 35, 1) AND dc:title LIKE '%Victoria%'": "samples:lake-victoria-level",
        "dct:modified >= '2020-01-01' AND dc:identifier = 'era5'": "samples:era5",
    }.items():
        root = _asked(samples.http, request="GetRecords", resultType="results", maxRecords="100", constraint=constraint)
        assert holds in [one.text for one in root.iter("{*}identifier")]


def test_records_come_in_the_order_asked_for(client: Any) -> None:
    by_title = fes.SortBy([fes.SortProperty("dc:title", "DESC")])
    client.getrecords2(esn="brief", maxrecords=20, sortby=by_title)
    titles = [folded(one.title) for one in client.records.values()]
    assert titles == sorted(titles, reverse=True)


def test_domains_are_listed(client: Any) -> None:
    client.getdomain("dc:type", "property")
    assert "dataset" in client.results["values"]
    client.getdomain("GetRecords.resultType", "parameter")
    assert client.results["values"] == ["hits", "results", "validate"]


@pytest.mark.parametrize(
    "given",
    [
        {"request": "GetCapabilities"},
        {"request": "DescribeRecord", "typeName": "csw:Record"},
        {"request": "GetDomain", "propertyName": "dc:subject"},
        {"request": "GetRecords"},
        {"request": "GetRecords", "resultType": "validate"},
        {"request": "GetRecords", "resultType": "results", "startPosition": "5000"},
        {**ALL_RECORDS, "elementSetName": "brief"},
        {**ALL_RECORDS, "elementSetName": "summary"},
        {**ALL_RECORDS, "elementSetName": "full"},
        {"request": "GetRecordById", "id": "samples:era5,era5-land,nothing", "elementSetName": "full"},
    ],
)  # fmt: skip
def test_answers_are_valid_by_the_schema(samples: Service, given: dict[str, str]) -> None:
    _schema().assertValid(_asked(samples.http, **given))


@pytest.mark.parametrize(
    ("given", "code", "locator"),
    [
        ({}, "MissingParameterValue", "request"),
        ({"request": "Harvest"}, "OperationNotSupported", "request"),
        ({"request": "GetRecords", "service": "WMS"}, "InvalidParameterValue", "service"),
        ({"request": "GetRecords", "version": "9.9"}, "InvalidParameterValue", "version"),
        ({"request": "GetCapabilities", "acceptVersions": "3.0.0"}, "VersionNegotiationFailed", "acceptversions"),
        ({"request": "GetRecords", "startPosition": "-1"}, "InvalidParameterValue", "startPosition"),
        ({"request": "GetRecords", "bbox": "1,2,3,4,EPSG:5773"}, "InvalidParameterValue", "bbox"),
        ({"request": "GetRecords", "maxRecords": "many"}, "InvalidParameterValue", "maxRecords"),
        ({"request": "GetRecords", "outputSchema": "urn:x"}, "InvalidParameterValue", "outputSchema"),
        ({"request": "GetRecords", "elementSetName": "all"}, "InvalidParameterValue", "ElementSetName"),
        ({"request": "GetRecords", "constraint": "colour = 'red'"}, "InvalidParameterValue", "constraint"),
        ({"request": "GetRecords", "constraint": "((("}, "InvalidParameterValue", "constraint"),
        ({**ALL_RECORDS, "constraintLanguage": "FILTER", "constraint": "<a/>"}, "InvalidParameterValue", "constraint"),
        ({"request": "GetRecords", "sortBy": "dc:subject:A"}, "InvalidParameterValue", "SortBy"),
        ({"request": "GetRecordById"}, "MissingParameterValue", "Id"),
        ({"request": "GetDomain", "propertyName": "dct:modified"}, "InvalidParameterValue", "PropertyName"),
        ({"request": "DescribeRecord", "typeName": "x:Y"}, "InvalidParameterValue", "typeName"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_an_exception_report(
    samples: Service, given: dict[str, str], code: str, locator: str
) -> None:
    answer = samples.http.get("/csw", query_string={"service": "CSW", "version": "2.0.2", **given})
    (said,) = etree.fromstring(answer.data).iter("{*}Exception")
    assert (answer.status_code, said.get("exceptionCode"), said.get("locator")) == (400, code, locator)


def test_owslib_raises_it(client: Any) -> None:
    with pytest.raises(ExceptionReport):
        client.getrecords2(constraints=[fes.PropertyIsEqualTo("dc:colour", "red")])


BOMB = b"""<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd"><!ENTITY b "&a;&a;&a;&a;">]>
<csw:GetRecordById xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" service="CSW" version="2.0.2"><csw:Id>&b;</csw:Id>
</csw:GetRecordById>"""
DEEP = (
    b'<ogc:Filter xmlns:ogc="http://www.opengis.net/ogc">' + b"<ogc:Not>" * 200 + b"</ogc:Not>" * 200 + b"</ogc:Filter>"
)


@pytest.mark.parametrize("body", [b"", b"<", b"<a/>", BOMB, b"\x00", f'<GetRecords xmlns="{CSW}"/>'.encode()])
def test_xml_that_is_no_request_is_refused(samples: Service, body: bytes) -> None:
    answer = samples.http.post("/csw", data=body, content_type="application/xml")
    assert answer.status_code == 400
    assert b"root:" not in answer.data
    assert etree.fromstring(answer.data).tag.endswith("ExceptionReport")


def test_deep_filters_and_large_bodies_are_refused(samples: Service) -> None:
    body = (
        f'<GetRecords xmlns="{CSW}" service="CSW" version="2.0.2"><Query typeNames="csw:Record"><Constraint>'.encode()
        + DEEP
        + b"</Constraint></Query></GetRecords>"
    )
    assert samples.http.post("/csw", data=body, content_type="application/xml").status_code == 400
    assert samples.http.post("/csw", data=b" " * (300 * 1024), content_type="application/xml").status_code == 413


def test_sondes_own_harvest_reads_what_is_given_out(url: str, samples: Service) -> None:
    given = all_of(CswSource(fetcher_of(url), url))
    assert len(set(given.ids)) == given.matched == COUNT
    raw = [one for one in given.pages[0].records if isinstance(one, RawRecord)]
    again = [registry.read(one, "again") for one in raw[:20]]
    assert len(again) == 20
    assert {one.title for one in again} <= {one["properties"]["title"] for one in samples.search(limit=100)["features"]}


HARVEST = """<Harvest xmlns="http://www.opengis.net/cat/csw/2.0.2" service="CSW" version="2.0.2"><Source>{url}</Source>
<ResourceType>http://www.opengis.net/cat/csw/2.0.2</ResourceType><ResourceFormat>application/xml</ResourceFormat></Harvest>"""


def test_a_real_pycsw_harvests_every_record(url: str, tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    with pycsw(tmp_path / "server", tmp_path / "records", harvests=True) as other:
        answer = httpx.post(other, content=HARVEST.format(url=url), headers={"Content-Type": "text/xml"}, timeout=120)
        inserted = etree.fromstring(answer.content).findtext(".//{*}totalInserted")
        assert inserted == str(COUNT + 1), answer.text[:500]  # and the service itself
        there = CatalogueServiceWeb(other)
        there.getrecords2(constraints=[fes.PropertyIsLike("dc:title", "ERA5-Land%")])
        assert there.results["matches"] == 1
