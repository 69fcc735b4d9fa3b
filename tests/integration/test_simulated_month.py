"""A simulated month in short: nine records, eight people, six days."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from es_gateway.client import Elasticsearch
from lab.people import Habits
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.record import Usage
from tests.api.conftest import FEW
from tests.conftest import delete_indices
from tests.integration.simulated_month import Course, Month, MonthQuestion
from tests.service import SAMPLES, Service

pytestmark = pytest.mark.elasticsearch

QUESTIONS = (
    MonthQuestion("rainfall in Africa", {"samples:arc2-africa-rainfall": 2}),
    MonthQuestion("ocean temperature", {"samples:argo-gdac": 2, "samples:bsh-nordsee-sst": 1}),
    MonthQuestion("river catchments", {"samples:camels-gb": 2, "samples:camels-cl": 1}),
)


@pytest.fixture
def month(es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path) -> Iterator[Month]:
    folder = tmp_path / "few"
    folder.mkdir()
    for name in FEW:
        copy(SAMPLES / f"{name}.xml", folder)
    service = Service(es_client, elasticsearch_url, f"sonde-test-{uuid.uuid4().hex[:12]}")
    evidence = replace(default_config().records[Usage].evidence, openings=10, people=3, openers=2, days=2)
    course = Course(
        "samples", folder, QUESTIONS, Habits(people=8, questions=60, days=6), evidence,
        pin_day=2, synonym_day=3, overlay_day=3, save_day=3, change_day=4, reindex_day=5, changed_every=4,
    )  # fmt: skip
    yield Month(es_client, service.settings, service.models, course)
    delete_indices(es_client, service.prefix)


def test_the_desk_says_what_the_script_did(month: Month) -> None:
    checks = month.run()
    assert [(one.what, one.expected, one.found) for one in checks if not one.holds] == []
    assert len(checks) > 30
    assert any(dict(one.expected) for one in checks if one.what == "night 6: what counts as opened")  # type: ignore[call-overload]
