"""``/csw`` by the rules of 07-006r1: what counts as NULL, what validate checks and echoes, what is refused and why."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient
from lxml import etree

from tests.service import SAMPLES, Service

COUNT = len(list(SAMPLES.glob("*.xml")))
CSW = "http://www.opengis.net/cat/csw/2.0.2"
OGC = "http://www.opengis.net/ogc"
RESULTS = {"request": "GetRecords", "resultType": "results", "maxRecords": "100"}
NAMES = (
    f'xmlns:csw="{CSW}" xmlns:ogc="{OGC}" xmlns:gml="http://www.opengis.net/gml" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" service="CSW" version="2.0.2"'
)


def _get(http: FlaskClient, **given: str) -> etree._Element:
    return etree.fromstring(http.get("/csw", query_string={"service": "CSW", "version": "2.0.2", **given}).data)


def _posted(http: FlaskClient, condition: str, result: str = "hits") -> etree._Element:
    body = (
        f'<csw:GetRecords {NAMES} resultType="{result}"><csw:Query typeNames="csw:Record">'
        f'<csw:Constraint version="1.1.0"><ogc:Filter>{condition}</ogc:Filter></csw:Constraint>'
        "</csw:Query></csw:GetRecords>"
    )
    return etree.fromstring(http.post("/csw", data=body.encode(), content_type="application/xml").data)


def _compared(name: str, literal: str, operator: str = "PropertyIsEqualTo") -> str:
    signs = ' wildCard="*" singleChar="?" escapeChar="!"' if operator == "PropertyIsLike" else ""
    value = "" if operator == "PropertyIsNull" else f"<ogc:Literal>{literal}</ogc:Literal>"
    return f"<ogc:{operator}{signs}><ogc:PropertyName>{name}</ogc:PropertyName>{value}</ogc:{operator}>"


def _not(condition: str) -> str:
    return f"<ogc:Not>{condition}</ogc:Not>"


def _box(name: str) -> str:
    corners = "<gml:lowerCorner>5 45</gml:lowerCorner><gml:upperCorner>10 48</gml:upperCorner>"
    return f"<ogc:BBOX><ogc:PropertyName>{name}</ogc:PropertyName><gml:Envelope>{corners}</gml:Envelope></ogc:BBOX>"


def _matched(root: etree._Element) -> int:
    (results,) = root.iter("{*}SearchResults")
    return int(results.get("numberOfRecordsMatched", "-1"))


def _refusal(root: etree._Element) -> tuple[str | None, str | None, str]:
    (said,) = root.iter("{*}Exception")
    return said.get("exceptionCode"), said.get("locator"), said.findtext("{*}ExceptionText") or ""


@pytest.mark.parametrize(
    "name", ["dct:alternative", "dct:spatial", "dc:coverage", "dct:provenance", "/csw:Record/dct:valid"]
)
def test_an_element_that_no_record_has_is_null_in_all(samples: Service, name: str) -> None:
    for operator in ("PropertyIsEqualTo", "PropertyIsNotEqualTo", "PropertyIsLike", "PropertyIsLessThan"):
        condition = _compared(name, "a*", operator)
        assert [_matched(_posted(samples.http, one)) for one in (condition, _not(condition))] == [0, 0]
    null = _compared(name, "", "PropertyIsNull")
    assert [_matched(_posted(samples.http, one)) for one in (null, _not(null))] == [COUNT, 0]


@pytest.mark.parametrize("name", ["dc:relation", "dc:source", "dc:rights", "dc:date", "dct:abstract", "dc:format"])
def test_null_is_neither_equal_nor_unequal(samples: Service, name: str) -> None:
    """Equal, unequal and NULL are three parts of all records, and a negation has only the first two."""
    literal = "2015" if name == "dc:date" else "ice"
    equal = _matched(_posted(samples.http, _compared(name, literal)))
    other = _matched(_posted(samples.http, _not(_compared(name, literal))))
    null = _matched(_posted(samples.http, _compared(name, "", "PropertyIsNull")))
    assert equal + other + null == COUNT
    assert _matched(_posted(samples.http, _compared(name, literal, "PropertyIsNotEqualTo"))) == other


def test_the_identifier_is_either_and_its_negation_neither(samples: Service) -> None:
    for name in ("samples:era5", "era5"):
        same = _compared("dc:identifier", name)
        unequal = _compared("dc:identifier", name, "PropertyIsNotEqualTo")
        assert [_matched(_posted(samples.http, one)) for one in (same, _not(same), unequal)] == [
            1,
            COUNT - 1,
            COUNT - 1,
        ]


def test_references_are_the_links_and_dc_source_is_not_the_catalogue(samples: Service) -> None:
    root = _get(samples.http, request="GetRecordById", id="samples:corine-2018", elementSetName="full")
    link = [one.text or "" for one in root.iter("{*}references")][-1].replace("&", "&amp;")
    assert _matched(_posted(samples.http, _compared("dct:references", link))) >= 1
    assert _matched(_posted(samples.http, _compared("dc:source", "samples"))) == 0
    assert _matched(_posted(samples.http, _compared("source", "samples"))) == 0
    assert _matched(_posted(samples.http, _compared("sonde:source", "samples"))) == COUNT


def test_numbers_of_a_filter_are_compared_as_numbers(samples: Service) -> None:
    coarse, fine = (
        _matched(_posted(samples.http, _compared("apiso:DistanceValue", "1000", operator)))
        for operator in ("PropertyIsGreaterThan", "PropertyIsLessThanOrEqualTo")
    )
    assert coarse > 0
    assert fine > 0


def test_dates_are_compared_by_pattern_and_with_a_zone(samples: Service) -> None:
    between = _get(samples.http, **RESULTS, constraint="dc:date BETWEEN DATE('2010-01-01') AND DATE('2019-12-31')")
    assert _matched(_posted(samples.http, _compared("dc:date", "201?-*", "PropertyIsLike"))) == _matched(between) > 0
    every = _matched(_posted(samples.http, _compared("dc:date", "*", "PropertyIsLike")))
    assert every == COUNT - _matched(_posted(samples.http, _compared("dc:date", "", "PropertyIsNull")))
    for day in ("2015-06-01", "2015-06-01Z", "2015-06-01+01:00"):
        later = _matched(_posted(samples.http, _compared("dc:date", day, "PropertyIsGreaterThan")))
        earlier = _matched(_posted(samples.http, _compared("dc:date", day, "PropertyIsLessThanOrEqualTo")))
        assert 0 < later < later + earlier == every
    code, locator, text = _refusal(_posted(samples.http, _compared("dc:date", "spring*", "PropertyIsLike")))
    assert (code, locator) == ("InvalidParameterValue", "constraint")
    assert text.startswith("dc:date is compared with dates")


@pytest.mark.parametrize("name", ["dct:spatial", "dc:coverage", "csw:AnyText", "dc:title", "dc:colour"])
def test_a_box_asks_for_a_geometry(samples: Service, name: str) -> None:
    code, locator, text = _refusal(_posted(samples.http, _box(name)))
    assert (code, locator) == ("InvalidParameterValue", "constraint")
    assert name in text


@pytest.mark.parametrize("name", ["ows:BoundingBox", "apiso:BoundingBox", "/ows:BoundingBox", "BoundingBox"])
def test_the_bounding_box_is_the_geometry(samples: Service, name: str) -> None:
    inside = _matched(_posted(samples.http, _box(name)))
    outside = _matched(_posted(samples.http, _not(_box(name))))
    assert 0 < inside < inside + outside <= COUNT
    as_text = _get(samples.http, request="GetRecords", constraint=f"BBOX({name.strip('/')}, 5, 45, 10, 48)")
    assert _matched(as_text) == inside


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("dc:date", "PropertyIsEqualTo"),
        ("apiso:TempExtent_begin", "PropertyIsLike"),
        ("apiso:Denominator", "PropertyIsLike"),
        ("ows:BoundingBox", "PropertyIsEqualTo"),
        ("dc:colour", "PropertyIsEqualTo"),
        ("csw:AnyText", "PropertyIsLessThan"),
    ],
)
def test_a_refusal_speaks_the_names_of_the_client(samples: Service, name: str, operator: str) -> None:
    code, locator, text = _refusal(_posted(samples.http, _compared(name, "x", operator)))
    assert (code, locator) == ("InvalidParameterValue", "constraint")
    if operator != "PropertyIsEqualTo" or name != "dc:date":
        assert name in text
    assert not {"created", "formats", "externalIds", "geometry,", "filter:"} & set(text.replace(";", " ").split())


@pytest.mark.parametrize(
    "name", ["dc:format", "dc:relation", "dct:alternative", "dc:source", "csw:AnyText", "dc:colour"]
)
def test_what_cannot_sort_is_named_as_the_client_names_it(samples: Service, name: str) -> None:
    code, locator, text = _refusal(_get(samples.http, **RESULTS, sortBy=f"{name}:D"))
    assert (code, locator) == ("InvalidParameterValue", "SortBy")
    assert repr(name) in text
    assert "formats" not in text


@pytest.mark.parametrize(
    "given",
    [
        {"constraint": "dc:colour = 'red'"},
        {"constraint": "BBOX(dct:spatial, 5, 45, 10, 48)"},
        {"sortBy": "dc:format:A"},
        {"outputSchema": "urn:x"},
        {"typeNames": "x:Y"},
    ],
)
def test_validate_refuses_what_results_refuse(samples: Service, given: dict[str, str]) -> None:
    wrong = [
        _refusal(_get(samples.http, **{**RESULTS, **given, "resultType": kind})) for kind in ("results", "validate")
    ]
    assert wrong[0] == wrong[1]


def test_validate_echoes_the_body(samples: Service) -> None:
    root = _posted(samples.http, _compared("dc:title", "ERA5*", "PropertyIsLike"), "validate")
    assert etree.QName(root).localname == "Acknowledgement"
    ((sent,),) = root.iter("{*}EchoedRequest")
    assert sent.tag == f"{{{CSW}}}GetRecords"
    assert [one.text for one in sent.iter(f"{{{OGC}}}PropertyName", f"{{{OGC}}}Literal")] == ["dc:title", "ERA5*"]


def test_validate_echoes_key_value_pairs_as_the_same_request(samples: Service) -> None:
    given = {
        "request": "GetRecords", "resultType": "validate", "typeNames": "csw:Record",
        "elementName": "dc:title,dct:modified",
        "constraint": "dc:type = 'dataset'", "sortBy": "dc:title:D", "startPosition": "3", "maxRecords": "7",
    }  # fmt: skip
    ((made,),) = _get(samples.http, **given).iter("{*}EchoedRequest")
    assert {name: made.get(name) for name in ("resultType", "startPosition", "maxRecords")} == {
        "resultType": "validate", "startPosition": "3", "maxRecords": "7",
    }  # fmt: skip
    (query,) = made
    assert query.get("typeNames") == "csw:Record"
    assert [(etree.QName(one).localname, "".join(map(str, one.itertext()))) for one in query] == [
        ("ElementName", "dc:title"), ("ElementName", "dct:modified"), ("Constraint", "dc:type = 'dataset'"),
        ("SortBy", "dc:titleDESC"),
    ]  # fmt: skip
    again = etree.tostring(made).replace(b'resultType="validate"', b'resultType="results"')
    answer = etree.fromstring(samples.http.post("/csw", data=again, content_type="application/xml").data)
    asked = _get(samples.http, **{**given, "resultType": "results"})
    assert [one.text for one in answer.iter("{*}title")] == [one.text for one in asked.iter("{*}title")] != []


@pytest.mark.parametrize(
    ("names", "accepted"),
    [
        ("csw:Record", True),
        ("gmd:MD_Metadata", True),
        ("csw:Record gmd:MD_Metadata", True),
        ("csw:Record,gmd:MD_Metadata", True),
        ("", True),
        ("Record", False),
        ("csw:SummaryRecord", False),
        ("csw:Record,x:Y", False),
    ],
)
def test_types_are_the_two_that_are_served(samples: Service, names: str, accepted: bool) -> None:
    root = _get(samples.http, request="GetRecords", typeNames=names)
    if accepted:
        assert _matched(root) == COUNT
    else:
        assert _refusal(root)[:2] == ("InvalidParameterValue", "typeNames")


def test_a_type_is_what_its_prefix_is_declared_as(samples: Service) -> None:
    def asked(declared: str, name: str) -> etree._Element:
        opened = f'<c:GetRecords xmlns:c="{CSW}" {declared} service="CSW" version="2.0.2">'
        body = f'{opened}<c:Query typeNames="{name}"/></c:GetRecords>'
        return etree.fromstring(samples.http.post("/csw", data=body, content_type="application/xml").data)

    assert _matched(asked("", "c:Record")) == COUNT
    assert _matched(asked(f'xmlns="{CSW}"', "Record")) == COUNT
    for declared, name in ((' xmlns="urn:x"', "Record"), (' xmlns:csw="urn:x"', "csw:Record")):
        assert _refusal(asked(declared, name))[:2] == ("InvalidParameterValue", "typeNames")


@pytest.mark.parametrize(
    ("given", "locator"),
    [
        ({"elementSetName": "brief", "elementName": "dc:title"}, "ElementSetName"),
        ({"elementName": "dc:title,dc:colour"}, "ElementName"),
        ({"request": "DescribeRecord", "schemaLanguage": "http://purl.oclc.org/dsdl/schematron"}, "schemaLanguage"),
        ({"request": "DescribeRecord", "typeName": "Record"}, "typeName"),
    ],
)
def test_parameters_that_exclude_each_other_or_name_nothing(
    samples: Service, given: dict[str, str], locator: str
) -> None:
    assert _refusal(_get(samples.http, **{**RESULTS, **given}))[:2] == ("InvalidParameterValue", locator)


def test_named_elements_are_no_element_set(samples: Service) -> None:
    (results,) = _get(samples.http, **RESULTS, elementName="dc:title,ows:BoundingBox").iter("{*}SearchResults")
    assert results.get("elementSet") is None
    assert {etree.QName(one).localname for record in results for one in record} == {"title", "BoundingBox"}
    (results,) = _get(samples.http, **RESULTS, elementSetName="brief").iter("{*}SearchResults")
    assert results.get("elementSet") == "brief"


def test_no_records_asked_for_is_as_hits(samples: Service) -> None:
    both = [
        dict(next(_get(samples.http, request="GetRecords", **given).iter("{*}SearchResults")).attrib)
        for given in ({"resultType": "results", "maxRecords": "0"}, {"resultType": "hits"})
    ]
    assert both[0] == both[1]
    assert (both[0]["numberOfRecordsMatched"], both[0]["nextRecord"]) == (str(COUNT), "1")


@pytest.mark.parametrize("language", ["http://www.w3.org/XML/Schema", "http://www.w3.org/2001/XMLSchema", "XMLSCHEMA"])
def test_records_are_described_in_xml_schema(samples: Service, language: str) -> None:
    root = _get(samples.http, request="DescribeRecord", schemaLanguage=language)
    assert len(list(root.iter("{*}SchemaComponent"))) == 2
