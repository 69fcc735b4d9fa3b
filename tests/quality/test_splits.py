"""Halving by document group: by hand and by law; the committed train and test ids keep their promise."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.collection import JudgedCollection
from evaluation.collections import public
from tests.quality.build_splits import RELEVANT, SETS, SPLITS, text_of
from tests.quality.halves import UNEVEN, halve
from tests.shared_data import shared_data

QUALITY = SPLITS.parent


def committed(name: str) -> dict[str, str]:
    rows = (SPLITS / f"{name}.tsv").read_text("utf-8").splitlines()[1:]
    return dict(row.split("\t") for row in rows)


def test_two_groups_go_apart() -> None:
    groups = {"a": frozenset("x"), "b": frozenset("x"), "c": frozenset("y")}
    assert halve(groups) == {"a": "train", "b": "train", "c": "test"}


def test_a_question_between_two_groups_is_put_aside() -> None:
    groups = {**{f"a{n}": frozenset("x") for n in range(9)}, **{f"b{n}": frozenset("y") for n in range(9)}}
    halves = halve({**groups, "between": frozenset("xy")})
    assert halves["between"] == "aside"
    assert Counter(halves.values()) == {"train": 9, "test": 9, "aside": 1}


@given(
    st.dictionaries(
        st.integers(0, 99).map(str), st.frozensets(st.sampled_from("uvwxyz"), min_size=1, max_size=3), max_size=30
    )
)
def test_no_group_is_in_both_halves(groups: dict[str, frozenset[str]]) -> None:
    halves = halve(groups)
    sides = {side: {g for q in groups if halves[q] == side for g in groups[q]} for side in ("train", "test")}
    assert halves.keys() == groups.keys()
    assert not sides["train"] & sides["test"]


@pytest.mark.parametrize("name", SETS)
def test_the_committed_ids_are_what_the_rule_gives(name: str) -> None:
    assert (SPLITS / f"{name}.tsv").read_text("utf-8") == text_of(SETS[name](shared_data("judged")))


@pytest.mark.parametrize("name", SETS)
def test_the_halves_are_even_enough(name: str) -> None:
    sizes = Counter(committed(name).values())
    assert sizes.keys() <= {"train", "test", "aside"}
    assert abs(sizes["train"] - sizes["test"]) <= UNEVEN * (sizes["train"] + sizes["test"]) + 1
    assert sizes["aside"] <= 0.15 * sum(sizes.values())


@pytest.mark.parametrize("load", [public.load_climate_fever, public.load_pira])
def test_the_ids_are_those_of_the_loaded_questions(load: Callable[[Path], JudgedCollection]) -> None:
    loaded = load(shared_data("judged").parent)
    assert {question.id for question in loaded.questions} == committed(loaded.name).keys()


def test_no_climate_fever_article_is_in_both_halves() -> None:
    halves = committed("climate_fever")
    articles: dict[str, set[str]] = {"train": set(), "test": set(), "aside": set()}
    for line in shared_data("judged", "climate_fever", "climate-fever.jsonl").read_text("utf-8").splitlines():
        claim = json.loads(line)
        relevant = {one["article"] for one in claim["evidences"] if one["evidence_label"] in RELEVANT}
        assert bool(relevant) == (claim["claim_id"] in halves)
        if relevant:
            articles[halves[claim["claim_id"]]] |= relevant
    assert not articles["train"] & articles["test"]


def test_eighty_questions_that_no_catalogue_answers() -> None:
    entries = [json.loads(line) for line in (QUALITY / "nonsense.jsonl").read_text("utf-8").splitlines()]
    assert len({entry["_id"] for entry in entries}) == len({entry["text"] for entry in entries}) == 80
    assert Counter(entry["kind"] for entry in entries) == {"off": 55, "nonsense": 25}
