"""Settings are refused by name, and their page is up to date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from settings_read import documented, read_by_properties, read_in

from core.errors import SondeError
from sonde.environment import DELIMITER, PREFIX, _members
from sonde.ops.tables import settings_page
from sonde.settings import Settings, load_settings


def test_the_page_of_settings_is_what_the_code_says() -> None:
    written = Path(__file__).resolve().parents[2] / "docs" / "operators" / "settings.md"
    assert written.read_text("utf-8") == settings_page(), "run: python -m sonde.ops.tables"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SONDE_ELASTICSEARCH__URL", "elastic:9200"),
        ("SONDE_ELASTICSEARCH__URL", "http://a.example:9200,http://b.example:9200"),
        ("SONDE_ELASTICSEARCH__URL", "http://a.example,http://b.example"),
        ("SONDE_ELASTICSEARCH__URL", "http://sonde:pass#word@a.example:9200"),
        ("SONDE_API__PUBLIC_URL", "https://"),
        ("SONDE_API__PORT", "99999"),
        ("SONDE_API__PROT", "80"),
        ("SONDE_APPI__PORT", "80"),
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


_LISTS = {
    f"{PREFIX}{group}{DELIMITER}{name}".upper(): (group, name)
    for group, entry in Settings.model_fields.items()
    for name, field in entry.annotation.model_fields.items()  # type: ignore[union-attr]
    if _members(field.annotation) and (group, name) not in (("portal", "links"), ("federation", "catalogues"))
}
_VALUES = {
    "start_map": ("-10", "35", "30", "60"),
    "more_urls": ("http://a.example:9200", "http://b.example"),
    "languages": ("de", "fr"),
    "oidc_scopes": ("search", "library"),
    "allowed_hosts": ("a.example", "[::1]:8080"),
    "user_hosts": ("[fe80::1]", "b.example:8080"),
}
"""For settings that do not accept every text."""


@pytest.mark.parametrize("variable", sorted(_LISTS))
def test_every_list_is_read_from_commas_and_from_json(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    group, name = _LISTS[variable]
    values = _VALUES.get(name, ("https://a.example", "https://b.example:8080"))
    wanted = tuple(map(float, values)) if name == "start_map" else values
    quoted = ", ".join(f"'{one}'" for one in values)
    written = [",".join(values), " , ".join(values) + ",", "\n".join(values), f"[{quoted}]", json.dumps(values)]
    written += [f"({', '.join(values)})", "".join(f"- {one}\n" for one in values), quoted.replace("'", "’")]
    for text in written:
        monkeypatch.setenv(variable, text)
        assert getattr(getattr(load_settings(), group), name) == wanted


def test_one_value_is_a_list_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_NET__ALLOWED_HOSTS", "127.0.0.1")
    monkeypatch.setenv("SONDE_HTTP__CORS_ORIGINS", "https://a.example/")
    assert load_settings().http.cors_origins == ("https://a.example",)
    monkeypatch.setenv("SONDE_HTTP__CORS_ORIGINS", "*")
    settings = load_settings()
    assert (settings.net.allowed_hosts, settings.http.cors_origins) == (("127.0.0.1",), ("*",))


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("SONDE_NET__ALLOWED_HOSTS", '["a.example", "b', "the JSON is broken at character 15"),
        ("SONDE_NET__ALLOWED_HOSTS", '{"a": 1}', 'values with commas between them, or JSON, ["one", "two"]'),
        ("SONDE_NET__ALOWED_HOSTS", "a", "is no setting; did you mean SONDE_NET__ALLOWED_HOSTS?"),
        ("SONDE_NETT__ALLOWED_HOSTS", "a", "is no setting; did you mean SONDE_NET__ALLOWED_HOSTS?"),
        ("sonde_brokr__address", "a", "sonde_brokr__address: is no setting; near groups: SONDE_BROKER"),
        ("SONDE_NET__ALLOWED_HOSTS", "a,http://b/", "SONDE_NET__ALLOWED_HOSTS (1): must be a name or name:port"),
        ("SONDE_NET__USER_HOSTS", "a.example:99999", "must be a name or name:port"),
        ("SONDE_HTTP__CORS_ORIGINS", "a.example", "must be * or the origin of a page"),
        ("SONDE_HTTP__CORS_ORIGINS", "https://a.example/portal", "must be * or the origin of a page"),
        ("SONDE_NET", "a.example", 'SONDE_NET: must be JSON, {"name": "value"}'),
        ("SONDE_NET", '{"allowed_hosts": 5}', "SONDE_NET (allowed_hosts): must be a list"),
        ("SONDE_ACCESS__OIDC_SCOPES", "search,libary", "SONDE_ACCESS__OIDC_SCOPES (1): must be 'search'"),
        ("SONDE_PORTAL__LINKS", "https://a.example", 'must be a list in JSON, [{"name": "value"}]'),
        ("SONDE_PORTAL__LINKS", '[{"title": "", "url": "/x"}]', "SONDE_PORTAL__LINKS (0 title): "),
        ("SONDE_PORTAL__BASE_LAYER", "tiles", 'SONDE_PORTAL__BASE_LAYER: must be JSON, {"name": "value"}'),
        ("SONDE_PORTAL__START_MAP", "5,45,11", "SONDE_PORTAL__START_MAP (3): is missing; write it"),
        ("SONDE_API__PRELOAD", "maybe", "SONDE_API__PRELOAD: must be true or false"),
        ("SONDE_API__PORT", "http", "SONDE_API__PORT: must be a whole number"),
        ("SONDE_REGISTRIES__ASK", "all", "Settings are wrong. SONDE_REGISTRIES__ASK=all needs SONDE_NET__CONTACT"),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_write(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SondeError) as raised:
        load_settings()
    assert said in str(raised.value)


def test_other_variables_of_sonde_are_no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SONDE_URL", "SONDE_KEY", "SONDE_SHARED", "SONDE_SERVICE_HOST", "SONDE_API_PORT_8080_TCP"):
        monkeypatch.setenv(name, "tcp://10.0.0.1:8080")
    load_settings()


def test_an_error_never_shows_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_QUERIES", '{"secret": ["hunter2"], "days": "hunter2"')
    with pytest.raises(SondeError, match="SONDE_QUERIES") as raised:
        load_settings()
    assert "hunter2" not in str(raised.value)


def test_secrets_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__PASSWORD", "hunter2")
    assert "hunter2" not in repr(load_settings())


def test_every_documented_setting_is_read_outside_the_settings() -> None:
    root = Path(__file__).resolve().parents[2]
    settings = [root / "sonde" / name for name in ("settings.py", "server_settings.py", "document_settings.py")]
    code = [file for package in ("sonde", "lab") for file in (root / package).rglob("*.py") if file not in settings]
    read = read_in(code)
    properties = {
        name: reads for file in settings for name, reads in read_by_properties(file.read_text("utf-8")).items()
    }
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
