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
from tests.servers.pictures import Linked
from tests.service import Service

ERA5 = "records/samples%3Aera5-single-levels-hourly"
CAPABILITIES = """<WMS_Capabilities xmlns="http://www.opengis.net/wms"><Capability><Layer><Title>All</Title>
<Layer><Name>rain</Name><Title>Rainfall &amp; snow</Title></Layer><Layer><Name>wind</Name></Layer></Layer></Capability>
</WMS_Capabilities>"""
FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [10, 50]}},
        {"type": "Feature", "properties": {}, "geometry": None},
        {"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": [[0, 0], [20, 30]]}},
    ],
}


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
        right = request.args["request"] == "GetMap" and request.args["srs"] == "EPSG:4326" and request.args["layers"]
        return Response(drawn.getvalue(), 200 if right else 400, mimetype="image/png")

    def features(name: str = "") -> Response:
        empty = name == "none" or request.args.get("TYPENAMES") == "empty"
        return Response(
            json.dumps({**FEATURES, "features": []} if empty else FEATURES), mimetype="application/geo+json"
        )

    site.add_url_rule("/wms", "wms", wms)
    site.add_url_rule("/closed/wms", "closed", wms)
    site.add_url_rule("/wfs", "wfs", features)
    site.add_url_rule("/ogc/collections", "names", lambda: {"collections": names})
    site.add_url_rule("/ogc/collections/<name>/items", "features", features)

    def open_up(answer: Response) -> Response:
        if not request.path.startswith("/closed"):
            answer.headers["Access-Control-Allow-Origin"] = "*"
        return answer

    site.after_request(open_up)
    with served(site) as address:
        yield address.rstrip("/")


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
        pictures = page.locator(".layer-pane img")
        expect(pictures).to_have_count(0)
        panel.get_by_label("Rain", exact=True).check()
        expect(pictures.first).to_have_js_property("naturalWidth", 256)
        panel.get_by_label("Layer of Rain").select_option(label="wind")
        expect(page.locator('.layer-pane img[src*="layers=wind"]').first).to_be_attached()
        expect(page.locator('.layer-pane img[src*="layers=rain"]')).to_have_count(0)
        panel.get_by_label("Opacity of Rain").fill("30")
        expect(page.locator(".layer-pane")).to_have_css("opacity", "0.3")
        expect(panel.get_by_role("status")).to_be_empty()
        page.wait_for_load_state("networkidle")
        assert flaws(page) == []
        shoot(page, "record-wms")
        page.get_by_label("View of the map").select_option("north")
        expect(panel.get_by_role("status")).to_contain_text("in the view World only")
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
        opened(page, address).get_by_label("rain", exact=True).check()
        expect(page.locator('.layer-pane img[src*="layers=rain"]').first).to_have_js_property("naturalWidth", 256)
        page.wait_for_load_state("networkidle")


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
