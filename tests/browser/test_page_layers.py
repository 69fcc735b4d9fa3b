"""A record's services as layers of its map: pictures and features of another origin."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from flask import Flask, Response, request
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from core.record import Link
from search_api.app import create_app
from sonde.portal_settings import PortalSettings
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, served
from tests.browser.test_page_people import flaws
from tests.servers.map_pictures import colour, map_pictures
from tests.servers.pictures import Linked
from tests.service import Service

ERA5 = "records/samples%3Aera5-single-levels-hourly"
CAPABILITIES = """<WMS_Capabilities xmlns="http://www.opengis.net/wms"><Capability><Layer><Title>All</Title>
<Layer><Name>rain</Name><Title>Rainfall &amp; snow</Title></Layer><Layer><Name>wind</Name></Layer></Layer></Capability>
</WMS_Capabilities>"""
FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"name": "A", "depth": 7},
            "geometry": {"type": "Point", "coordinates": [10, 50]},
        },
        {"type": "Feature", "properties": {}, "geometry": None},
        {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[0, 0], [20, 30]]}},
    ],
}


POINT = '<gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>50 10</gml:pos></gml:Point>'
AREA = """<gml:MultiSurface srsName="EPSG:4326"><gml:surfaceMember><gml:Polygon><gml:exterior><gml:LinearRing>
<gml:posList>0 0 20 0 20 30 0 0</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></gml:surfaceMember>
</gml:MultiSurface>"""
GML = f"""<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"
 xmlns:s="https://survey.example"><wfs:member><s:Well gml:id="w.1"><s:name>Deep</s:name><s:depth>812</s:depth>
