"""OGC Filter 1.1 as CQL2's tree: operators, wildcards, axes, and what is refused."""

from __future__ import annotations

import re

import pytest
from lxml import etree
from shapely.geometry import shape

from core.json_types import Json
from search_api.protocols.csw.constraint import clause_for
from search_api.protocols.csw.filter_xml import CswError, tree_of
from search_api.protocols.csw.request import of_pairs, of_xml, read_xml

NAMES = 'xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"'
NAME = "<ogc:PropertyName>dc:title</ogc:PropertyName>"
BOX = "<ogc:PropertyName>ows:BoundingBox</ogc:PropertyName>"


def tree(inside: str) -> Json:
    return tree_of(read_xml(f"<ogc:Filter {NAMES}>{inside}</ogc:Filter>".encode()))


def _envelope(name: str, low: str = "45 5", high: str = "48 10") -> str:
    corners = f"<gml:lowerCorner>{low}</gml:lowerCorner><gml:upperCorner>{high}</gml:upperCorner>"
    return f"<ogc:BBOX>{BOX}<gml:Envelope{name}>{corners}</gml:Envelope></ogc:BBOX>"


@pytest.mark.parametrize(
    ("name", "box"),
    [
        ("", [45, 5, 48, 10]),
        (' srsName="EPSG:4326"', [45, 5, 48, 10]),
        (' srsName="urn:ogc:def:crs:OGC:1.3:CRS84"', [45, 5, 48, 10]),
        (' srsName="urn:ogc:def:crs:EPSG::4326"', [5, 45, 10, 48]),
        (' srsName="http://www.opengis.net/def/crs/EPSG/0/4326"', [5, 45, 10, 48]),
    ],
)
def test_the_name_of_the_system_says_which_axis_is_first(name: str, box: list[int]) -> None:
    assert tree(_envelope(name))["args"][1] == {"bbox": box}


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("urn:ogc:def:crs:EPSG::3857", "556597 5621521", "1224514 6106854"),
        ("EPSG:3857", "556597 5621521", "1224514 6106854"),
        ("EPSG:900913", "556597 5621521", "1224514 6106854"),
        ("urn:ogc:def:crs:EPSG::4258", "45 5", "48 11"),
        ("EPSG:4258", "5 45", "11 48"),
    ],
)
def test_a_box_of_another_system_is_brought_to_degrees(name: str, low: str, high: str) -> None:
    assert tree(_envelope(f' srsName="{name}"', low, high))["args"][1]["bbox"] == pytest.approx(
        [5, 45, 11, 48], abs=1e-4
    )


@pytest.mark.parametrize(
    "name", ["urn:ogc:def:crs:EPSG::5773", "EPSG:999999", "urn:ogc:def:crs:OGC:1.3:CRS1", "+proj=merc", "../x"]
)
def test_a_system_that_cannot_be_read_is_named(name: str) -> None:
    with pytest.raises(CswError, match=re.escape(name)):
        tree(_envelope(f' srsName="{name}"'))
    with pytest.raises(CswError, match=re.escape(name)):
        clause_for(f"BBOX(ows:BoundingBox, 1, 2, 3, 4, '{name}')", has_words=True)


def test_a_geometry_of_another_system_is_brought_to_degrees() -> None:
    ring = (
        "<gml:exterior><gml:LinearRing><gml:posList srsDimension='3'>5400000 3400000 0 5500000 3400000 0 "
        "5500000 3600000 0 5400000 3600000 0 5400000 3400000 0</gml:posList></gml:LinearRing></gml:exterior>"
    )
    polygon = f'<gml:Polygon srsName="urn:ogc:def:crs:EPSG::31467">{ring}</gml:Polygon>'
    found = shape(tree(f"<ogc:Intersects>{BOX}{polygon}</ogc:Intersects>")["args"][1])
    assert found.bounds == pytest.approx((7.6148, 48.7295, 10.3831, 49.6454), abs=1e-2)
    assert len(found.exterior.coords) > 40  # an edge of the map is curved in degrees


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("BBOX(ows:BoundingBox, 5, 45, 11, 48, 'EPSG:4326')", [5, 45, 11, 48]),
        ("BBOX(ows:BoundingBox, 45, 5, 48, 11, 'urn:ogc:def:crs:EPSG::4326')", [5, 45, 11, 48]),
        ("BBOX(ows:BoundingBox,556597,5621521,1224514,6106854,'EPSG:3857')", [5, 45, 11, 48]),
    ],
)
def test_a_box_of_cql_may_name_its_system(text: str, box: list[float]) -> None:
    (west, north), (east, south) = _envelope_of(clause_for(text, has_words=True))
    assert [west, south, east, north] == pytest.approx(box, abs=1e-4)


