"""docs/operators/ says what is so: the chart takes its values; ports, limits, metrics and settings are the code's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from helm_python import lint
from prometheus_client import generate_latest

import search_api.app  # noqa: F401 - registers what the API counts
from core.access import AccessScope
from local_stack.distribution import DISTRIBUTIONS
from local_stack.java import MINIMUM_VERSION
from local_stack.settings import DEFAULT_VERSION
from search_api.http.access.guard import _OPEN_PATHS
from search_api.http.responses import LARGEST_BODY_BYTES
from search_api.parts import MOST_EMBEDDED_CHARACTERS
from search_api.stewards.alerts.desk import _CONFIRMATIONS, _PER_DOMAIN, _PER_OWNER
from sonde.ops.one_machine import stack_of
from sonde.server.connections import ConnectionLimits
from sonde.settings import Settings
from sonde.wiring.access import GRANULE_RATE
from tests.gauges import GAUGES
from tests.unit.rendered_chart import CHART, EXAMPLES, Rendered

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "operators"
PAGES = {page.stem: page.read_text("utf-8") for page in sorted(FOLDER.glob("*.md"))}
_BLOCK = re.compile(r"^ *```yaml\n(.*?)^ *```$", re.M | re.S)
_MIB = 1024 * 1024


def _values(page: str) -> list[dict[str, Any]]:
    return [yaml.safe_load(block) for block in _BLOCK.findall(PAGES[page])]


VALUES, SETTINGS = _values("kubernetes")
(BACKUP,), (METRICS,) = _values("backup"), _values("monitoring")


@pytest.mark.parametrize("more", [{}, SETTINGS, BACKUP, METRICS], ids=["values.yaml", "settings", "backup", "metrics"])
def test_the_chart_takes_the_values_of_the_pages(more: dict[str, Any]) -> None:
    values = VALUES | more
    assert lint(CHART, values, strict=True)["errors"] == []
    rendered = Rendered.of(values)
    assert {one["metadata"]["name"] for one in rendered.of_kind("Deployment")} >= {"demo-sonde-api", "demo-sonde-beat"}


def _tags(text: str) -> Iterator[str]:
    """Versions of Sonde's image that the text names."""
    yield from re.findall(r"sonde, tag: \"?([\w.-]+)", text)
    yield from re.findall(r"/sonde:(\d[\w.-]*)", text)


def test_no_example_names_an_image_of_another_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    texts = {**PAGES, **{name: path.read_text("utf-8") for name, path in EXAMPLES.items()}}
    wrong = {name: tag for name, text in texts.items() for tag in _tags(text) if tag != chart["appVersion"]}
    assert wrong == {}
    assert list(_tags('image: {repository: registry.example.org/geo/sonde, tag: "0.1.0"}')) == ["0.1.0"]
    assert list(_tags("$ docker build -t registry.example.org/geo/sonde:0.1.0-models .")) == ["0.1.0-models"]


_SETTING = re.compile(r"\bSONDE_([A-Z_]+?)__([A-Z0-9_]+)\b")
_GONE = PAGES["upgrade"].partition("\n### Settings to remove\n")[2].partition("\n### Settings to change\n")[0]
"""Lists and first cells name what is gone; second cells name what replaces it."""


def _is_setting(group: str, name: str) -> bool:
    kind = Settings.model_fields[group.lower()].annotation
    return name.lower() in {field for one in kind.model_fields for field in (one, f"{one}_file")}  # type: ignore[union-attr]


def test_the_settings_of_the_pages_are_settings() -> None:
    texts = {**PAGES, "upgrade": PAGES["upgrade"].replace(_GONE, "")}
    replacements = [line.split("|")[2] for line in _GONE.splitlines() if line.startswith("|")]
    named = {found for text in (*texts.values(), *replacements) for found in _SETTING.findall(text)}
    assert len(named) > 40
    assert [f"SONDE_{group}__{name}" for group, name in named if not _is_setting(group, name)] == []


def test_the_settings_that_the_upgrade_removes_are_gone() -> None:
    named = {found for line in _GONE.splitlines() for found in _SETTING.findall(line.lstrip("|").partition("|")[0])}
    assert len(named) > 30
    assert [f"SONDE_{group}__{name}" for group, name in named if _is_setting(group, name)] == []


def test_every_metric_stands_on_the_page_and_every_one_there_is_given() -> None:
    families = re.findall(r"^# TYPE (sonde_\w+) (\w+)", generate_latest().decode(), re.M)
    given = {name for name, _ in families if not name.endswith("_created")} | GAUGES
    rows = [line.split("|")[1] for line in PAGES["monitoring"].splitlines() if line.startswith("| `sonde_")]
    assert {name for row in rows for name in re.findall(r"`(sonde_\w+)`", row)} == given


def test_every_alert_of_the_page_is_one_of_the_chart() -> None:
    known = set(re.findall(r"^- alert: (\w+)", (CHART / "alerts.yaml").read_text("utf-8"), re.M))
    named = {name for text in PAGES.values() for name in re.findall(r"`(Sonde[A-Z]\w+)`", text)}
    assert len(named) > 5
    assert named <= known


