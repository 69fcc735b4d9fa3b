"""Settings are refused by name, and their page is up to date."""

from __future__ import annotations

from pathlib import Path

import pytest
from settings_read import documented, read_by_properties, read_in

from core.errors import SondeError
from sonde.ops.settings_page import page
from sonde.settings import load_settings


def test_the_page_of_settings_is_what_the_code_says() -> None:
    written = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
    assert written.read_text("utf-8") == page(), "run: python -m sonde.ops.settings_page > docs/settings.md"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SONDE_ELASTICSEARCH__URL", "elastic:9200"),
        ("SONDE_API__PORT", "99999"),
        ("SONDE_API__PROT", "80"),
        ("SONDE_BROKER__URL", "amqp://x"),
        ("SONDE_ELASTICSEARCH__HEAP", "lots"),
        ("SONDE_INDEX__PREFIX", "Über"),
        ("SONDE_HTTP__CONTACT", "nobody@localhost"),
    ],
)
def test_a_wrong_value_is_refused_and_its_variable_named(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SondeError, match=variable):
        load_settings()


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__PASSWORD", "hunter2")
    assert "hunter2" not in repr(load_settings())


def test_every_documented_setting_is_read_outside_the_settings() -> None:
    root = Path(__file__).resolve().parents[2]
    settings = root / "sonde" / "settings.py"
    code = [file for package in ("sonde", "lab") for file in (root / package).rglob("*.py") if file != settings]
    read = read_in(code)
    properties = read_by_properties(settings.read_text("utf-8"))
    for _ in properties:  # a property may read another one
        read |= {each for name, reads in properties.items() if name in read for each in reads}
    assert sorted(documented() - read) == []


def test_a_setting_that_nobody_reads_is_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text(
        "def f(settings, given: ApiSettings):\n"
        "    net, url = settings.net, settings.broker_url\n"
        "    return given.port, net.contact, settings.index.prefix, request.rerank, other.host\n",
        "utf-8",
    )
    assert read_in([code]) >= {("api", "port"), ("net", "contact"), ("index", "prefix"), ("", "broker_url")}
    assert ("api", "host") not in read_in([code])
