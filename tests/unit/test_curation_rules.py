"""Rules as values: what is refused and why, which count for a question, and what a draft would move."""

from __future__ import annotations

import json
import time
from datetime import date

import pytest

from core.errors import InvalidInput, TooLarge
from core.geo import BBox
from core.record import Keyword, Overlay, Record
from core.timespan import TimeSpan
from search_api.search.curation import ActiveRules, with_draft
from search_api.search.curation_rules import RULES, CurationRule, RuleKey, StoredRule
from search_api.stewards.curation.desk import MOST_LINES, read_lines
from search_api.stewards.curation.trial import RankChange, differences, ndcg

TODAY = date(2026, 11, 23)


def kept(rule: CurationRule, draft: str = "") -> StoredRule:
    key = RuleKey(rule.kind, str(rule.id), draft)
    return StoredRule(key, rule.model_dump(mode="json", exclude_none=True), "ada", "2026-01-01T00:00:00+00:00")


def pin(id: str, words: str, record: str, **more: object) -> CurationRule:
    return RULES["pins"].model_validate({"id": id, "words": words, "record": record, **more})


def test_pins_hold_for_their_words_in_their_time_and_order() -> None:
    rules = [
        pin("a", "Sea Ice", "s:second", order=2),
        pin("b", "sea ice", "s:first"),
        pin("c", "ice", "s:part", match="part", order=3),
        pin("d", "sea ice", "s:over", valid_until="2026-11-22"),
        pin("e", "sea ice", "s:later", valid_from="2026-11-24"),
        pin("f", "sea ice", "s:today", valid_from="2026-11-23", valid_until="2026-11-23", order=4),
    ]
    curated = ActiveRules.of([kept(rule) for rule in rules], TODAY)

    def pinned(question: str) -> list[str]:
        return [one.record for one in curated.decide(question).pins]

    assert pinned("sea ices") == ["s:first", "s:second", "s:part", "s:today"]
    assert pinned("sea ice in the Arctic") == ["s:part"]
    assert pinned("seaice") == pinned("") == []


def test_a_blocked_record_is_not_pinned_and_boosts_of_a_source_add_up() -> None:
    block = RULES["blocks"].model_validate({"id": "x", "record": "s:a"})
    boosts = [
        RULES["boosts"].model_validate({"id": id, "source": "s", "boost": boost})
        for id, boost in (("1", 0.1), ("2", -0.3))
    ]
    curated = ActiveRules.of([kept(rule) for rule in (pin("p", "ice", "s:a"), block, *boosts)], TODAY)
    decided = curated.decide("ice")
    assert (decided.pins, decided.blocked) == ((), {"s:a"})
    assert decided.boosts == {"s": pytest.approx(-0.2)}


def test_rules_by_source_hold_for_their_words_or_for_every_question() -> None:
    rules = [
        RULES["blocks"].model_validate({"id": "1", "source": "old", "words": "ice"}),
        RULES["blocks"].model_validate({"id": "2", "source": "tests"}),
        RULES["boosts"].model_validate(
            {"id": "3", "source": "ours", "boost": 0.2, "words": "sea ice", "match": "whole"}
        ),
        RULES["boosts"].model_validate({"id": "4", "source": "ours", "boost": 0.1}),
        pin("p", "ice", "old:a"),
        pin("q", "ice", "ours:a"),
    ]
    curated = ActiveRules.of([kept(rule) for rule in rules], TODAY)
    ice = curated.decide("ice")
    assert ice.blocked_sources == {"old", "tests"}
    assert [one.record for one in ice.pins] == ["ours:a"], "a record of a blocked source is not pinned"
    assert (ice.blocks("old:b"), ice.blocks("older:b")) == (True, False)
    assert ice.boosts == {"ours": pytest.approx(0.1)}
    assert curated.decide("Sea Ice").boosts == {"ours": pytest.approx(0.3)}
    assert curated.decide("rain").blocked_sources == {"tests"}


def test_a_rule_of_another_version_is_left_out() -> None:
    broken = StoredRule(RuleKey("pins", "z"), {"words": "ice", "colour": "red"}, "ada", "2026-01-01")
    assert ActiveRules.of([broken, kept(pin("p", "ice", "s:a"))], TODAY).decide("ice").pins[0].record == "s:a"


def test_a_draft_replaces_adds_and_takes_away() -> None:
    live = [kept(pin("a", "ice", "s:old")), kept(pin("b", "ice", "s:gone"))]
    draft = [kept(pin("a", "ice", "s:new"), "d"), StoredRule(RuleKey("pins", "b", "d"), None, "ada", "")]
    assert [one.content and one.content["record"] for one in with_draft(live, draft)] == ["s:new"]