def _default(setting: str) -> Any:
    """``group.name`` without the environment."""
    group, _, name = setting.partition(".")
    return Settings.model_fields[group].annotation.model_fields[name].default  # type: ignore[union-attr]


def _rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table below the heading, without its head."""
    below = PAGES[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in below.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_ports_are_those_of_the_settings_and_of_the_image() -> None:
    image = (ROOT / "Dockerfile").read_text("utf-8")
    for port, _, variable, _ in _rows("requirements", "Ports"):
        group, _, name = variable.strip("`").removeprefix("SONDE_").lower().partition("__")
        default = _default(f"{group}.{name}")
        assert port == str(default) if default else f"{variable.strip('`')}={port}" in image
    taken = {"ELASTICSEARCH__PORT", "ELASTICSEARCH__TRANSPORT_PORT", "BROKER__PORT", "API__PORT"}
    second = PAGES["one-machine"].partition("## Run a second one")[2].partition("\n## ")[0]
    assert taken == set(re.findall(r"SONDE_(\w+PORT)=", second))


def test_the_limits_are_those_of_the_code() -> None:
    limits = {what: limit for what, limit, _ in _rows("security", "Limits")}
    body = limits["body with a key; without"]
    assert body == f"{LARGEST_BODY_BYTES // _MIB} MiB; 2 MiB"
    assert (
        limits["requests of one address, or with one key"]
        .replace(",", "")
        .startswith(_default("limits.per_address").removesuffix("/minute"))
    )
    assert _default("limits.per_key") == _default("limits.per_address")
    assert limits["calls of the language model"].startswith(_default("limits.model").removesuffix("/hour"))
    assert limits["granule searches"].startswith(GRANULE_RATE.removesuffix("/minute"))
    assert limits["upload"] == f"{_default('library.max_file_mib')} MiB"
    assert limits["`/embeddings`"] == f"{MOST_EMBEDDED_CHARACTERS:,} characters"
    assert limits["one request's calls to Elasticsearch"] == f"{_default('api.deadline_s'):.0f} s"
    mails = f"{_CONFIRMATIONS} a mailbox, {_PER_OWNER} an owner, {_PER_DOMAIN} a domain"
    assert limits["mails that confirm an address, a day"] == mails


def test_the_times_of_connections_are_those_of_the_server() -> None:
    limits, rows = ConnectionLimits(), dict(_rows("troubleshooting", "Clients are cut off"))
    assert rows["headers"] == f"{limits.headers:.0f} s from the first byte"
    assert rows["body, answer"] == f"{limits.grace:.0f} s, then at least {limits.bytes_per_s // 1024} KiB a second"
    assert rows["connection without a request"] == f"{limits.idle:.0f} s"
    assert rows["connections of a process"].startswith(f"{limits.connections:,};")


def test_the_scopes_and_what_a_wrong_key_gets_are_those_of_the_code() -> None:
    assert [scope.strip("`") for scope, _ in _rows("security", "Who may do what")] == list(get_args(AccessScope))
    (sentence,) = re.findall(r"Only the\nprobes (.+) answer anyway", PAGES["security"])
    assert set(re.findall(r"`(/\w+)`", sentence)) == _OPEN_PATHS


def test_a_restore_stops_everything_that_writes() -> None:
    parts = {service.name for service in stack_of(Settings()).services}
    (stopped,) = re.findall(r"^\$ sonde down ([\w ]+)$", PAGES["backup"], re.M)
    assert set(stopped.split()) == parts - {"api", "keeper"}


def test_sources_are_looked_up_where_the_page_says() -> None:
    assert not Path(_default("harvest.sources")).is_absolute()
    assert f"Commands look for `{_default('harvest.sources')}` in the current folder" in PAGES["one-machine"]


def test_the_limits_of_containers_are_those_of_compose() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    rows = _rows("docker", "What runs")
    named = {name: limit for names, _, limit in rows for name in re.findall(r"`(\w+)`", names)}
    assert set(named) == set(services)
    for name, limit in named.items():
        number, unit = limit.removesuffix(" each").split()
        assert services[name]["mem_limit"] == f"{number}{unit[0].lower()}", name


def test_the_versions_are_those_of_the_code() -> None:
    software = {what: version for what, version, _ in _rows("requirements", "Software")}
    assert software["JDK"].startswith(f"{MINIMUM_VERSION} ")
    python = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    kubernetes = re.search(r'kubeVersion: ">=(\d+\.\d+)', (CHART / "Chart.yaml").read_text("utf-8"))
    assert python is not None
    assert kubernetes is not None
    assert software["Python"].startswith(f"{python[1]} ")
    assert software["Kubernetes, Helm"].startswith(f"{kubernetes[1]} ")
    assert DEFAULT_VERSION in DISTRIBUTIONS
    assert f"`sonde up` starts an Elasticsearch {DEFAULT_VERSION}" in PAGES["one-machine"]


def test_every_file_that_the_pages_name_is_there() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"`((?:tests|helm|lab)/[\w./-]+)`", text)}
    assert len(named) > 3
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
