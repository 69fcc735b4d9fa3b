"""The short form of `sonde chaos hostile`: an API as it ships answers three searchers beside each attack.

How much longer they wait is measured by the command on a quiet machine (docs/quality/figures.md), not here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.cli.chaos import ATTACK_NAMES
from lab.hostile.attacks import attacks
from lab.hostile.course import AttackOutcome, AttackTerms, run_attacks
from lab.malformed.target import target
from sonde.settings import ElasticsearchSettings, Settings

TERMS = AttackTerms(searchers=3, seconds=2.0, ratio=None)


@pytest.fixture(scope="module")
def outcomes(elasticsearch_url: str) -> Iterator[dict[str, AttackOutcome]]:
    settings = Settings(elasticsearch=ElasticsearchSettings(url=elasticsearch_url))
    with target(settings) as there:
        yield {one.attack: one for one in run_attacks(there.url, attacks(there.key), TERMS)}


@pytest.mark.parametrize("name", ATTACK_NAMES)
def test_searchers_and_probes_are_answered_beside_an_attack(outcomes: dict[str, AttackOutcome], name: str) -> None:
    assert outcomes[name].wrong(outcomes["nobody"], None) == []
    assert outcomes[name].sent
