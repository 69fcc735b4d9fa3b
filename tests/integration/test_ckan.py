"""CKAN 2.12 itself on both sides: harvested by Sonde, and searched through the extension that asks Sonde."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from elasticsearch import Elasticsearch
from playwright.sync_api import expect, sync_playwright

from es_mappings.codecs.runs import RunReport
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.sources.ckan import CkanSource
from search_api.app import create_app
from search_api.http.access.keys import Grant, KeyStore
from sonde.portal_settings import PortalSettings
from sonde.wiring.api import api_parts
from tests.browser.chromium import chromium
from tests.conftest import delete_indices
from tests.live import serving
from tests.servers.asking import all_of, fetcher_of
from tests.servers.ckan import Portal, ckan
from tests.service import Service
from tests.tcp_proxy import Door, door

SOURCE = "portal"
_AFRICA = {"type": "Polygon", "coordinates": [[[10, -35], [41, -35], [41, -8], [10, -8], [10, -35]]]}
_ABOUT = {
    "rain-southern-africa": ("Monthly precipitation of southern Africa", "Rain gauges of twelve countries since 1961."),
    "snow-alps": ("Snow depth in the Alps", "Daily snow depth at 600 stations."),
    "sea-level-baltic": ("Sea level of the Baltic", "Hourly tide gauges of nine countries."),
    "carbon-dioxide": ("Carbon dioxide in the air", "Greenhouse gas measured at a mountain station."),
    "soil-moisture": ("Soil moisture from satellites", "How wet the uppermost centimetres of the ground are."),
    "glaciers": ("Outlines of glaciers", "Ice bodies mapped from aerial photographs."),
    "groundwater": ("Groundwater levels", "Wells of the national survey."),
    "buses": ("Timetables of the city's buses", "Stops and lines."),
}
DATASETS: list[dict[str, Any]] = [
    {
        "name": name,
        "title": title,
        "notes": notes,
        "owner_org": "survey",
        "tags": [{"name": name.split("-")[0]}],
        "extras": [{"key": "spatial", "value": json.dumps(_AFRICA)}] if "africa" in name else [],
        "resources": [{"url": f"https://example.org/{name}.csv", "format": "CSV"}],
    }
    for name, (title, notes) in _ABOUT.items()
]
PORTAL = Grant("portal", frozenset(("search", "write")))
HIDDEN = {"name": "secret-wells", "title": "Secret groundwater wells", "owner_org": "survey", "private": True}


@dataclass(frozen=True)
class Both:
    """A portal, the Sonde it asks, and the wire between them, which can be cut."""

    portal: Portal
    service: Service
    wire: Door

    def harvest(self) -> RunReport:
        source = CkanSource(fetcher_of(self.portal.url), self.portal.url)
        return harvest(
            SOURCE, source, HarvestParts(self.service.client, self.service.prefix, self.service.models.embedder)
        )

    def names(self, q: str, **more: Any) -> list[str]:
        return [one["name"] for one in self.portal.action("package_search", q=q, **more)["results"]]


@pytest.fixture(scope="module")
def both(
    es_client: Elasticsearch, elasticsearch_url: str, broker_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Both]:
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    folder: Path = tmp_path_factory.mktemp("ckan")
    service.prepare()
    framed = service.settings.model_copy(
        update={"portal": PortalSettings.model_validate({"frame_ancestors": ["http://127.0.0.1:*"]})}
    )
    with serving(create_app(api_parts(framed, service.models))) as sonde, door(sonde) as wire:
        _, key = KeyStore(es_client, service.prefix).add(PORTAL, datetime.now(UTC))
        settings = {
            "ckanext.sonde.url": wire.url,
            "ckanext.sonde.public_url": wire.url,
            "ckanext.sonde.source": SOURCE,
            "ckanext.sonde.rest": "0",
            "ckanext.sonde.timeout": "60",  # the first question on a busy machine; the two seconds are a portal's
            "ckanext.sonde.key": key,
            "ckanext.sonde.push": "true",
        }
        with ckan(folder, broker_url, [*DATASETS, HIDDEN], settings) as portal:
            both = Both(portal, service, wire)
            both.harvest()
            yield both
    delete_indices(es_client, service.prefix)


def test_a_real_portal_is_harvested_without_what_is_private(both: Both) -> None:
    given = all_of(CkanSource(fetcher_of(both.portal.url), both.portal.url))
    titles = {json.loads(content)["title"] for content in given.contents.values()}
    assert titles == {title for title, _ in _ABOUT.values()}

    again = both.harvest()

    assert (again.counts.seen, again.counts.same) == (8, 8)
    found = both.service.search("precipitation in southern Africa")["features"][0]
    assert found["properties"]["title"] == "Monthly precipitation of southern Africa"
    assert found["geometry"] is not None


def test_a_question_in_other_words_is_answered_by_meaning(both: Both) -> None:
    found = both.portal.action("package_search", q="wetness of the ground")
    assert found["sonde"] == {"mode": "hybrid"}
    assert found["results"][0]["name"] == "soil-moisture"


def test_each_way_to_search_is_chosen_and_said(both: Both) -> None:
    words = both.portal.action("package_search", q="glacier outlines", extras={"ext_sonde": "bm25"})
    own = both.portal.action("package_search", q="glacier outlines", extras={"ext_sonde": "own"})
    assert (words["sonde"]["mode"], words["results"][0]["name"]) == ("bm25", "glaciers")
    assert "sonde" not in own


def test_pages_counts_and_facets_are_those_of_ckan(both: Both) -> None:
    whole = both.portal.action("package_search", q="measurements of water", **{"facet.field": ["organization"]})
    assert whole["count"] >= 3
    assert whole["search_facets"]["organization"]["items"][0]["count"] == whole["count"]
    starts = range(whole["count"])
    paged = [name for start in starts for name in both.names("measurements of water", rows=1, start=start)]
    assert paged == [one["name"] for one in whole["results"]]


def test_the_portal_shows_sonde_s_search_in_its_own_frame(both: Both) -> None:
    path = chromium()
    if path is None:
        pytest.skip("needs Debian's package chromium-headless-shell or chromium")
    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"]).new_page()
        page.goto(f"{both.portal.url}/sonde")
        search = page.frame_locator("sonde-search iframe")
        search.get_by_label("What are you looking for?").fill("wetness of the ground")
        search.get_by_label("What are you looking for?").press("Enter")
        expect(search.locator(".hit").first).to_contain_text("Soil moisture from satellites", timeout=60_000)
        expect(page.get_by_role("heading", level=1)).to_contain_text("Search by what, where and when")


def test_what_is_private_is_shown_to_nobody_else(both: Both) -> None:
    assert "secret-wells" not in both.names("groundwater wells")


def test_listings_and_solr_stay_with_ckan(both: Both) -> None:
    assert len(both.names("")) == 8
    assert both.names("name:glaciers") == ["glaciers"]


def test_the_search_page_has_the_switch(both: Both) -> None:
    page = httpx.get(f"{both.portal.url}/dataset/", params={"q": "glacier outlines", "ext_sonde": "bm25"}, timeout=60)
    assert page.status_code == 200
    assert '<option value="bm25" selected="selected">' in page.text
    assert "Outlines of glaciers" in page.text


def test_changes_are_told_at_once_and_what_becomes_private_is_taken_away(both: Both) -> None:
    steward = {"as_steward": True}
    both.portal.action("package_patch", **steward, id="buses", title="Permafrost temperatures in boreholes")
    wells = both.portal.action("package_show", **steward, id="groundwater")["id"]
    both.portal.action("package_patch", **steward, id="groundwater", private=True)

    done = both.portal.run("jobs", "worker", "--burst")

    assert done.returncode == 0, done.stderr[-2000:]
    titles = [hit["properties"]["title"] for hit in both.service.search("permafrost", source=SOURCE)["features"]]
    assert titles[0] == "Permafrost temperatures in boreholes"
    assert both.service.http.get(f"/collections/{SOURCE}/items/{SOURCE}:{wells}").status_code == 404


def test_without_sonde_ckan_answers_by_itself_and_comes_back(both: Both) -> None:
    both.wire.close()
    try:
        alone = both.portal.action("package_search", q="glaciers")
        assert alone["sonde"]["mode"] == "own"
        assert alone["sonde"]["instead_of"] == "hybrid"
        assert [one["name"] for one in alone["results"]] == ["glaciers"]
        told = both.portal.run("sonde", "status")
        assert told.returncode == 1
        assert "does not answer" in told.stderr
    finally:
        both.wire.open()
    assert both.portal.action("package_search", q="glaciers")["sonde"] == {"mode": "hybrid"}
