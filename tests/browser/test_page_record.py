"""A record's own page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
from playwright.sync_api import expect

from core.record import Link
from evaluation.local_server import serve as serving
from net.gate import Gate, GatePolicy
from search_api.app import create_app
from search_api.catalogue.granules.searches import GranuleSearches
from search_api.catalogue.previews import Previews
from sonde.wiring.api import api_parts
from tests.browser.conftest import Shoot, Visit, open_record, served
from tests.browser.test_page_people import flaws
from tests.servers.pictures import Linked, Pictures
from tests.service import Service

ERA5 = "records/samples%3Aera5-single-levels-hourly"
TITLE = "ERA5 hourly data on single levels from 1940 to present"


def test_a_record_has_an_address_of_its_own(visit: Visit, shoot: Shoot) -> None:
    page = visit(ERA5)
    expect(page.get_by_role("heading", level=1)).to_have_text(TITLE)
    expect(page.get_by_role("link", name="10.24381/cds.adbb2d47")).to_have_attribute(
        "href", "https://doi.org/10.24381/cds.adbb2d47"
    )
    facts = page.locator(".facts-list").inner_text()
    assert "1940 to today" in facts
    assert "180° W – 180° E, 90° S – 90° N" in facts
    assert "1 hour" in facts
    page.wait_for_selector(".leaflet-container .extent")
    expect(page.locator(".alternates a")).not_to_have_count(0)
    expect(page.locator(".origin .agent")).to_have_text("Copernicus Climate Change Service")
    expect(page.locator(".similar a").first).to_contain_text("ERA5")
    shoot(page, "record")


def test_a_record_without_a_period_has_no_row_for_it(visit: Visit) -> None:
    page = visit("records/samples%3Agebco-2024")
    expect(page.locator(".facts-list dt", has_text="area")).to_have_count(1)
    expect(page.locator(".facts-list dt", has_text="time")).to_have_count(0)


def test_a_record_is_cited_in_three_formats(visit: Visit, tmp_path: Path) -> None:
    page = visit(ERA5)
    page.get_by_role("button", name="Cite").click()
    expect(page.locator(".citation")).to_contain_text("https://doi.org/10.24381/cds.adbb2d47")
    said = {}
    for name in ("BibTeX", "RIS", "DataCite"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download as {name}").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        said[file.suffix] = file.read_text("utf-8")
    assert 'doi = "10.24381/cds.adbb2d47"' in said[".bib"]  # as the service writes it for programs
    assert "DO  - 10.24381/cds.adbb2d47" in said[".ris"]
    assert '"publicationYear": "2018"' in said[".json"]


def test_a_record_says_whether_there_are_granules_here_and_then(
    samples: Service, address: str, visit: Visit, shoot: Shoot
) -> None:
    """The other side is Sonde's own STAC API, over HTTP."""
    parts = api_parts(samples.settings, samples.models)
    searches = GranuleSearches(lambda: Gate(GatePolicy(allowed_hosts=frozenset(("127.0.0.1",)))))
    records = Linked(parts.records, (Link(f"{address}stac/collections/samples", rel="related"),))
    app = create_app(replace(parts, records=records, granules=searches))  # type: ignore[arg-type]
    with served(app) as url:
        page = visit(ERA5, at=url)
        granules = page.get_by_role("region", name="Granules")
        granules.get_by_label("Area").fill("5, 47, 6, 48")
        granules.get_by_label("From").fill("2006-01-01")
        granules.get_by_role("button", name="Look there").click()
        expect(granules.get_by_role("status")).to_contain_text("3 granules at 127.0.0.1")
        expect(granules.locator(".histogram li")).to_have_count(3)
        expect(granules.get_by_role("link", name="CHIRPS Version 2.0")).to_be_visible()
        shoot(page, "granules")
        granules.get_by_label("Area").fill("-120,80,-119,81")
        granules.get_by_role("button", name="Look there").click()
        expect(granules.get_by_role("status")).to_contain_text("There is nothing at")
        granules.get_by_label("Area").fill("somewhere")
        granules.get_by_role("button", name="Look there").click()
        expect(granules.get_by_role("status")).to_contain_text("That did not work.")
        expect(granules.get_by_role("status")).to_contain_text("bbox: needs four numbers")
        page.wait_for_load_state("networkidle")


def test_a_record_shows_the_picture_that_it_names(samples: Service, visit: Visit, shoot: Shoot) -> None:
    parts = api_parts(samples.settings, samples.models)
    with serving(Pictures()) as host:
        gate = Gate(GatePolicy(allowed_hosts=frozenset((host.removeprefix("http://"),))))
        linked = Linked(parts.records, (Link(f"{host}/wide.png", rel="preview"),))
        app = create_app(replace(parts, records=linked, previews=Previews(lambda: gate)))  # type: ignore[arg-type]
        with served(app) as address:
            page = visit(ERA5, at=address)
            picture = page.get_by_role("img", name=f"Preview: {TITLE}")
            expect(picture).to_have_js_property("naturalWidth", 640)
            shoot(page, "record-preview")


OFFERED = (
    Link("https://data.example/wms?service=WMS", rel="service", protocol="OGC:WMS", name="rain"),
    Link("https://data.example/all.nc", rel="download", name="All years"),
    Link("https://data.example/gone.csv", rel="download", name="Table"),
    Link("https://data.example/about", rel="about", name="Landing page"),
)