@pytest.mark.parametrize(
    ("kind", "said", "problem"),
    [
        ("pins", {"words": "!!", "record": "s:a"}, "words: holds no word"),
        ("pins", {"words": "ice", "record": "nothing"}, "record"),
        ("pins", {"words": "ice", "record": "s:a", "colour": "red"}, "colour: is not a member of this rule"),
        ("pins", {"words": "i", "record": "s:a", "valid_from": "2026-02-01", "valid_until": "2026-01-01"}, "after"),
        ("blocks", {"words": "ice"}, "a block needs a record or a source, and not both"),
        ("blocks", {"record": "s:a", "source": "s"}, "a block needs a record or a source, and not both"),
        ("boosts", {"source": "s", "boost": 5}, "boost: Input should be less than or equal to 0.3"),
        ("synonyms", {"words": ["one"]}, "words"),
        ("places", {"name": "X", "bbox": [0, 0, float("nan"), 1]}, "bbox.2"),
        ("places", {"name": "X", "bbox": [0, 5, 1, 1]}, "south is larger than north"),
        ("places", {"type": "Feature", "properties": {"name": "X"}, "geometry": None}, "not a geometry"),
        ("overlays", {"record": "s:a"}, "an overlay needs"),
        ("overlays", {"record": "s:a", "start": "soon"}, "'soon' is not an ISO 8601 date"),
        ("overlays", {"record": "s:a", "title": "x", "valid_until": "2026-01-01"}, "counts until it is removed"),
    ],
)  # fmt: skip
def test_a_bad_line_says_what_is_wrong(kind: str, said: object, problem: str) -> None:
    found = read_lines(kind, json.dumps([said]).encode(), "application/json")  # type: ignore[arg-type]
    assert not found.rules
    assert problem in found.refused[0].problem


def test_a_body_that_cannot_be_read_is_refused_as_a_whole() -> None:
    for body, media_type in ((b"{", "application/json"), (b"\xff", "text/csv"), (b'a\n"b"c', "text/csv")):
        with pytest.raises(InvalidInput):
            read_lines("pins", body, media_type)
    with pytest.raises(TooLarge):
        read_lines("pins", json.dumps([{}] * (MOST_LINES + 1)).encode(), "application/json")


def test_csv_has_a_column_for_each_member() -> None:
    csv = "words,record,order,valid_until\nsea ice,s:a,2,2027-01-01\nrain,s:b,,\nsnow,s:c,x,\nhail,s:d,1,,more\n"
    found = read_lines("pins", csv.encode(), "text/csv")
    assert {line: getattr(rule, "record", "") for line, rule in found.rules.items()} == {1: "s:a", 2: "s:b"}
    assert [one.line for one in found.refused] == [3, 4]
    (words,) = read_lines("synonyms", b"words,language\nFOCI|fisheries oceanography,en\n", "text/csv").rules.values()
    assert getattr(words, "words", ()) == ("FOCI", "fisheries oceanography")


def test_an_overlay_replaces_what_it_says_and_names_it() -> None:
    record = Record("s:a", "s", "a", "Rain", keywords=(Keyword("rain"),), geometry={"type": "Point"})
    overlay = Overlay("Rainfall", ("Rain", "gauge"), BBox(1, 2, 3, 4), TimeSpan(0, 1))
    changed = overlay.on(record)
    assert (changed.title, changed.alternate_titles) == ("Rainfall", ("Rain",))
    assert [one.term for one in changed.keywords] == ["rain", "gauge"], "one that is there is not added"
    assert (changed.extents, changed.geometry, changed.times) == ((BBox(1, 2, 3, 4),), None, (TimeSpan(0, 1),))
    assert changed.curated == ("title", "keywords", "extent", "period")
    assert Overlay(title="Rainfall").on(record).extents == record.extents


def test_what_moves_up_comes_first() -> None:
    moved = differences(["a", "b", "c"], ["c", "a", "d"])
    assert moved == (RankChange("c", 3, 1), RankChange("d", None, 3), RankChange("a", 1, 2), RankChange("b", 2, None))
    assert differences(["a"], ["a"]) == ()


def test_ndcg_of_two_ranks() -> None:
    grades = {"a": 3, "b": 1}
    assert ndcg(["a", "b"], grades) == 1.0
    assert ndcg(["b", "a"], grades) == pytest.approx((1 + 3 / 1.5849625) / (3 + 1 / 1.5849625))
    assert ndcg(["x"], grades) == ndcg(["a"], {"a": 0}) == 0.0


def test_thousands_of_pins_cost_a_question_little() -> None:
    every = (pin(f"p{n}", f"word{n} ice", "s:a", match="part" if n % 2 else "whole") for n in range(4_000))
    curated = ActiveRules.of([kept(rule) for rule in every], TODAY)
    begun = time.perf_counter()
    assert curated.decide("where is word17 ice").pins[0].rule == "p17"
    assert time.perf_counter() - begun < 0.05
