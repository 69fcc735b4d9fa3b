"""Settings, numbers and messages in the portals' pages are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from core.cells import COARSEST, FINEST, MOST_CELLS
from core.errors import SondeError
from search_api.catalogue.fair.reader import MOST_RECORDS
from search_api.catalogue.listing import _MOST_STEMMED_WORDS
from search_api.catalogue.previews import LARGEST_EDGE
from search_api.catalogue.related.relations import _RARE_PROJECT
from search_api.http.responses import LEAST_COMPRESSED_BYTES
from search_api.protocols.csw.request import LARGEST_PAGE
from search_api.protocols.stac.transactions import MOST_ITEMS
from sonde.settings import HttpSettings, Settings, load_settings
from sonde.wiring.access import GRANULE_RATE

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "portals"
PAGES = sorted(FOLDER.glob("*.md"))
NUMBERS = {
    "search-api.md": (
        f"at most {MOST_CELLS:,} cells",
        f"`cell_level` ({COARSEST} to {FINEST})",
        f"Answers of {LEAST_COMPRESSED_BYTES >> 10} KiB and more are compressed",
        f"for `SONDE_HTTP__MAX_AGE_S` seconds ({HttpSettings().max_age_s})",
    ),
    "listing-and-stac.md": (
        f"that has {_RARE_PROJECT} or fewer",
        f"may ask {GRANULE_RATE.removesuffix('/minute')} times a minute",
        f"at most {LARGEST_EDGE} pixels",
        f"or {MOST_RECORDS:,} random ones",
    ),
    "standards.md": (
        f"of more than {_MOST_STEMMED_WORDS} words",
        f"of up to {MOST_ITEMS}.",
        f"at most {LARGEST_PAGE} records a page",
    ),
}


def _variables() -> set[str]:
    groups = {name: entry.annotation for name, entry in Settings.model_fields.items()}
    return {
        f"SONDE_{group}__{name}".upper()
        for group, model in groups.items()
        if isinstance(model, type) and issubclass(model, BaseModel)
        for name in model.model_fields
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_each_variable_that_a_page_names_is_a_setting(page: Path) -> None:
    assert set(re.findall(r"SONDE_[A-Z]+__[A-Z_]+[A-Z]", page.read_text("utf-8"))) - _variables() == set()


def test_a_colour_is_refused_with_the_message_that_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    page = (FOLDER / "embed-and-theme.md").read_text("utf-8")
    shown = page.partition("```text\n")[2].partition("\n```")[0]
    (colour,) = re.findall(r"export SONDE_PORTAL__ACCENT='(.+)'", page)
    monkeypatch.setenv("SONDE_PORTAL__ACCENT", colour)
    with pytest.raises(SondeError) as refused:
        load_settings()
    assert shown.removeprefix("sonde: ") in str(refused.value)


def test_the_variables_of_the_look_are_all_there() -> None:
    page = (FOLDER / "embed-and-theme.md").read_text("utf-8")
    look = {name for name in _variables() if name.startswith("SONDE_PORTAL__")} - {"SONDE_PORTAL__LANGUAGES"}
    assert look - set(re.findall(r"SONDE_PORTAL__[A-Z_]+[A-Z]", page)) == set()


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, texts in NUMBERS.items() for text in texts])
def test_a_number_is_that_of_the_code(page: str, text: str) -> None:
    assert text in (FOLDER / page).read_text("utf-8")
