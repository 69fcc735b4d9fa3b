"""docs/stewards/ says what is so: keys, shares, limits, states and reasons are the code's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
import yaml

from core.document import Follow
from indexer.documents.parse.limits import Reason
from indexer.quality.links import _EXISTING_STATUSES
from indexer.quality.quality import _LONG_ENOUGH, WEIGHTS
from indexer.sources.members import METADATA_SUFFIXES
from indexer.sources.politeness import RequestPolicy
from search_api.catalogue.fair.indicators import INDICATORS
from search_api.search.curation_rules import DRAFT_KINDS, LARGEST_BOOST, MOST_RULES, RULES
from search_api.search.query_log import _GROUPS
from search_api.search.ranking.config import default_config
from search_api.search.ranking.signals.record import LARGEST_WEIGHT, Usage
from search_api.stewards.alerts.notices import _PAUSES
from search_api.stewards.curation.desk import MOST_LINES, MOST_OVERLAYS
from search_api.stewards.insight import QuestionView
from sonde.settings import Settings
from workers.source_config import SourceConfig

ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.stem: page.read_text("utf-8") for page in sorted((ROOT / "docs" / "stewards").glob("*.md"))}
_YAML = re.compile(r"^ *```yaml\n(.*?)^ *```$", re.M | re.S)
_OF_USERS = {"file_lost", "record_gone", "over_quota"}
_TOLD_ELSEWHERE = {"id", "type", "path", "url", "title", "publisher", "description", "licence"}  # in the example


def _rows(page: str, heading: str) -> dict[str, list[str]]:
    """The first table below a heading: its other cells by the first one."""
    part = PAGES[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    table = re.search(r"(?:^\|.*\|\n)+", part, re.M)
    assert table, f"{heading} has no table"
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def _codes(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_the_example_of_sources_yaml_is_valid() -> None:
    (text, *_) = _YAML.findall(PAGES["sources-and-schedules"])
    known = {one["id"]: SourceConfig.model_validate(one) for one in yaml.safe_load(text)["sources"]}
    assert set(known) == {"rain", "agency"}


def test_every_key_of_an_entry_is_described() -> None:
    example = _YAML.findall(PAGES["sources-and-schedules"])[0]
    described = {name for cell in _rows("sources-and-schedules", "Write sources.yaml") for name in _codes(cell)}
    assert described | _TOLD_ELSEWHERE == set(SourceConfig.model_fields)
    assert all(f"{name}:" in example for name in _TOLD_ELSEWHERE)
    documents = _rows("sources-and-schedules", "Write sources.yaml")["`documents`"]
    assert set(get_args(Follow)) == {*_codes(documents[0]), *_codes(documents[1])}


def test_the_manners_are_those_of_the_code() -> None:
    policy, page = RequestPolicy(), " ".join(PAGES["sources-and-schedules"].split())
    assert (policy.per_second, policy.concurrency, policy.attempts) == (5.0, 2, 6)
    assert "at most five requests a second to a host, and two at a time. It tries a request six times" in page
    assert (policy.breaker_failures, policy.breaker_rest_s) == (5, 300)
    assert "After five failures in a row it pauses for five minutes" in page
    manners = yaml.safe_load(_YAML.findall(PAGES["sources-and-schedules"])[1])["manners"]
    assert set(manners) - {"timeout_s"} <= {field.name for field in fields(RequestPolicy)}


def test_every_suffix_that_is_read_is_named() -> None:
    sentence = PAGES["sources-and-schedules"].partition("Sonde reads files that end with ")[2].partition(", also")[0]
    assert set(_codes(sentence)) == METADATA_SUFFIXES


def test_completeness_is_the_sum_of_these_shares() -> None:
    shares = {name: cells[0] for name, cells in _rows("reports-and-problems", "See what the records lack").items()}
    names = {f"abstract of {_LONG_ENOUGH} characters or more": "abstract"}
    found = {names.get(name, name): round(int(share.removesuffix(" %")) / 100, 2) for name, share in shares.items()}
    assert found == {re.sub(r"^an? ", "", name): weight for name, weight in WEIGHTS.items()}


def test_links_that_work_are_those_of_the_code() -> None:
    listed = PAGES["reports-and-problems"].partition("login or a pause (")[2].partition(")")[0]
    assert {int(status) for status in listed.split(", ")} == _EXISTING_STATUSES
    assert f"answers {len(INDICATORS)} indicators" in PAGES["reports-and-problems"]


def test_each_kind_of_rule_has_its_members() -> None:
    rows = _rows("desk", "Rules")
    assert {_codes(address)[0].rpartition("/")[2] for address in rows} == set(RULES)
    everywhere = {"id", "reason", "valid_from", "valid_until"}
    for address, cells in rows.items():
        kind = _codes(address)[0].rpartition("/")[2]
        assert set(_codes(cells[1])) == set(RULES[kind].model_fields) - everywhere, kind  # type: ignore[index]
    assert set(RULES) - set(DRAFT_KINDS) == {"overlays"}
    assert f"-{LARGEST_BOOST} to {LARGEST_BOOST}" in PAGES["desk"]


def test_numbers_of_the_desk() -> None:
    page = " ".join(PAGES["desk"].split())
    assert f"at most {MOST_LINES:,} rules, or {MOST_OVERLAYS} overlays. The service holds {MOST_RULES:,} rules" in page
    assert f"a number from 0 to {_GROUPS - 1:,}" in page
    assert [pause.total_seconds() / 60 for pause in _PAUSES] == [1, 10, 60, 360, 1440]
    assert "after 1 and 10 minutes, 1, 6 and 24 hours" in page
    settings = Settings()
    assert f"`SONDE_QUERIES__DAYS` ({settings.queries.days})" in page
    assert f"`SONDE_EVALUATION__FALL` ({settings.evaluation.fall})" in page
    listed = _rows("desk", "What is asked")
    assert [_codes(value)[0] for value in listed] == ["off", "counts", "full"]
    assert all(f"`{view}`" in page or f"view={view}" in page for view in get_args(QuestionView))


def test_openings_count_as_the_ranking_says() -> None:
    page = " ".join(PAGES["desk"].split())
    usage = default_config().records[Usage]
    evidence = usage.evidence
    assert (evidence.people, evidence.openers, evidence.days) == (5, 3, 3)
    assert f"It starts after {evidence.openings} openings" in page
    assert "openings of five people on three days, a record of three people on three days" in page
    assert f"a day with more than {evidence.most_a_day} of them" in page
    assert f"Its weight is {usage.weight} and can be at most {LARGEST_WEIGHT}" in page


def test_every_reason_of_a_failed_document_is_listed() -> None:
    listed = {reason for cell in _rows("documents", "Repair a document that failed") for reason in _codes(cell)}
    assert listed == set(get_args(Reason)) - _OF_USERS


@pytest.mark.parametrize("name", sorted(PAGES))
def test_settings_exist(name: str) -> None:
    known = {
        f"SONDE_{group}__{field}".upper()
        for group, entry in Settings.model_fields.items()
        for field in getattr(entry.annotation, "model_fields", {})
    }
    assert not set(re.findall(r"SONDE_[A-Z]+__[A-Z_]+", PAGES[name])) - known