@pytest.mark.parametrize("name", ["INTERSECTS", "Within", "contains", "DISJOINT"])
def test_relations_of_ecql_are_those_of_cql2(name: str) -> None:
    place = "(ows:BoundingBox, POLYGON((5 45, 11 45, 11 48, 5 48, 5 45)))"
    assert clause_for(f"{name}{place}", has_words=True) == clause_for(f"S_{name}{place}", has_words=True)


def _envelope_of(clause: Json) -> list[list[float]]:
    found: list[list[float]] = next(iter(clause["geo_shape"].values()))["shape"]["coordinates"]
    return found


@pytest.mark.parametrize(
    ("text", "box"),
    [
        ("5,45,11,48", (5, 45, 11, 48)),
        ("45,5,48,11,urn:ogc:def:crs:EPSG::4326", (5, 45, 11, 48)),
        ("556597,5621521,1224514,6106854,EPSG:3857", (5, 45, 11, 48)),
        ("170,-20,-170,20", (170, -20, -170, 20)),
        ("5,45,0,11,48,9", (5, 45, 11, 48)),
    ],
)
def test_pairs_may_hold_a_box_and_words(text: str, box: tuple[float, ...]) -> None:
    pairs = {"service": "CSW", "request": "GetRecords", "bbox": text, "q": "sea ice,snow", "startPosition": "0"}
    asked = of_pairs(pairs.items())
    assert asked.box is not None
    assert asked.box.as_list() == pytest.approx(list(box), abs=1e-4)
    assert (asked.words, asked.start) == (("sea ice", "snow"), 1)


@pytest.mark.parametrize(
    "text",
    [
        "5,45,11",
        "5,45,11,48,EPSG:77777777",
        "a,b,c,d",
        "1,2,nan,4",
        "9e9,9e9,9.1e9,9.1e9,EPSG:32632",
        "1_0,45,11,48",
        "9e9,9e9,9.1e9,9.1e9,EPSG:3857",
        "1e12,1e12,2e12,2e12,EPSG:2056",
        "٥,45,11,48",
    ],
)
def test_a_wrong_box_of_a_pair_is_refused(text: str) -> None:
    with pytest.raises(CswError) as raised:
        of_pairs({"service": "CSW", "request": "GetRecords", "bbox": text}.items())
    assert raised.value.locator == "bbox"


@pytest.mark.parametrize(
    ("low", "high", "box"),
    [
        ("-113 -190", "113 190", [-180, -90, 180, 90]),
        ("-20 170", "20 200", [170, -20, -160, 20]),
        ("-20 -190", "20 -170", [170, -20, -170, 20]),
        ("60 -30", "120 40", [-30, 60, 40, 90]),
    ],
)
def test_a_desktop_map_may_reach_past_the_poles_and_the_antimeridian(low: str, high: str, box: list[float]) -> None:
    asked = tree(_envelope(' srsName="urn:ogc:def:crs:EPSG::4326"', low, high))
    assert asked["args"][1] == {"bbox": box}
    with pytest.raises(CswError, match="two numbers"):
        tree(_envelope("", "nan 0", "1 inf"))


@pytest.mark.parametrize(
    ("signs", "literal", "pattern"),
    [
        ('wildCard="%" singleChar="_" escapeChar="\\"', "%sea_ice%", "%sea_ice%"),
        ('wildCard="*" singleChar="?" escapeChar="!"', "100% *!*", r"100\% %*"),
        ('wildCard="*" singleChar="." escape="!"', "a_b.", r"a\_b_"),
    ],
)
def test_wildcards_are_the_ones_that_the_request_names(signs: str, literal: str, pattern: str) -> None:
    found = tree(f"<ogc:PropertyIsLike {signs}>{NAME}<ogc:Literal>{literal}</ogc:Literal></ogc:PropertyIsLike>")
    assert found == {"op": "like", "args": [{"property": "dc:title"}, pattern]}


