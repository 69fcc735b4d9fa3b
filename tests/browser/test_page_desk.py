"""The stewards' desk in a real browser: what is asked, rules, drafts, history and imports."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copy

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Page, Route, expect
from pydantic import SecretStr

from core.access import Caller, NotAuthenticated
from search_api.app import create_app
from sonde.settings import QueriesSettings
from sonde.wiring.api import api_parts
from tests.api.conftest import FEW
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_languages import ASKING, SMALL, fits
from tests.browser.test_page_rooms import sound
from tests.conftest import delete_indices
from tests.service import SAMPLES, Service

pytestmark = pytest.mark.elasticsearch

ASKED = {"rainfall in africa": 7, "sea surface temperature": 6, "snorkwhistle": 5, "my own village": 2}
"""How many people ask each question."""
ARGO = "samples:argo-gdac"
PLACES = "name,west,south,east,north\nLake Quokka,10,46,11,47\nNowhere,10,46,11\nRiver Wug,12,44,13,45\n"


class StewardAndReaders:
    """A steward with every scope, one who only curates, and readers by name."""

    def identify(self, bearer: str | None) -> Caller:
        known = {"steward": ("curate", "admin", "search"), "curator": ("curate", "search")}
        if bearer is None or bearer.startswith("reader"):
            return Caller(bearer, frozenset(("search",)))
        if bearer not in known:
            raise NotAuthenticated("This key is not known.")
        return Caller(bearer, frozenset(known[bearer]))  # type: ignore[arg-type]


@dataclass(frozen=True)
class TheDesk:
    address: str
    http: FlaskClient


@pytest.fixture(scope="module")
def desk(samples: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheDesk]:
    folder = tmp_path_factory.mktemp("few")
    for name in FEW:
        copy(SAMPLES / f"{name}.xml", folder)
    (folder / "spoilt.xml").write_text("<gmd:MD_Metadata", "utf-8")
    service = Service(samples.client, samples.url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    service.harvest(folder)
    given = QueriesSettings(keep="full", secret=SecretStr("a secret of the test"))
    parts = api_parts(service.settings.model_copy(update={"queries": given}), samples.models)
    app = create_app(replace(parts, authenticator=StewardAndReaders()))
    http = app.test_client()
    for question, people in ASKED.items():
        for person in range(people):
            _ask(http, question, f"reader{person}", opens=question.startswith("rain"))
    parts.queries.tick()
    service.client.indices.refresh(index=f"{service.prefix}-queries")
    with served(app) as address:
        yield TheDesk(address, http)
    delete_indices(service.client, service.prefix)


def _ask(http: FlaskClient, question: str, who: str, *, opens: bool) -> None:
    headers = {"Authorization": f"Bearer {who}"}
    found = http.get("/search", query_string={"q": question, "rerank": "false"}, headers=headers).get_json()
    if opens:
        http.post(f"/opened/{found['features'][0]['sonde:opened'].partition('/opened/')[2]}")


def entered(page: Page, key: str = "steward") -> None:
    page.locator(".key-form input").fill(key)
    page.keyboard.press("Enter")
    expect(page.locator(".parts")).to_be_visible()


def test_the_desk_needs_a_key_and_shows_first_what_needs_a_look(visit: Visit, desk: TheDesk, shoot: Shoot) -> None:
    page = visit("desk", at=desk.address)
    expect(page.get_by_label("Key or token")).to_be_visible()
    assert page.locator(".parts").count() == 0
    entered(page)
    expect(page.get_by_role("region", name="Most asked in 30 days")).to_contain_text("rainfall in africa")
    expect(page.get_by_role("region", name="Not found in 30 days")).to_contain_text("snorkwhistle")
    expect(page.get_by_role("region", name="Catalogues that need a look")).to_contain_text("1 refused")
    expect(page.locator(".tiles")).to_contain_text("20 questions")
    sound(page)
    shoot(page, "desk-overview")
    page.reload()
    expect(page.locator(".parts")).to_be_visible()
    page.get_by_role("link", name="Catalogues", exact=True).last.click()
    page.locator(".runs summary").first.press("Enter")
    expect(page.locator(".refusals")).to_contain_text("not well-formed")
    sound(page)
    shoot(page, "desk-sources")


def test_a_catalogue_is_removed_only_after_what_goes_is_said(visit: Visit, desk: TheDesk, shoot: Shoot) -> None:
    page = visit("desk/sources", at=desk.address)
    removals: list[str] = []

    def refuse(route: Route) -> None:
        if route.request.method == "DELETE":
            removals.append(route.request.url)
            route.fulfill(status=409, json={"title": "Conflict", "detail": "samples is being harvested now."})
        else:
            route.continue_()

    page.route("**/harvest/sources/samples", refuse)
    entered(page)
    button = page.get_by_role("button", name=re.compile("^Remove the catalogue"))
    button.click()
    question = page.get_by_role("group", name=re.compile("^Remove the catalogue"))
    expect(question).to_contain_text(f"{len(FEW)} records")
    expect(question).to_contain_text("It cannot be undone")
    sound(page)
    shoot(page, "desk-remove")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    button.click()
    assert removals == []
    question.get_by_role("button", name="Remove all of it").click()
    expect(page.get_by_role("alert")).to_contain_text("samples is being harvested now.")
    assert len(removals) == 1


def test_a_record_says_to_stewards_what_led_to_it(visit: Visit, desk: TheDesk, shoot: Shoot) -> None:
    question = {"q": "rainfall in africa", "rerank": "false"}
    opened = desk.http.get("/search", query_string=question, headers={"Authorization": "Bearer reader0"}).get_json()
    record = opened["features"][0]["id"].replace(":", "%3A")
    page = visit(f"records/{record}", at=desk.address)
    page.wait_for_load_state("networkidle")
    assert page.get_by_text("Questions that led here").count() == 0, "not for everybody"
    page.goto(f"{desk.address}desk")
    entered(page)
    page.goto(f"{desk.address}records/{record}")
    part = page.get_by_role("region", name="The steward's desk")
    expect(part).to_contain_text("% complete")
    expect(part).to_contain_text("rainfall in africa")
    expect(part).to_contain_text("7 people")
    page.wait_for_load_state("networkidle")
    sound(page)
    shoot(page, "record-steward")
    part.get_by_role("link", name="rainfall in africa").click()
    expect(page.locator(".hit").first).to_be_visible()
    page.wait_for_load_state("networkidle")


def test_a_question_leads_to_a_rule_that_counts_and_is_undone(visit: Visit, desk: TheDesk, shoot: Shoot) -> None:
    page = visit("desk/questions", at=desk.address)
    entered(page)
    expect(page.get_by_text("Questions of fewer than five people are not shown: 1, asked 2 times.")).to_be_visible()
    page.get_by_role("link", name="Not opened").click()
    rows = page.locator(".questions > li")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("sea surface temperature")
    assert "village" not in page.inner_text("main")
    sound(page)
    shoot(page, "desk-questions")
    rows.get_by_role("link", name="Pin a record for sea surface temperature").click()
    expect(page.get_by_role("textbox", name="Words")).to_have_value("sea surface temperature")
    page.get_by_label("Record (").fill("argo")
    page.locator(".found button", has_text=ARGO).press("Enter")
    page.get_by_label("Reason").fill("asked, never opened")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".rules h3")).to_contain_text("sea surface temperature → ")
    found = desk.http.get("/search?q=sea+surface+temperature", headers={"Authorization": "Bearer reader1"}).get_json()
    assert found["features"][0]["id"] == ARGO
    sound(page)
    shoot(page, "desk-pins")
    page.get_by_role("link", name="History").click()
    expect(page.locator(".rules > li").first).to_contain_text("added")
    page.get_by_role("button", name="Undo the change of sea surface temperature").press("Enter")
    page.get_by_role("button", name="Really?").press("Enter")
    expect(page.get_by_text("Undone.")).to_be_visible()
    expect(page.locator(".rules > li").first).to_contain_text("undone")
    sound(page)
    shoot(page, "desk-history")
    assert desk.http.get("/curation/pins", headers={"Authorization": "Bearer steward"}).get_json()["rules"] == []


def test_an_import_names_its_bad_lines_and_an_area_is_drawn(
    visit: Visit, desk: TheDesk, shoot: Shoot, tmp_path: Path
) -> None:
    page = visit("desk/rules/places", at=desk.address)
    entered(page, "curator")
    file = tmp_path / "places.csv"
    file.write_text(PLACES, "utf-8")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_text("2 rules were taken.")).to_be_visible()
    expect(page.locator(".refused-lines li")).to_have_count(1)
    expect(page.locator(".refused-lines")).to_contain_text("Line 2:")
    expect(page.locator(".rules > li")).to_have_count(2)
    page.get_by_role("button", name="Edit the rule Lake Quokka").click()
    form = page.get_by_role("group", name="Change the rule")
    form.get_by_label("East").fill("11.5")
    expect(form.locator(".leaflet-container .asked").first).to_be_attached()
    sound(page)
    shoot(page, "desk-places")
    form.get_by_role("button", name="Save", exact=True).click()
    expect(form.get_by_role("status").last).to_have_text("Saved.")
    expect(page.locator(".rules > li", has_text="Lake Quokka").locator(".facts")).to_contain_text("10, 46, 11.5, 47")
    page.get_by_role("link", name="Catalogues", exact=True).last.click()
    expect(page.get_by_role("alert")).to_contain_text("does not hold the scope admin")


def test_a_draft_is_tried_and_published(visit: Visit, desk: TheDesk, shoot: Shoot, tmp_path: Path) -> None:
    page = visit("desk/rules/blocks", at=desk.address)
    entered(page)
    page.get_by_label("Rules that").select_option("New draft")
    page.get_by_label("Name of the draft").fill("spring")
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/rules/blocks?draft=spring")
    top = desk.http.get("/search?q=sea+surface+temperature&group=none").get_json()["features"]
    page.get_by_label("Record (").fill(top[0]["id"])
    page.locator(".found button").first.click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".rules > li")).to_have_count(1)
    page.get_by_role("link", name="Drafts").click()
    page.get_by_role("link", name="spring").click()
    page.get_by_label("Questions, one a line").fill("sea surface temperature")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "sea surface temperature"}\n', "utf-8")
    (tmp_path / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\nq1\t{top[1]['id']}\t3\n", "utf-8")
    page.locator("input[type=file]").set_input_files([tmp_path / "queries.jsonl", tmp_path / "qrels.tsv"])
    expect(page.get_by_text("1 judged question, 1 grade")).to_be_visible()
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.locator(".moved").first).to_contain_text("up from 2 to 1")
    expect(page.locator(".moved").last).to_contain_text("falls out of the first ten (was 1)")
    expect(page.locator(".tried")).to_contain_text("nDCG@10: 0.631 now, 1.000 with the draft")
    sound(page)
    shoot(page, "desk-draft")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Really?").click()
    expect(page.get_by_text("1 rule counts now.")).to_be_visible()
    served_now = desk.http.get("/search?q=sea+surface+temperature&group=none").get_json()["features"]
    assert served_now[0]["id"] == top[1]["id"]


@pytest.mark.parametrize("language", ASKING)
def test_the_desk_fits_a_narrow_phone_in_every_language(
    visit: Visit, desk: TheDesk, shoot: Shoot, language: str
) -> None:
    page = visit(f"desk?lang={language}", at=desk.address, **SMALL)
    fits(page, 360)
    entered(page)
    for part in ("", "/questions", "/rules/overlays", "/sources"):
        page.goto(f"{desk.address}desk{part}?lang={language}")
        page.wait_for_selector(".parts")
        page.wait_for_load_state("networkidle")
        fits(page, 360)
        shoot(page, f"{language}-desk{part.replace('/', '-')}-360")
