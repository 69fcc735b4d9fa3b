"""The query log as values: what is kept of a question and what is not, and that a full log drops instead of waiting."""

from __future__ import annotations

import json
import time
import tracemalloc
from datetime import UTC, datetime

import pytest
from prometheus_client import REGISTRY
from pydantic import SecretStr, ValidationError

from core.errors import NotFound, Unavailable
from core.timespan import TimeSpan
from es_gateway.client import Elasticsearch
from search_api.search.answer import Answer
from search_api.search.query_log import (
    MOST_WAITING,
    LogPolicy,
    QueryLog,
    Requester,
    decades,
    log_entry,
    new_id,
    normal_question,
    person_hash,
    subject_hash,
)
from search_api.search.understanding.interpretation import Interpretation
from sonde.settings import QueriesSettings

SECRET = b"sixteen letters!"
AT = datetime(2026, 11, 1, tzinfo=UTC)
ANSWER = Answer((), 0, Interpretation("Rain", "rain", "en"), took_ms={"rank": 1.25, "fetch": 2.0})


def log(keeping: str = "full") -> QueryLog:
    """Its Elasticsearch does not answer, and it writes only when told."""
    nobody = Elasticsearch("http://127.0.0.1:9", request_timeout=1, max_retries=0)
    return QueryLog(nobody, "none", LogPolicy(keeping, 90, SECRET), lambda: AT, every_s=3600.0)  # type: ignore[arg-type]


def count(outcome: str) -> float:
    return REGISTRY.get_sample_value("sonde_query_log_total", {"outcome": outcome}) or 0.0


def test_neither_an_address_nor_a_name_is_kept() -> None:
    for asker in (Requester("ada@example.org", "192.0.2.7"), Requester(None, "192.0.2.7")):
        document = json.dumps(log_entry(new_id(), "full", SECRET, " Rain ", "hybrid", ANSWER, asker, AT).document)
        assert "ada" not in document
        assert "192.0.2" not in document


def test_counts_hold_no_word_of_the_question_and_nobody() -> None:
    document = log_entry("id", "counts", SECRET, "Rain in Wales", "hybrid", ANSWER, Requester("ada", ""), AT).document
    assert document == {
        "at": AT.isoformat(), "language": "en", "algorithm": "hybrid", "matched": 0, "took_ms": 3.2,
    }  # fmt: skip


def test_people_are_told_apart_but_not_followed() -> None:
    one, other = Requester(None, "192.0.2.7"), Requester(None, "2001:db8::1")
    assert person_hash(SECRET, "rain", one) == person_hash(SECRET, "rain", one) != person_hash(SECRET, "rain", other)
    assert person_hash(SECRET, "rain", one) != person_hash(SECRET, "snow", one), "another group for each question"
    assert person_hash(SECRET, "rain", one) != person_hash(b"another secret..", "rain", one)
    assert (
        person_hash(SECRET, "rain", Requester("ada", "1"))
        == person_hash(SECRET, "snow", Requester("ada", "2"))
        == subject_hash(SECRET, "ada")
    )
    groups = {person_hash(SECRET, "rain", Requester(None, f"10.0.{n // 256}.{n % 256}")) for n in range(60_000)}
    assert len(groups) == 4096, "fifteen addresses share a group, so that none can be found again"


def test_equal_questions_are_counted_together() -> None:
    assert normal_question("  Sea\tICE  ") == "sea ice"
    assert len(normal_question("x" * 5000)) == 300


def test_the_decades_of_a_period() -> None:
    assert list(decades(Interpretation("", "", spans=(TimeSpan.from_iso("1995", "2012"),)))) == [1990, 2000, 2010]
    assert list(decades(Interpretation("", "", spans=(TimeSpan.from_iso("1995", None),)))) == []


def test_the_decades_of_a_geological_period_are_not_listed_to_be_cut() -> None:
    asked = Interpretation("", "", spans=(TimeSpan.from_iso("-145000000", "-66000000"),))
    tracemalloc.start()
    try:
        assert len(decades(asked)) == 30
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_a_full_log_drops_and_a_failed_write_is_counted() -> None:
    full = log()
    dropped, failed, begun = count("dropped"), count("failed"), time.perf_counter()
    for _ in range(MOST_WAITING + 7):
        full.add_question(new_id(), "rain", "hybrid", ANSWER, Requester(None, "192.0.2.7"))
    assert time.perf_counter() - begun < 2.0
    assert count("dropped") - dropped == 7
    with pytest.raises(Unavailable):  # the deletion of old ones says it too; the ticker logs it
        full.tick()
    assert count("failed") - failed == MOST_WAITING


def test_only_links_that_were_signed_here_count() -> None:
    one = log()
    link = one.link_id("question", "s:a")
    assert one.add_opening(link) == "s:a"
    for wrong in ("", "x", link[:-2] + "zz", log().link_id("q", "s:a")[::-1]):
        with pytest.raises(NotFound):
            one.add_opening(wrong)


def test_a_log_needs_a_secret() -> None:
    assert QueriesSettings().keep == "off"
    for secret in (None, SecretStr("short")):
        with pytest.raises(ValidationError, match="SONDE_QUERIES__SECRET"):
            QueriesSettings(keep="full", secret=secret)
