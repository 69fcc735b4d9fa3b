"""What leads on from a record's page: versions, sources, uses, documents that name it, works that cite it."""

from __future__ import annotations

from playwright.sync_api import expect

from search_api.app import create_app
from sonde.document_settings import CitationsSettings
from sonde.settings import NetSettings
from sonde.wiring.api import api_parts
from tests.api.test_related import StandIn, events, service
from tests.browser.conftest import Shoot, Visit, served, until
from tests.browser.test_page_people import flaws
from tests.browser.test_page_rooms import sound
from tests.service import Service

__all__ = ("events", "service")


def test_a_record_leads_on(visit: Visit, service: Service, events: StandIn, shoot: Shoot) -> None:
    citing = {
        "citations": CitationsSettings(events_url=events.url),  # type: ignore[arg-type]
        "net": NetSettings(allowed_hosts=(events.url.split("/")[2],)),
    }
    app = create_app(api_parts(service.settings.model_copy(update=citing)))  # with a gate of its own
    with served(app) as address:
        page = visit("records/a%3Asix", at=address)
        expect(page.locator(".newer")).to_contain_text("Daily snow cover of the Alps, Version 7")
        for title, record in {
            "Newer versions": "Version 7", "Older versions": "Version 5", "Made from": "Raw reflectance",
            "What was made from it": "Snow days", "Part of": "The snow campaign", "Its parts": "One tile",
            "The same data set in other catalogues": "The same in another catalogue",
            "Others of the same collection": "Soil temperature", "Others of the project SNOWPEX": "Lidar flights",
        }.items():  # fmt: skip
            expect(page.get_by_role("region", name=title, exact=True)).to_contain_text(record)
        expect(page.get_by_role("region", name="Named in documents")).to_contain_text("Snow seen from space")
        expect(page.get_by_role("region", name="Cited elsewhere")).to_contain_text("10.9999/paper")
        assert "Version 8" not in page.inner_text("main"), "a group's own"
        page.wait_for_load_state("networkidle")
        sound(page)
        shoot(page, "record-kin")
        explains = page.get_by_role("region", name="Documents that explain it")
        explains.get_by_text("Tables (1)").click()
        explains.get_by_text("Table 1. Snow days at the stations").click()
        expect(explains.get_by_role("row", name="Andermatt 172")).to_be_visible()
        sound(page)
        page.get_by_role("region", name="Older versions").get_by_role("link").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Version 5")
        page.goto(address + "?q=daily+snow+cover+of+the+Alps&lang=de")
        old = page.locator(".hit", has=page.get_by_role("link", name="Version 5"))
        expect(old.locator(".newer")).to_contain_text(
            "Es gibt eine neuere Version: Daily snow cover of the Alps, Version 7"
        )
        expect(page.locator(".hit", has_text="Raw reflectance").locator(".newer")).to_have_count(0)
        assert flaws(page) == []
        old.scroll_into_view_if_needed()
        shoot(page, "hit-newer")
        page.set_viewport_size({"width": 390, "height": 844})
        until(page, "document.documentElement.scrollWidth === 390")
        old.locator(".newer a").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Version 7")
        page.close()  # it may still be asking: the service ends here
