"""A picture of the data of a record: from a WMS and from files of this machine, written to the standards."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from flask import Flask, Response, request
from flask.testing import FlaskClient
from PIL import Image

from core.record import Link, Record
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.pictures.reader import PictureReader, picture_links
from sonde.wiring.api import api_parts
from tests.browser.conftest import served
from tests.servers.map_pictures import colour, map_pictures, xml
from tests.servers.pictures import Linked
from tests.service import Service

ITEM = "/collections/samples/items/samples:era5/picture"


def height_file() -> bytes:
    out = io.BytesIO()
    values = np.add.outer(np.arange(300), np.zeros(300)).astype("float32")
    Image.fromarray(values).save(out, "TIFF", compression="tiff_lzw")
    return out.getvalue()


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    site = map_pictures()
    file = height_file()

    def ranges() -> Response:
        answer = Response(file, mimetype="image/tiff")
        answer.accept_ranges = "bytes"
        return answer.make_conditional(request, accept_ranges=True, complete_length=len(file))

    site.add_url_rule("/height.tif", "height", ranges)
    site.add_url_rule("/whole.tif", "whole", lambda: Response(file, mimetype="image/tiff"))
    site.add_url_rule("/page.tif", "page", lambda: Response("<html>", 206))
    site.add_url_rule("/empty/wms", "empty", lambda: xml("<WMS_Capabilities version='1.3.0'/>"))
    with served(site) as address:
        yield address.rstrip("/")


def showing(samples: Service, *links: Link, allowed: bool = True, on: bool = True) -> FlaskClient:
    parts = api_parts(samples.settings, samples.models)
    policy = GatePolicy(allowed_hosts=frozenset(("127.0.0.1",) if allowed else ()))
    reader = PictureReader((lambda: Gate(policy)) if on else None, timeout_s=5.0)
    app: Flask = create_app(replace(parts, records=Linked(parts.records, links), pictures=reader))  # type: ignore[arg-type]
    return app.test_client()


def wms(host: str, version: str, name: str = "") -> Link:
    return Link(f"{host}/wms/{version}?request=GetCapabilities", rel="service", protocol="OGC:WMS", name=name)


def image(picture: str) -> Image.Image:
    kind, _, content = picture.partition(",")
    assert kind == "data:image/webp;base64"
    return Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")


def test_a_wms_is_asked_for_the_area_of_the_record(samples: Service, host: str) -> None:
    body = showing(samples, wms(host, "1.3.0", "Ice")).get(ITEM).get_json()
    west, south, east, north = body["bbox"]
    assert (body["layer"], body["low"], body["size"]) == ("Ice", None, None)
    drawn = image(body["picture"])
    assert max(drawn.size) == 640
    for across, down in ((0.2, 0.3), (0.7, 0.8)):
        seen = drawn.getpixel((round(across * drawn.width), round(down * drawn.height)))
        there = colour(west + across * (east - west), north - down * (north - south))
        assert seen == pytest.approx(there, abs=12)  # WebP


def test_an_overview_of_a_geotiff(samples: Service, host: str) -> None:
    body = showing(samples, Link(f"{host}/height.tif", rel="download"), wms(host, "1.3.0")).get(ITEM).get_json()
    assert body["size"] == [300, 300]
    assert (body["low"], body["high"]) == pytest.approx((5.98, 293.02), abs=0.1)
    drawn = image(body["picture"])
    assert drawn.getpixel((150, 20))[0] < 40  # type: ignore[index]
    assert drawn.getpixel((150, 280))[0] > 215  # type: ignore[index]
    assert [href.split("?")[0] for href in body["pictures"]] == [f"{host}/height.tif", f"{host}/wms/1.3.0"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/whole.tif", "sends whole files only"),
        ("/page.tif", "it is no TIFF"),
        ("/empty/wms", "names no layer"),
        ("/wms/1.1.1?service=WMS", "sent an error instead of a picture"),  # it knows Mercator only
        ("/gone.tif", "did not send the picture"),
    ],
    ids=["no-ranges", "page", "no-layer", "no-degrees", "gone"],
)
def test_what_is_no_picture_is_said(samples: Service, host: str, path: str, reason: str) -> None:
    answer = showing(samples, Link(f"{host}{path}", rel="data")).get(ITEM)
    assert answer.status_code == 503
    assert reason in answer.get_json()["detail"]


def test_only_links_of_the_record_and_only_permitted_hosts(samples: Service, host: str) -> None:
    http = showing(samples, Link(f"{host}/height.tif", rel="download"))
    assert http.get(ITEM, query_string={"href": f"{host}/whole.tif"}).status_code == 404
    refused = showing(samples, Link(f"{host}/height.tif", rel="download"), allowed=False).get(ITEM)
    assert (refused.status_code, "did not send the picture" in refused.get_json()["detail"]) == (503, True)
    assert showing(samples, Link(f"{host}/height.tif"), on=False).get(ITEM).status_code == 404
    assert showing(samples, Link(f"{host}/rain.csv")).get(ITEM).status_code == 404


def test_which_links_are_pictures_of_data() -> None:
    links = (
        Link("https://a.example/dem.TIF?v=2"),
        Link("https://a.example/get", media_type="image/tiff; application=geotiff"),
        Link("https://a.example/geoserver/wms?layers=a"),
        Link("https://a.example/ows?map=b&service=WMS"),
        Link("https://a.example/x", protocol="OGC:WMS-1.1.1-http-get-map"),
        Link("https://a.example/x", protocol="OGC:WMTS"),
        Link("https://a.example/small.tif", rel="preview"),
        Link("ftp://a.example/dem.tif"),
        Link("https://a.example/wms-manual.pdf"),
    )
    record = Record("a:b", "a", "b", "A", links=links)
    assert picture_links(record) == links[:5]
