"""A record's own picture: from a real server of this machine, through the real gate, drawn anew."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from PIL import Image
from structlog.testing import capture_logs

from core.record import Link
from evaluation.local_server import serve
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.previews import PreviewLimits, Previews
from search_api.parts import Parts
from sonde.settings import PreviewSettings
from sonde.wiring.api import api_parts
from sonde.wiring.portal import previews
from tests.servers.pictures import Linked, Pictures
from tests.service import Service

ITEM = "/collections/samples/items/samples:era5-single-levels-hourly"
SAID = f"The preview of {ITEM.rpartition(chr(47))[2]!r} cannot be shown."


@pytest.fixture
def pictures() -> Iterator[Pictures]:
    server = Pictures()
    with serve(server):
        yield server


@pytest.fixture(scope="module")
def parts(samples: Service) -> Parts:
    return api_parts(samples.settings, samples.models)


def allowing(server: Pictures, **limits: float) -> Previews:
    policy = GatePolicy(allowed_hosts=frozenset((f"127.0.0.1:{server.server_port}",)))
    return Previews(lambda: Gate(policy), PreviewLimits(**limits))  # type: ignore[arg-type]


def client(parts: Parts, server: Pictures, *names: str, shown_by: Previews | None = None) -> FlaskClient:
    links = tuple(Link(f"http://127.0.0.1:{server.server_port}/{name}", rel="preview") for name in names)
    shown = allowing(server) if shown_by is None else shown_by
    records = Linked(parts.records, links)
    return create_app(replace(parts, records=records, previews=shown)).test_client()  # type: ignore[arg-type]


def test_it_is_drawn_anew_in_a_small_size_and_fetched_once(parts: Parts, pictures: Pictures) -> None:
    http = client(parts, pictures, "wide.png")
    answer = http.get(f"{ITEM}/preview")
    assert (answer.status_code, answer.mimetype) == (200, "image/webp")
    with Image.open(io.BytesIO(answer.data)) as drawn:
        assert (drawn.format, drawn.size) == ("WEBP", (640, 160))  # 1600 x 400, the longer edge at 640
    again = http.get(f"{ITEM}/preview", headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304
    assert pictures.asked == ["/wide.png"]


def test_the_record_leads_to_it(parts: Parts, pictures: Pictures) -> None:
    links = client(parts, pictures, "wide.png").get(ITEM).get_json()["links"]
    ours = [one["href"] for one in links if one["rel"] == "preview" and one.get("type") == "image/webp"]
    assert ours == [f"http://localhost{ITEM}/preview"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("page.png", "no PNG, JPEG, GIF or WebP"),
        ("drawing.png", "no PNG, JPEG, GIF or WebP"),
        ("cut.png", "damaged"),
        ("huge.png", "more than 24,000,000 pixels"),
        ("heavy.png", "more than 100,000 bytes"),
        ("gone.png", "HTTP status 404"),
    ],
)
def test_what_is_no_fit_picture_is_not_sent_on(parts: Parts, pictures: Pictures, name: str, why: str) -> None:
    with capture_logs() as events:
        answer = client(parts, pictures, name, shown_by=allowing(pictures, max_bytes=100_000)).get(f"{ITEM}/preview")
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
    assert answer.get_json()["detail"] == SAID
    assert why in next(one["reason"] for one in events if one["event"] == "preview.none")


def test_the_next_picture_stands_in_and_the_bad_one_is_not_asked_again(parts: Parts, pictures: Pictures) -> None:
    http = client(parts, pictures, "gone.png", "wide.png")
    assert [http.get(f"{ITEM}/preview").status_code for _ in range(2)] == [200, 200]
    assert pictures.asked == ["/gone.png", "/wide.png"]


def test_addresses_of_our_own_network_are_not_asked(parts: Parts, pictures: Pictures) -> None:
    answer = client(parts, pictures, "wide.png", shown_by=Previews(Gate)).get(f"{ITEM}/preview")
    assert answer.status_code == 404
    assert answer.get_json()["detail"] == SAID, "nobody learns which addresses of ours there are"
    assert pictures.asked == []


def test_without_one_and_switched_off_it_is_404(samples: Service, parts: Parts, pictures: Pictures) -> None:
    assert "name no preview" in client(parts, pictures).get(f"{ITEM}/preview").get_json()["detail"]
    off = previews(samples.settings.model_copy(update={"preview": PreviewSettings(enabled=False)}), Gate)
    http = client(parts, pictures, "wide.png", shown_by=off)
    assert "switched off" in http.get(f"{ITEM}/preview").get_json()["detail"]
    assert [one for one in http.get(ITEM).get_json()["links"] if one.get("type") == "image/webp"] == []
    assert pictures.asked == []