def test_the_first_row_offers_only_what_the_record_has(samples: Service, visit: Visit, shoot: Shoot) -> None:
    parts = api_parts(samples.settings, samples.models)
    broken = frozenset({"https://data.example/gone.csv"})
    linked = Linked(parts.records, OFFERED)
    app = create_app(replace(parts, records=linked, broken_links=lambda _source: broken))  # type: ignore[arg-type]
    with served(app) as address:
        page = visit(ERA5, at=address)
        row = page.get_by_role("region", name="What you can do with it")
        expect(row.get_by_role("link", name="Download NC")).to_have_attribute("href", "https://data.example/all.nc")
        expect(row.get_by_role("button")).to_have_text(
            ["Open in Python", "Open in QGIS", "Look into the data", "Cite", "Share", "Add to basket"]
        )
        row.get_by_role("button", name="Open in Python").press("Enter")
        codes = page.locator(".for-python code").all_inner_texts()
        assert ['WebMapService("https://data.example/wms"' in code for code in codes] == [True, False]
        for code in codes:
            compile(code, "shown", "exec")
        assert flaws(page) == []
        shoot(page, "record-python")
        row.get_by_role("button", name="Open in QGIS").press("Enter")
        expect(page.locator(".for-python")).to_be_hidden()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save the connection").click()
        assert 'url="https://data.example/wms"' in download.value.path().read_text("utf-8")
        expect(page.locator(".links li", has_text="Table")).to_contain_text("did not answer at the last check")
        expect(page.locator(".facts-list summary")).to_be_visible()


def test_a_record_without_links_can_be_cited_and_shared(samples: Service, visit: Visit) -> None:
    parts = api_parts(samples.settings, samples.models)
    app = create_app(replace(parts, records=Linked(parts.records, ())))  # type: ignore[arg-type]
    with served(app) as address:
        row = visit(ERA5, at=address).get_by_role("region", name="What you can do with it")
        expect(row.get_by_role("button")).to_have_text(["Cite", "Share", "Add to basket"])
        expect(row.get_by_role("link", name="Download")).to_have_count(0)
        row.page.wait_for_load_state("networkidle")


def test_the_way_there_and_back(visit: Visit) -> None:
    page = visit("?q=sea+ice")
    first = page.locator(".hit h2 a").first
    title = first.inner_text()
    open_record(page)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator("#main")).to_be_focused()
    page.get_by_role("link", name="Back to the results").click()
    page.wait_for_url("**/?q=sea+ice&record=*")
    page.get_by_role("button", name="Close the record").click()
    page.wait_for_url("**/?q=sea+ice")
    expect(page.locator(".hit").first).to_be_visible()
    page.locator(".leaflet-control-zoom-in").click()
    page.go_forward()
    page.go_forward()  # the link went back in the browser's history
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.wait_for_timeout(400)  # the zoom, whose map is gone, ends 250 ms after its begin


def test_a_record_that_is_not_there_says_so(visit: Visit) -> None:
    page = visit("records/samples%3Anope")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such record")


def test_crawlers_read_the_record_and_the_right_status(address: str) -> None:
    found = httpx.get(address + ERA5)
    assert found.status_code == 200
    assert f"<title>{TITLE}</title>" in found.text
    assert '<script type="application/ld+json">{"@context": "https://schema.org/", "@type": "Dataset"' in found.text
    assert httpx.get(f"{address}records/samples%3Anope").status_code == 404


def test_a_source_shows_how_fair_its_metadata_are(visit: Visit, shoot: Shoot) -> None:
    page = visit("sources")
    source = page.locator(".sources li", has=page.get_by_role("link", name="The hand-written sample catalogue"))
    source.locator("summary").click()
    table = source.get_by_role("table", name="FAIR indicators of The hand-written sample catalogue")
    expect(table.get_by_role("rowheader")).to_have_count(19)
    expect(source).to_contain_text("Of 169 records.")
    licence = table.get_by_role("row", name="RDA-R1.1-02M")
    expect(licence).to_contain_text("39%")
    expect(licence).to_contain_text("Choose a known licence")
    expect(table.get_by_role("row", name="RDA-A1-03D")).to_contain_text("not measured")
    expect(table.get_by_role("row", name="RDA-A1-01M")).to_contain_text("100%Nothing")
    page.wait_for_load_state("networkidle")
    assert flaws(page) == []
    shoot(page, "sources-fair")
    page.locator("header select").select_option("de")
    expect(source.get_by_role("columnheader")).to_have_text(["Indikator", "Vorrang", "Anteil", "Was zu verbessern ist"])
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shoot(page, "sources-fair-phone")
    page.wait_for_load_state("networkidle")


def test_the_sources_are_listed_with_their_size(visit: Visit, shoot: Shoot) -> None:
    page = visit("sources")
    source = page.locator(".sources li", has=page.get_by_role("link", name="The hand-written sample catalogue"))
    expect(source).to_contain_text("169 records")
    shoot(page, "sources")
    source.get_by_role("link").click()
    page.wait_for_url("**/?source=samples")
    expect(page.locator(".hit")).to_have_count(20)
