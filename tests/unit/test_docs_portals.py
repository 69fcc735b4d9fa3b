"""What the portals' pages say of settings is what the settings are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from core.errors import SondeError
from sonde.settings import Settings, load_settings

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "portals"
PAGES = sorted(FOLDER.glob("*.md"))


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
    look = {name for name in _variables() if name.startswith("SONDE_PORTAL__")}
    assert look - set(re.findall(r"SONDE_PORTAL__[A-Z_]+[A-Z]", page)) == set()