<s:place>{POINT}</s:place></s:Well></wfs:member>
<wfs:member><s:Basin gml:id="b.1"><s:name>Wide</s:name><s:area>{AREA}</s:area></s:Basin></wfs:member>
</wfs:FeatureCollection>"""


def gml_service() -> Response:
    """A WFS of version 2.0.0 that knows GML only; ``rasters`` are in a format of their own."""
    if request.args["REQUEST"] == "GetCapabilities":
        types = [("wells", "application/gml+xml; version=3.2"), ("rasters", "application/x-shape")]
        listed = "".join(
            f"<FeatureType><Name>{name}</Name><OutputFormats><Format>{kind}</Format></OutputFormats></FeatureType>"
            for name, kind in types
        )
        body = f'<WFS_Capabilities version="2.0.0" xmlns="http://www.opengis.net/wfs/2.0">{listed}</WFS_Capabilities>'
    elif request.args["TYPENAMES"] == "wells" and "OUTPUTFORMAT" not in request.args:
        body = GML
    else:
        body = '<ExceptionReport xmlns="http://www.opengis.net/ows/1.1" version="2.0.0"/>'
    return Response(body, mimetype="text/xml")


@pytest.fixture(scope="module")
def maps() -> Iterator[str]:
    """A WMS, a WFS and OGC API Features; below ``/closed`` other pages may not read, below ``/broken`` all fails."""
    site = Flask("maps")
    drawn = io.BytesIO()
    Image.new("RGB", (256, 256), "#3366cc").save(drawn, "PNG")
    names = [{"id": "stations", "title": "Stations"}, {"id": "none", "title": "Nothing here"}]

    def wms() -> Response:
        if request.args.get("REQUEST") == "GetCapabilities":
            return Response(CAPABILITIES, mimetype="text/xml")
        right = request.args["REQUEST"] == "GetMap" and request.args["SRS"] == "EPSG:4326" and request.args["LAYERS"]
        return Response(drawn.getvalue(), 200 if right else 400, mimetype="image/png")

    def features(name: str = "") -> Response:
        empty = name == "none" or request.args.get("TYPENAMES") == "empty"
        return Response(
            json.dumps({**FEATURES, "features": []} if empty else FEATURES), mimetype="application/geo+json"
        )

    site.add_url_rule("/wms", "wms", wms)
    site.add_url_rule("/closed/wms", "closed", wms)
    site.add_url_rule("/wfs", "wfs", features)
    site.add_url_rule("/gml", "gml", gml_service)
    site.add_url_rule("/ogc/collections", "names", lambda: {"collections": names})
    site.add_url_rule("/ogc/collections/<name>/items", "features", features)

    def open_up(answer: Response) -> Response:
        if not request.path.startswith("/closed"):
            answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    site.after_request(open_up)
    with served(site) as address:
        yield address.rstrip("/")


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[str, list[str]]]:
    """Pictures of the world, and what was asked of them."""
    site = map_pictures()
    with served(site) as address:
        yield address.rstrip("/"), site.config["asked"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", viewport={"width": 1366, "height": 900})
    yield context.new_page()
    context.close()


def sonde(samples: Service, hosts: list[str], *links: Link) -> AbstractContextManager[str]:
    portal = PortalSettings.model_validate({"layer_hosts": hosts})
    parts = api_parts(samples.settings.model_copy(update={"portal": portal}), samples.models)
    return served(create_app(replace(parts, records=Linked(parts.records, links))))  # type: ignore[arg-type]


def service(maps: str, path: str, protocol: str, name: str) -> Link:
    return Link(f"{maps}{path}", rel="service", protocol=protocol, name=name)


def opened(page: Page, address: str) -> Locator:
    page.goto(address + ERA5)
    panel = page.locator(".layers")
    panel.locator("summary").click()
    panel.locator("li").first.wait_for()
    return panel


def test_pictures_of_a_wms_are_drawn_and_taken_away(samples: Service, maps: str, page: Page, shoot: Shoot) -> None:
    with sonde(samples, [maps], service(maps, "/wms?service=WMS", "OGC:WMS", "Rain")) as address:
        panel = opened(page, address)
        pictures = page.locator(".layer-pane canvas")
        expect(pictures).to_have_count(0)
        panel.get_by_label("Rain", exact=True).check()
        expect(pictures.first).to_be_attached()
        with page.expect_request("**LAYERS=wind**"):
            panel.get_by_label("Layer of Rain").select_option(label="wind")
        panel.get_by_label("Opacity of Rain").fill("30")
        expect(page.locator(".layer-pane")).to_have_css("opacity", "0.3")
        expect(panel.get_by_role("status")).to_be_empty()
        page.wait_for_load_state("networkidle")
        assert flaws(page) == []
        shoot(page, "record-wms")
        page.get_by_label("View of the map").select_option("north")
        expect(panel.get_by_role("status")).to_contain_text("Choose another view")
        page.get_by_label("View of the map").select_option("world")
        expect(pictures.first).to_be_attached()
        panel.get_by_label("Rain", exact=True).uncheck()
        expect(page.locator(".layer-pane")).to_have_count(0)
        page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    ("path", "protocol", "name", "count"),
    [
        ("/ogc", "OGC API Features", "Stations", 6),
        ("/ogc/collections/stations/items", "OGC API Features", "items", 6),
        ("/wfs?typeName=a:b", "OGC:WFS", "Rivers", 6),
    ],
    ids=["features", "items", "wfs"],
)
def test_features_are_drawn(
    samples: Service, maps: str, page: Page, shoot: Shoot, path: str, protocol: str, name: str, count: int
) -> None:
    with sonde(samples, [maps], service(maps, path, protocol, name)) as address:
        opened(page, address).get_by_label(name, exact=True).check()
        expect(page.locator(".leaflet-container .service")).to_have_count(count)
        page.wait_for_load_state("networkidle")
        shoot(page, f"record-layer-{name.lower()}")


def test_features_say_what_they_are(samples: Service, maps: str, page: Page, shoot: Shoot) -> None:
    with sonde(samples, [maps], service(maps, "/ogc/collections/stations/items", "", "Stations")) as address:
        panel = opened(page, address)
        panel.get_by_label("Stations", exact=True).check()
        page.locator(".leaflet-container .service.dot").first.click()
        expect(panel.get_by_role("definition")).to_have_text(["A", "7"])
        panel.get_by_text("Values of 2 features").click()
        table = panel.get_by_role("region", name="Values of Stations")
        expect(table.locator("tbody tr")).to_have_text(["A7", ""])
        page.wait_for_load_state("networkidle")
        assert flaws(page) == []
        panel.scroll_into_view_if_needed()
        shoot(page, "layer-values")


def test_a_wfs_without_json_is_drawn_from_gml_or_says_what_it_offers(samples: Service, maps: str, page: Page) -> None:
    with sonde(samples, [maps], service(maps, "/gml", "OGC:WFS", "Survey")) as address:
        panel = opened(page, address)
        panel.get_by_label("Survey", exact=True).check()
        expect(page.locator(".leaflet-container .service")).to_have_count(6)
        panel.get_by_text("Values of 2 features").click()
        expect(panel.locator("tbody tr")).to_have_text(["Deep812", "Wide"])
        panel.get_by_label("Layer of Survey").select_option(label="rasters")
        expect(panel).to_contain_text("offers application/x-shape, which this map cannot draw")
        page.wait_for_load_state("networkidle")


@pytest.mark.parametrize(
    ("path", "protocol", "message"),
    [
        ("/broken/wms?layers=rain", "OGC:WMS", "sends no picture"),
        ("/broken/wfs", "OGC:WFS", "does not answer"),
        ("/ogc/collections/none", "OGC API Features", "has no feature here"),
        ("/closed/wms", "OGC:WMS", "does not let this page read"),
    ],
    ids=["no-picture", "no-answer", "no-feature", "no-permission"],
)
def test_a_layer_that_fails_says_so(
    samples: Service, maps: str, page: Page, path: str, protocol: str, message: str
) -> None:
    with sonde(samples, [maps], service(maps, path, protocol, "A long name")) as address:
        panel = opened(page, address)
        panel.get_by_label("A long name", exact=True).check()
        expect(panel.get_by_role("status")).to_contain_text(message)
        page.wait_for_load_state("networkidle")


def test_where_capabilities_cannot_be_read_the_name_of_the_link_is_the_layer(
    samples: Service, maps: str, page: Page
) -> None:
    with sonde(samples, [maps], service(maps, "/closed/wms", "OGC:WMS", "rain")) as address:
        panel = opened(page, address)
        with page.expect_response("**LAYERS=rain**"):
            panel.get_by_label("rain", exact=True).check()
        expect(panel.get_by_role("status")).to_be_empty()
        page.wait_for_load_state("networkidle")


def hide_drawings(page: Page) -> None:
    for tile in page.locator(".layer-pane canvas").all():
        expect(tile).to_have_css("opacity", "1")  # they fade in
    hide = "each => each.forEach(({ style }) => style.setProperty('opacity', '0'))"
    page.locator(".leaflet-overlay-pane, .leaflet-control-container, .map-view").evaluate_all(hide)


def colours(page: Page, places: list[tuple[float, float]]) -> list[tuple[int, int, int]]:
    """What the flat map shows at longitudes and latitudes; the record's area is the world."""
    page.wait_for_load_state("networkidle")
    hide_drawings(page)
    box = page.locator(".leaflet-container .asked").first.bounding_box()
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    assert box is not None

    def pixel(lng: float, lat: float) -> tuple[int, int, int]:
        at = box["x"] + box["width"] * (lng + 180) / 360, box["y"] + box["height"] * (90 - lat) / 180
        return picture.getpixel((round(at[0]), round(at[1])))  # type: ignore[return-value]

    return [pixel(*place) for place in places]


