"""What was opened, as evidence: nobody drives it alone, position is corrected, and topic stays above it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from search_api.search.openings import NO_USAGE, LoggedSearch, UsageTable, usage_of
from search_api.search.query_log import Requester, person_hash
from search_api.search.ranking.candidates import Target
from search_api.search.ranking.config import default_config
from search_api.search.ranking.rank import Ranking, explain, rank
from search_api.search.ranking.sample_candidates import Candidate, candidates_of
from search_api.search.ranking.signals.record import LARGEST_WEIGHT, Evidence, Usage
from sonde.settings import QueriesSettings

RANKER = default_config().records
EVIDENCE = replace(RANKER[Usage].evidence, openings=0)
SHOWN = tuple(f"s:{number}" for number in range(1, 11))


def people(count: int, opened: tuple[str, ...], question: str = "sea ice", first: int = 0) -> list[LoggedSearch]:
    """Each asks on a day of their own, as all see the same ten hits."""
    return [
        LoggedSearch(question, f"k{first + number}", f"2026-11-{1 + number % 28:02}", SHOWN, opened)
        for number in range(count)
    ]


def values(rows: Iterable[LoggedSearch], evidence: Evidence = EVIDENCE) -> dict[str, float]:
    return dict(usage_of(rows, evidence).of("Sea ice"))


def test_openings_count_by_the_inverse_of_the_chance_that_their_place_is_looked_at() -> None:
    rows = [*people(14, ()), *people(4, (SHOWN[0],), first=14), *people(4, (SHOWN[3],), first=18)]
    # 22 people and the 2 who open nothing: 4 / 24 at the first place, 4 x 4 / 24 at the fourth; in quarters.
    found = values(rows)
    assert found["s:1"] == 0.25
    assert found["s:4"] == 0.75
    assert found["s:2"] == 0.0, "11 looked at it, and opened others"
    assert "s:10" not in found, "2.2 people looked at it: nobody knows"


def test_too_few_people_days_or_openings_are_no_evidence() -> None:
    assert values(people(4, ("s:3",))) == {}
    assert values([replace(one, day="2026-11-01") for one in people(20, ("s:3",))]) == {}
    assert values(people(8, ("s:3",))) == {"s:1": 0.0, "s:2": 0.0, "s:3": 1.0}
    assert values(people(8, ("s:3",)), replace(EVIDENCE, openings=9)) == {}
    assert values(people(8, ("s:3",)), replace(EVIDENCE, openings=8))


@pytest.mark.parametrize("backwards", [False, True])
def test_sums_are_exact_so_the_order_of_the_log_decides_nothing(backwards: bool) -> None:
    """Ten people who looked with a chance of .1 each are one: added up one by one, they would be a little less."""
    tenth = replace(EVIDENCE, examination=1.0, longest_odds=10.0, openers=1, people=2, days=1)
    rows = [*people(10, ()), *people(3, (SHOWN[0],))]
    assert values(rows[::-1] if backwards else rows, tenth)[SHOWN[9]] == 0.0


@given(st.integers(1, 400), st.integers(1, 10), st.integers(0, 30))
def test_one_person_changes_nothing_however_often_they_open(times: int, place: int, days: int) -> None:
    honest = people(12, ("s:2",))
    script = [
        LoggedSearch("sea ice", "k-script", f"2026-11-{1 + number % (days + 1):02}", SHOWN, (SHOWN[place - 1],))
        for number in range(times)
    ]
    moved, before = values([*honest, *script]), values(honest)
    assert all(abs(value - before.get(record, 0.0)) <= 1 / EVIDENCE.bins for record, value in moved.items())
    if place != 2:
        assert moved.get(SHOWN[place - 1], 0.0) == 0.0, "opened by one person alone"


def test_a_day_on_which_one_opens_hundreds_does_not_count() -> None:
    scripts = [
        LoggedSearch(f"sea ice {number}", f"k{script}", "2026-11-01", SHOWN, ("s:9",))
        for script in range(6)
        for number in range(EVIDENCE.most_a_day)
    ]
    ordinary = people(6, ("s:9",))
    assert values(ordinary)["s:9"] == 1.0
    busy = [replace(one, day="2026-11-01") for one in ordinary[:4]] + ordinary[4:]
    assert values([*busy, *scripts]) == {}, "two people remain"


def test_one_address_is_one_person_in_any_spelling_of_a_question() -> None:
    spelt = ("sea ice", "Sea-Ice", "sea ices", "séa  ice?")
    one = {person_hash(b"secret", text, Requester(None, "2001:db8::1")) for text in spelt}
    one |= {person_hash(b"secret", text, Requester(None, "2001:db8::ffff:2")) for text in spelt}
    assert len(one) == 1, "a network of version 6 is one person too"
    assert person_hash(b"secret", "sea ice", Requester(None, "2001:db8:0:1::1")) not in one


def ranked(usage: dict[str, float | None], text: dict[str, float], ranker: object = RANKER) -> Ranking:
    rows = [Candidate(name, {"bm25": score, "usage": usage.get(name)}) for name, score in text.items()]
    return rank(candidates_of(rows), Target(), ranker)  # type: ignore[arg-type]


def test_without_evidence_the_ranking_is_as_if_the_signal_did_not_exist() -> None:
    text = {"a": 3.0, "b": 2.0}
    silent = ranked({}, text)
    without = rank(candidates_of([Candidate(name, {"bm25": score}) for name, score in text.items()]), Target(), RANKER)
    assert "usage" not in silent.terms
    assert silent.score.tolist() == without.score.tolist()
    assert NO_USAGE.of("sea ice") == {}


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.25, 1.0, None]), st.sampled_from([0.0, 1.0]))
def test_what_is_opened_never_outweighs_the_topic(
    better: float, gap: float, opened: float | None, other: float
) -> None:
    """With the largest weight that is allowed, half of the topic still decides."""
    heavy = RANKER.with_signals(replace(RANKER[Usage], weight=LARGEST_WEIGHT))
    worse = max(better - LARGEST_WEIGHT - gap, 0.0)
    if better - worse <= LARGEST_WEIGHT + 1e-9:
        return
    assert ranked({"a": opened, "b": other, "top": 0.0}, {"a": better, "b": worse, "top": 1.0}, heavy).ids()[-1] == "b"


def test_a_weight_above_half_of_the_topic_is_refused() -> None:
    with pytest.raises(ValueError, match="more than the topic"):
        Usage(0.51, 0.2, EVIDENCE)


def test_the_explanation_says_it_and_adds_up() -> None:
    ranking = ranked({"b": 0.75}, {"a": 2.0, "b": 2.0})
    assert ranking.ids() == ["b", "a"]
    parts = [{part["signal"]: part for part in explain(ranking, place)["signals"]} for place in (0, 1)]
    assert parts[0]["usage"]["reasons"] == [{"code": "opened", "share": 0.75}]
    assert parts[1]["usage"]["reasons"][0]["code"] == "unknown"
    for place, index in enumerate(ranking.order.tolist()):
        assert np.isclose(sum(part["contribution"] for part in parts[place].values()), ranking.score[index])


def test_a_table_holds_no_person() -> None:
    table = usage_of(people(8, ("s:3",)), EVIDENCE)
    assert table == UsageTable({"sea ice": {"s:1": 0.0, "s:2": 0.0, "s:3": 1.0}})


def test_ranking_by_it_needs_the_full_log() -> None:
    with pytest.raises(ValueError, match="KEEP=full"):
        QueriesSettings(rank=True)