def test_conditions_are_combined() -> None:
    equal = f"<ogc:PropertyIsEqualTo>{NAME}<ogc:Literal>x</ogc:Literal></ogc:PropertyIsEqualTo>"
    none = f"<ogc:PropertyIsNull>{NAME}</ogc:PropertyIsNull>"
    leaf = {"op": "=", "args": [{"property": "dc:title"}, "x"]}
    null = {"op": "isNull", "args": [{"property": "dc:title"}]}
    assert tree(f"<ogc:And>{equal}<ogc:Not>{none}</ogc:Not></ogc:And>") == {
        "op": "and",
        "args": [leaf, {"op": "not", "args": [null]}],
    }


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<ogc:And/>",
        f"<ogc:Beyond>{BOX}</ogc:Beyond>",
        f"<ogc:PropertyIsEqualTo>{NAME}</ogc:PropertyIsEqualTo>",
        "<ogc:PropertyIsEqualTo><ogc:Literal>x</ogc:Literal></ogc:PropertyIsEqualTo>",
        f"<ogc:BBOX>{BOX}</ogc:BBOX>",
        f"<ogc:BBOX>{BOX}<gml:Envelope><gml:lowerCorner>a b</gml:lowerCorner></gml:Envelope></ogc:BBOX>",
        f"<ogc:Intersects>{BOX}<gml:Point><gml:pos>1 2 3</gml:pos></gml:Point></ogc:Intersects>",
        f"<ogc:Intersects>{BOX}<gml:MultiCurve/></ogc:Intersects>",
        "<ogc:Not>" * 40 + "</ogc:Not>" * 40,
    ],
)
def test_what_is_not_understood_is_refused(inside: str) -> None:
    with pytest.raises(CswError):
        tree(inside)


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        ("colour = 'red'", "there is no property 'colour'"),
        ("csw:AnyText > 'a'", "PropertyIsLike"),
        ("dc:scale + 1 = 2", "one property"),
        ("dc:title = dc:type", "one property"),
        ("dc:title", "value in the place of a condition"),
        ("dct:valid ~ 1", "constraint"),
        ("near(dct:valid)", "near is not supported"),
        ("title LIKE", "constraint"),
    ],
)
def test_a_constraint_names_its_fault(constraint: str, said: str) -> None:
    with pytest.raises(CswError, match=said) as refused:
        clause_for(constraint, has_words=True)
    assert (refused.value.code, refused.value.locator) == ("InvalidParameterValue", "constraint")


def test_the_same_request_by_pairs_and_by_xml() -> None:
    pairs = {
        "SERVICE": "CSW", "Version": "2.0.2", "request": "GetRecords", "resultType": "results", "startPosition": "11",
        "maxrecords": "500", "ElementSetName": "brief", "sortBy": "dc:title:D", "typeNames": "csw:Record",
        "constraint": "dc:type = 'dataset'", "constraintLanguage": "CQL_TEXT",
    }  # fmt: skip
    body = b"""<csw:GetRecords xmlns:csw="http://www.opengis.net/cat/csw/2.0.2" xmlns:ogc="http://www.opengis.net/ogc"
      service="CSW" version="2.0.2" resultType="results" startPosition="11" maxRecords="500">
      <csw:Query typeNames="csw:Record"><csw:ElementSetName>brief</csw:ElementSetName>
        <csw:Constraint version="1.1.0"><csw:CqlText>dc:type = 'dataset'</csw:CqlText></csw:Constraint>
        <ogc:SortBy><ogc:SortProperty><ogc:PropertyName>dc:title</ogc:PropertyName><ogc:SortOrder>DESC</ogc:SortOrder>
        </ogc:SortProperty></ogc:SortBy></csw:Query></csw:GetRecords>"""
    found = of_pairs(pairs.items())
    assert found == of_xml(body)
    assert (found.size, found.sort, found.start) == (100, "-dc:title", 11)


def test_entities_are_not_read() -> None:
    with pytest.raises(CswError, match="document type"):
        read_xml(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')
    assert etree.tostring(read_xml(b"<a><!-- c --></a>")) == b"<a/>"


@pytest.mark.parametrize(
    ("condition", "field", "ignores_case"),
    [
        ('PropertyIsEqualTo matchCase="false"|dc:type|SOFTWARE', "type", True),
        ("PropertyIsEqualTo|dc:type|software", "type", False),
        ('PropertyIsLike matchCase="false"|dc:type|SOFT%', "type", True),
        ('PropertyIsEqualTo matchCase="false"|dc:identifier|ERA5', "id", True),
    ],
)
def test_a_comparison_may_ignore_case(condition: str, field: str, ignores_case: bool) -> None:
    opened, name, literal = condition.split("|")
    inside = f"<ogc:PropertyName>{name}</ogc:PropertyName><ogc:Literal>{literal}</ogc:Literal>"
    filter = f"<ogc:Filter {NAMES}><ogc:{opened}>{inside}</ogc:{opened.split()[0]}></ogc:Filter>"
    clause = str(clause_for(read_xml(filter.encode()), True))
    assert f"'{field}'" in clause
    assert ("'case_insensitive': True" in clause) is ignores_case


@pytest.mark.parametrize(("name", "literal"), [("dct:modified", "2006-05"), ("dc:title", "Snow")])
def test_dates_and_words_have_no_case(name: str, literal: str) -> None:
    inside = f"<ogc:PropertyName>{name}</ogc:PropertyName><ogc:Literal>{literal}</ogc:Literal>"
    conditions = [f"<ogc:PropertyIsEqualTo{said}>{inside}" for said in ("", ' matchCase="false"')]
    filters = [f"<ogc:Filter {NAMES}>{opened}</ogc:PropertyIsEqualTo></ogc:Filter>" for opened in conditions]
    stated, folded = (clause_for(read_xml(filter.encode()), True) for filter in filters)
    assert stated == folded