PLACES = [(-142.0, 81.0), (-100.0, 63.0), (-20.0, 41.0), (17.0, 5.0), (67.0, -33.0), (128.0, -65.0), (171.0, -80.0)]


@pytest.mark.parametrize(
    ("path", "protocol", "layer"),
    [
        ("/wms/1.3.0", "OGC:WMS", "Relief"),
        ("/wms/1.1.1", "OGC:WMS", "Relief"),
        ("/wmts", "OGC:WMTS", "Degrees"),
        ("/rest/1.0.0/WMTSCapabilities.xml", "OGC:WMTS", "Web"),
        ("/xyz/{z}/{x}/{y}.png", "", ""),
        ("/tilejson", "tilejson", ""),
        ("/tms/1.0.0/", "OGC:TMS", ""),
        ("/tms/1.0.0/relief", "OGC:TMS", ""),
    ],
    ids=["wms-axes", "wms-mercator", "wmts-degrees", "wmts-rest", "xyz", "tilejson", "tms", "tile-map"],
)
def test_pictures_lie_where_they_belong(
    samples: Service, world: tuple[str, list[str]], page: Page, shoot: Shoot, path: str, protocol: str, layer: str
) -> None:
    host, _ = world
    with sonde(samples, [host], service(host, path, protocol, "Pictures")) as address:
        panel = opened(page, address)
        panel.get_by_label("Pictures", exact=True).check()
        if layer:
            panel.get_by_label("Layer of Pictures").select_option(label=layer)
        panel.get_by_label("Opacity of Pictures").fill("100")
        expect(panel.get_by_role("status")).to_be_empty()
        page.locator(".map").first.scroll_into_view_if_needed()
        shoot(page, f"layer-{'-'.join(path.strip('/').split('/')[:2])}")
        for (lng, lat), seen in zip(PLACES, colours(page, PLACES), strict=True):
            assert seen == pytest.approx(colour(lng, lat), abs=6), (lng, lat)


