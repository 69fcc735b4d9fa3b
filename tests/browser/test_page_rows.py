"""A look into the data of a record: its first rows and a plot, from a server of this machine."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from core.record import Link
from tests.api.test_grid_rows import dataset as dataset
from tests.api.test_picture import host as host
from tests.api.test_picture import showing as pictures_of
from tests.api.test_picture import wms
from tests.api.test_rows import files as files
from tests.api.test_rows import showing
from tests.browser.conftest import Shoot, Visit, served
from tests.browser.test_page_people import flaws
from tests.service import Service

pytestmark = pytest.mark.elasticsearch

PHONE_AT_NIGHT: dict[str, object] = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
RECORD = "records/samples%3Aera5"


def test_the_first_rows_of_a_table_are_shown_and_drawn(
    visit: Visit, samples: Service, request: pytest.FixtureRequest, shoot: Shoot
) -> None:
    host = request.getfixturevalue("files")
    reader = showing(samples, f"{host}/rain.csv", f"{host}/erddap/tabledap/buoys.html", f"{host}/page.csv")
    with served(reader.application) as address:
        page = visit(RECORD, at=address)
        page.get_by_role("button", name="Look into the data").click()
        table = page.get_by_role("region", name="The first rows")
        expect(table.locator("tbody tr")).to_have_count(10)
        expect(table.locator("tbody tr").first).to_have_text("2020-01-011.5Gauge 1")
        plot = page.get_by_role("img", name="rain [mm] against time")
        assert len((plot.locator("polyline").get_attribute("points") or "").split()) == 28
        expect(page.get_by_text("10 rows are shown, at most 28 are drawn")).to_be_visible()
        plot.scroll_into_view_if_needed()
        shoot(page, "rows")
        assert flaws(page) == []
        page.get_by_role("combobox", name="Table").select_option(label="buoys.html")
        expect(page.get_by_role("img", name="wave (m) against time (UTC)")).to_be_visible()
        expect(page.get_by_text("All 2 rows")).to_be_visible()
        page.get_by_role("combobox", name="Table").select_option(label="page.csv")
        expect(page.get_by_role("alert")).to_contain_text("The provider did not send data")
        expect(page.get_by_text("sent something else than a table")).to_be_visible()


def test_a_variable_of_a_grid_is_drawn_at_a_point(
    visit: Visit, samples: Service, request: pytest.FixtureRequest, shoot: Shoot
) -> None:
    reader = showing(samples, f"{request.getfixturevalue('dataset')}.html")
    with served(reader.application) as address:
        page = visit(RECORD, at=address)
        page.get_by_role("button", name="Look into the data").click()
        variables = page.get_by_role("region", name="Variables")
        shown = variables.locator("tbody tr", has=page.get_by_role("button", name="sst", exact=True))
        expect(shown).to_contain_text('Sea "skin" temperature')
        expect(shown).to_contain_text("degC")
        expect(shown).to_contain_text("time 40 × lat 7 × lon 72")
        expect(page.get_by_role("region", name="The first rows")).to_have_count(0)
        shown.get_by_role("button").click()
        plot = page.get_by_role("img", name="sst (degC) against time")
        expect(plot.locator("polyline")).to_have_count(2)  # a value is missing
        lines = [(line.get_attribute("points") or "").split() for line in plot.locator("polyline").all()]
        assert sum(len(line) for line in lines) == 39
        page.get_by_label("Longitude").fill("-11")
        page.get_by_label("Latitude").fill("46")
        page.get_by_role("button", name="Read at this point").click()
        expect(page.get_by_text("lon (degrees_east): 350")).to_be_visible()
        plot.scroll_into_view_if_needed()
        shoot(page, "rows-grid")
        assert flaws(page) == []
        page.get_by_label("Latitude").fill("-60")
        page.get_by_role("button", name="Read at this point").click()
        expect(page.get_by_role("alert")).to_contain_text("go from 30 to 60")
        page.get_by_label("Latitude").fill("60")
        page.get_by_role("button", name="Read at this point").click()
        expect(page.get_by_text("lat (degrees_north): 60")).to_be_visible()


@pytest.mark.parametrize("options", [{}, PHONE_AT_NIGHT], ids=["desk", "phone-at-night"])
def test_a_picture_of_a_wms_and_of_a_geotiff(
    visit: Visit, samples: Service, request: pytest.FixtureRequest, shoot: Shoot, options: dict[str, object]
) -> None:
    host = request.getfixturevalue("host")
    links = (Link(f"{host}/height.tif", rel="download"), wms(host, "1.3.0", "Relief"), Link(f"{host}/whole.tif"))
    with served(pictures_of(samples, *links).application) as address:
        page = visit(RECORD, at=address, **options)
        page.get_by_role("button", name="Look into the data").click()
        expect(page.get_by_role("img", name="Picture of ERA5")).to_have_js_property("naturalWidth", 300)
        expect(page.get_by_text("Overview of 300 × 300 pixels")).to_be_visible()
        expect(page.get_by_text("Black is 5.98, white is 293.02")).to_be_visible()
        expect(page.get_by_text(f"Drawn from {host}/height.tif.")).to_be_visible()
        page.get_by_role("combobox", name="Picture").select_option(label="1.3.0")
        picture = page.get_by_role("img", name="Picture of Relief")
        expect(picture).to_have_js_property("naturalWidth", 640)
        expect(page.get_by_text("Layer: Relief")).to_be_visible()
        picture.scroll_into_view_if_needed()
        shoot(page, f"rows-picture{'-phone' if options else ''}")
        assert flaws(page) == []
        page.get_by_role("combobox", name="Picture").select_option(label="whole.tif")
        expect(page.get_by_role("alert")).to_contain_text("sends whole files only")


def test_a_record_without_a_table_offers_no_look(visit: Visit) -> None:
    page = visit(RECORD)
    expect(page.get_by_role("button", name="Cite")).to_be_visible()
    expect(page.get_by_role("button", name="Look into the data")).to_have_count(0)
