"""Settings of a portal's look: what is refused, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from search_api.page.shell import PortalLook
from sonde.portal_settings import PortalSettings, contrast
from sonde.settings import Settings
from sonde.wiring.portal import portal_look


def test_contrast_is_wcag_s() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"accent": "#f0a000"}, "has a contrast of 1.8 with the light background #e4eff4; links need 4.5"),
        ({"accent_dark": "#0b5f80"}, "with the dark background #1f3440"),
        ({"accent": "red"}, "pattern"),
        ({"font": "x; } body { display: none"}, "pattern"),
        ({"logo": "/nowhere.svg"}, "must be an existing file ending in .svg or .png"),
        ({"frame_ancestors": ["https://a.example; script-src *"]}, "pattern"),
        ({"layer_hosts": ["https://*"]}, "pattern"),
        ({"layer_hosts": ["https://a.example; script-src *"]}, "pattern"),
        ({"links": [{"title": "x", "url": "javascript:alert(1)"}]}, "pattern"),
        ({"start_map": [10, 0, 5, 5]}, "west before east"),
        ({"languages": ["German"]}, "pattern"),
    ],
)
def test_what_cannot_be_shown_is_refused(given: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why.replace("(", r"\(")):
        PortalSettings.model_validate(given)


def test_a_look_without_settings_is_sonde_s_own() -> None:
    assert portal_look(Settings()) == PortalLook()
    assert PortalLook().style() == ""


def test_the_style_holds_both_colours_and_the_font(tmp_path: Path) -> None:
    font = tmp_path / "own.WOFF2"
    font.write_bytes(b"wOF2")
    given = PortalSettings(accent="#7a1f5c", accent_dark="#f0a8d8", font="Lato, sans-serif", font_file=font)
    style = portal_look(Settings(portal=given)).style()
    assert 'src: url("font.woff2")' in style
    assert 'font-family: "portal", Lato, sans-serif, system-ui' in style
    assert style.count("--accent: #7a1f5c") == 1
    assert style.count("--accent: #f0a8d8") == 2, "chosen by the reader, and by the system"


@pytest.mark.parametrize(
    ("languages", "embedder", "model"),
    [
        (["en"], {}, "sentence-transformers/all-MiniLM-L6-v2"),
        (["de", "fr"], {"runtime": "onnx-fp32"}, "artifact:multilingual-e5-small"),
        (["de"], {"model": "my/model"}, "my/model"),
    ],
    ids=["English", "others", "a chosen model"],
)
def test_a_portal_in_other_languages_gets_the_multilingual_model(
    languages: list[str], embedder: dict[str, object], model: str
) -> None:
    settings = Settings.model_validate({"portal": {"languages": languages}, "embedder": embedder})
    assert settings.embedder.model == model
