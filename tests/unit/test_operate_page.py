"""docs/operate.md says what is so: its values are taken by the chart, its metrics are those that are given."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from helm_python import lint
from prometheus_client import generate_latest

import search_api.app  # noqa: F401 - registers what the API counts
from sonde.settings import Settings
from sonde.telemetry.service_metrics import GAUGES
from tests.unit.rendered_chart import CHART, Rendered

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operate.md").read_text("utf-8")
_BLOCKS = [
    re.sub(r"^ {3}", "", block, flags=re.M) for block in re.findall(r"^ *```yaml\n(.*?)^ *```$", PAGE, re.M | re.S)
]
VALUES, SETTINGS, BACKUP = (yaml.safe_load(block) for block in _BLOCKS)


@pytest.mark.parametrize("more", [{}, SETTINGS, BACKUP], ids=["values.yaml", "with its settings", "with backups"])
def test_the_chart_takes_the_values_of_the_page(more: dict[str, Any]) -> None:
    values = VALUES | more
    assert lint(CHART, values, strict=True)["errors"] == []
    rendered = Rendered.of(values)
    assert {one["metadata"]["name"] for one in rendered.of_kind("Deployment")} >= {"demo-sonde-api", "demo-sonde-beat"}


def test_the_settings_of_the_page_are_settings() -> None:
    groups = Settings.model_fields
    named = set(re.findall(r"\bSONDE_([A-Z]+)__([A-Z0-9_]+)\b", PAGE))
    assert len(named) > 10
    for group, name in named:
        kind = groups[group.lower()].annotation
        assert name.lower() in kind.model_fields, f"SONDE_{group}__{name}"  # type: ignore[union-attr]


def test_every_metric_stands_on_the_page_and_every_one_there_is_given() -> None:
    families = re.findall(r"^# TYPE (sonde_\w+) (\w+)", generate_latest().decode(), re.M)
    given = {name for name, _ in families if not name.endswith("_created")} | GAUGES
    rows = [line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `sonde_")]
    assert {name for row in rows for name in re.findall(r"`(sonde_\w+)`", row)} == given


def test_every_test_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(tests/[a-z0-9_/*]+\.py)`", PAGE)
    assert len(named) > 5
    assert [name for name in named if not list(ROOT.glob(name))] == []