@pytest.mark.parametrize(
    ("path", "protocol", "layer"),
    [("/wms/1.3.0", "OGC:WMS", "Ice"), ("/wmts", "OGC:WMTS", "Degrees")],
    ids=["wms", "wmts"],
)
def test_pictures_from_above_a_pole(
    samples: Service, world: tuple[str, list[str]], page: Page, shoot: Shoot, path: str, protocol: str, layer: str
) -> None:
    host, asked = world
    with sonde(samples, [host], service(host, path, protocol, "Pictures")) as address:
        panel = opened(page, address)
        page.get_by_label("View of the map").select_option("north")
        panel.get_by_label("Pictures", exact=True).check()
        panel.get_by_label("Layer of Pictures").select_option(label=layer)
        panel.get_by_label("Opacity of Pictures").fill("100")
        expect(panel.get_by_role("status")).to_be_empty()
        page.locator(".map").first.scroll_into_view_if_needed()
        shoot(page, f"layer-polar-{path.split('/')[1]}")
        assert any("3995" in each or "TILEMATRIXSET=polar" in each for each in asked)
        red, _, blue = middle_of(page)
        assert red < 8, "near the pole"
        assert blue > 247, "near the pole"
        page.get_by_label("View of the map").select_option("south")
        if path != "/wmts":
            expect(panel.get_by_role("status")).to_contain_text("Choose another view")


def middle_of(page: Page) -> tuple[int, int, int]:
    page.wait_for_load_state("networkidle")
    hide_drawings(page)
    box = page.locator(".map-place").first.bounding_box()
    picture = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    assert box is not None
    return picture.getpixel((round(box["x"] + box["width"] / 2), round(box["y"] + box["height"] / 2)))  # type: ignore[return-value]


def test_legend_time_and_source_of_a_wms(
    samples: Service, world: tuple[str, list[str]], page: Page, shoot: Shoot
) -> None:
    host, asked = world
    with sonde(samples, [host], service(host, "/wms/1.3.0", "OGC:WMS", "Relief")) as address:
        panel = opened(page, address)
        panel.get_by_label("Relief", exact=True).check()
        expect(panel.get_by_role("img", name="Legend of Relief")).to_have_js_property("naturalWidth", 60)
        expect(panel).to_contain_text("Source: The survey")
        expect(panel).to_contain_text("Without a choice, the service shows 2002-01-01. 2001-01-01 – 2003-01-01")
        assert not any("/wms" in each and "TIME=" in each for each in asked)
        with page.expect_response("**TIME=2001-01-01**"):
            panel.get_by_label("Time").fill("2001-01-01")
            panel.get_by_label("Time").press("Enter")
        page.wait_for_load_state("networkidle")
        panel.scroll_into_view_if_needed()
        shoot(page, "layer-legend")
        assert flaws(page) == []


def test_only_hosts_that_the_operator_names(samples: Service, maps: str, page: Page) -> None:
    links = service(maps, "/wms", "OGC:WMS", "Rain"), service("https://a.survey.example", "/wms", "OGC:WMS", "Ice")
    with sonde(samples, ["https://*.survey.example"], *links) as address:
        panel = opened(page, address)
        expect(panel.locator("li")).to_have_count(1)
        expect(panel).to_contain_text("Ice")
        policy = page.request.get(address, headers={"Accept": "text/html"}).headers["content-security-policy"]
        assert "img-src 'self' data: https://*.survey.example;" in policy
        assert "connect-src 'self' https://*.survey.example;" in policy
    with sonde(samples, [], *links) as address:
        page.goto(address + ERA5)
        page.locator(".leaflet-container .extent").first.wait_for(state="attached")
        expect(page.locator(".layers")).to_have_count(0)
        page.wait_for_load_state("networkidle")
