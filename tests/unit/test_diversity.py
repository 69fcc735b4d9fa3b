"""Siblings spread and doubles folded: answers worked out by hand, and laws."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.geo import BBox
from core.record import Contact, Record
from core.record_keys import TwinKey, series_of, signature_of, title_stem, twin_key
from core.timespan import TimeSpan
from search_api.search.ranking.diversity import (
    Diversity,
    DuplicateKey,
    Family,
    deduplicate,
    diversify,
    possible_versions,
)

RULE = Diversity(block=10, most={"series": 3, "parent": 5}, least_share=0.8)


def letters(text: str) -> list[list[Family]]:
    """``A`` to ``Y`` are series, ``.`` is a record of none."""
    return [[("series", letter)] if letter != "." else [] for letter in text]


def shown(text: str, scores: list[float] | None = None) -> str:
    return "".join(text[place] for place in diversify(letters(text), scores or [1.0] * len(text), RULE))


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        ("", ""),
        ("AAA", "AAA"),
        ("AAAAB", "AAABA"),  # the fourth A waits for B; then nothing else is left
        ("AAAAAAAAAAAA", "AAAAAAAAAAAA"),  # one family: as it was
        ("AAAAAAAAAAAA.......", "AAA.......AAAAAAAAA"),  # three and seven others, then the rest
        ("AAAABBBB..........", "AAABBB....AB......"),
        ("....................", "...................."),
    ],
)
def test_three_of_ten(ranked: str, expected: str) -> None:
    assert shown(ranked) == expected


def test_those_that_stood_back_are_first_in_line_for_the_next_ten() -> None:
    order = diversify(letters("A" * 6 + "." * 14), [1.0] * 20, RULE)
    assert order[:10] == [0, 1, 2, 6, 7, 8, 9, 10, 11, 12]
    assert order[10:13] == [3, 4, 5]


def test_nobody_stands_back_for_a_much_worse_hit() -> None:
    # The fourth A (.7) waits for nobody: .55 < .8 x .7 = .56. The fifth (.6) does: .55 >= .8 x .6 = .48.
    assert shown("AAAAA.", [1.0, 0.9, 0.8, 0.7, 0.6, 0.55]) == "AAAA.A"
    assert shown("AAAA.", [1.0, 0.9, 0.8, 0.7, 0.5]) == "AAAA."  # .5 < .8 x .7 = .56


def test_half_a_page_may_have_one_parent() -> None:
    families: list[list[Family]] = [[("parent", "p")] for _ in range(8)] + [[] for _ in range(8)]
    assert diversify(families, [1.0] * 16, RULE)[:10] == [0, 1, 2, 3, 4, 8, 9, 10, 11, 12]


def test_a_record_may_be_of_two_families() -> None:
    families: list[list[Family]] = [[("series", "s"), ("parent", "p")]] * 4 + [[("parent", "p")]] * 3 + [[]] * 4
    assert diversify(families, [1.0] * 11, RULE) == [0, 1, 2, 4, 5, 7, 8, 9, 10, 3, 6]


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="length"):
        diversify([[]], [], RULE)


SERIES = st.text(alphabet="AAB.", max_size=45)


@given(SERIES, st.data())
def test_laws(text: str, data: st.DataObject) -> None:
    drawn = data.draw(st.lists(st.floats(0, 1), min_size=len(text), max_size=len(text)))
    scores = sorted(drawn, reverse=True)
    order = diversify(letters(text), scores, RULE)
    assert sorted(order) == list(range(len(text)))  # nothing lost, nothing twice
    for family in "AB.":
        own = [place for place in order if text[place] == family]
        assert own == sorted(own)  # within a family the ranking's order stays
    for first in (0, 5, 10, 17):
        assert diversify(letters(text), scores, RULE, first=first)[:first] == order[:first]  # pages do not overlap
    assert order[:3] == list(range(min(3, len(text))))  # three at the top are never moved
    for place, position in enumerate(order):
        assert all(scores[position] >= 0.8 * scores[later] for later in order[place:] if later < position)


@given(st.text(alphabet="ABCDEFGH", min_size=40, max_size=60))
def test_where_there_is_choice_no_ten_hold_more_than_three(text: str) -> None:
    for start in range(0, 20, 10):
        block = Counter(shown(text)[start : start + 10])
        rest = Counter(shown(text)[start:])
        if sum(min(3, count) for count in rest.values()) >= 10:
            assert max(block.values()) <= 3


def test_folding_by_identity_and_by_signature() -> None:
    likeness = {
        "a:1": DuplicateKey("a", "10.1/x", "s"),
        "b:1": DuplicateKey("b", "10.1/x", None),
        "c:1": DuplicateKey("c", "c1", "s"),
        "d:1": DuplicateKey("d", "d1", None),
    }
    assert deduplicate(["a:1", "d:1", "c:1", "b:1"], likeness) == {"a:1": ["c:1", "b:1"], "d:1": []}
    assert deduplicate(["b:1", "c:1", "a:1"], likeness) == {"b:1": ["a:1"], "c:1": []}  # c knows neither b nor its DOI


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (DuplicateKey("a", "1", "s"), DuplicateKey("a", "2", "s")),  # one catalogue says the same twice
        (DuplicateKey("a", "10.1/x", "s"), DuplicateKey("b", "10.1/y", "s")),  # two DOIs are two publications
        (DuplicateKey("a", "1", None), DuplicateKey("b", "2", None)),
        (DuplicateKey("a"), DuplicateKey("b")),
    ],
)
def test_what_speaks_against_folding(one: DuplicateKey, other: DuplicateKey) -> None:
    assert deduplicate(["x", "y"], {"x": one, "y": other}) == {"x": [], "y": []}


def test_a_catalogue_lends_one_record_to_a_group_by_signature() -> None:
    likeness = {"a": DuplicateKey("a", "1", "s"), "b": DuplicateKey("b", "2", "s"), "c": DuplicateKey("b", "3", "s")}
    assert deduplicate(["a", "b", "c"], likeness) == {"a": ["b"], "c": []}


def record(title: str, **more: object) -> Record:
    return Record("s:1", "s", "1", title, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SST analysis, May 2003", "SST analysis, June 2004"),
        ("GATE soundings 1974-07-01", "GATE soundings 1974-09-12"),
        ("Landsat 8 scene LC80010022013", "Landsat 8 scene LC80330142019"),
        ("Flight Tracks (KML files)", "Flight tracks - KML files"),
        ("Météo données janvier 2001", "Météo données février 2002"),
    ],
)
def test_siblings(one: str, other: str) -> None:
    assert series_of(record(one)) == series_of(record(other)) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [("Surface CO2 flux", "Surface N2O flux"), ("Soil of Kenya 2001", "Soil of Malawi 2001"), ("2001", "2002")],
)
def test_no_siblings(one: str, other: str) -> None:
    found = series_of(record(one)), series_of(record(other))
    assert found[0] != found[1] or found == (None, None)


KENYA = {
    "contacts": (Contact(organisation="KMD"),),
    "extents": (BBox(33.89, -4.68, 41.89, 5.03),),
    "times": (TimeSpan.from_iso("1990", "2000"),),
}


def test_a_signature_forgives_spelling_and_a_few_kilometres() -> None:
    copy = KENYA | {"extents": (BBox(33.91, -4.7, 41.9, 5.0),), "contacts": (Contact(organisation="kmd "),)}
    assert signature_of(record("Rain gauges of Kenya", **KENYA)) == signature_of(record("RAIN-GAUGES of Kenya", **copy))


@pytest.mark.parametrize(
    "more",
    [
        {"contacts": (Contact(organisation="other"),)},
        {"extents": (BBox(0, 0, 1, 1),)},
        {"times": (TimeSpan.from_iso("1990", "2001"),)},
    ],
)
def test_a_signature_tells_other_data_apart(more: dict[str, object]) -> None:
    assert signature_of(record("Rain gauges of Kenya", **(KENYA | more))) != signature_of(
        record("Rain gauges of Kenya", **KENYA)
    )


def test_what_says_too_little_has_no_signature() -> None:
    assert signature_of(record("Bathymetry", **KENYA)) is None
    assert signature_of(record("Rain gauges of Kenya", extents=KENYA["extents"])) is None
    assert signature_of(record("Rain gauges of Kenya", contacts=KENYA["contacts"])) is None


def _twin(title: str, boxes: tuple[str, ...] = ("1,2,3,4",), start: str = "0") -> DuplicateKey:
    return DuplicateKey("s", identity=title, twin=twin_key("s", title, boxes, start))


@pytest.mark.parametrize(
    ("title", "other"),
    [
        ("Snow Depth (Excel) [Oberbauer]", "Snow Depth [Oberbauer]"),
        ("Wind probes - ASCII format", "Wind probes - netCDF format"),
        ("SAMOS air-sea fluxes", "Version 3 SAMOS air-sea fluxes"),
        ("Ocean heat content V1", "Ocean heat content v2.1"),
        ("Radar moments, DORADE", "Radar moments, CfRadial (final)"),
        ("Sea level grids [NetCDF]", "Sea level grids [CSV]"),
    ],
    ids=["one without", "dash", "version before", "short version", "state", "square brackets"],
)
def test_formats_and_versions_of_one_data_set_are_folded(title: str, other: str) -> None:
    keys = {"a": _twin(title), "b": _twin(other)}
    assert deduplicate(["b", "a"], keys) == {"b": ["a"]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_twin("Flight tracks of King Air"), _twin("Flight tracks of King Air")),
        (_twin("Soil data 1998 (ASCII)"), _twin("Soil data 1999 (Excel)")),
        (_twin("Soil data (ASCII)"), _twin("Soil data (Excel)", boxes=("5,6,7,8",))),
        (_twin("Soil data (ASCII)"), _twin("Soil data (Excel)", start="9")),
        (_twin("Soil data (ASCII)", (), ""), _twin("Soil data (Excel)", (), "")),
        (_twin("Data (ASCII)"), _twin("Data (Excel)")),
    ],
    ids=["equal titles", "years", "areas", "starts", "nothing known", "short title"],
)
def test_other_data_sets_are_not(one: DuplicateKey, other: DuplicateKey) -> None:
    keys = {"a": one, "b": DuplicateKey("s", "another", twin=other.twin)}
    assert deduplicate(["a", "b"], keys) == {"a": [], "b": []}


def test_each_format_is_in_a_group_once() -> None:
    ascii_key, excel_key = TwinKey("d", "ascii", "t"), TwinKey("d", "excel", "t")
    twins = {"a": ascii_key, "b": excel_key, "c": ascii_key, "d": excel_key}
    keys = {name: DuplicateKey("s", name, twin=twin) for name, twin in twins.items()}
    assert deduplicate(["a", "b", "c", "d"], keys) == {"a": ["b"], "c": ["d"]}


def test_the_stem_keeps_numbers_and_words_that_only_look_like_formats() -> None:
    assert title_stem("Ivotuk MAT Site 2, 1999 (ASCII)") == ("ivotuk", "mat", "site", "2", "1999")


def _key(title: str, name: str, source: str = "s") -> DuplicateKey:
    return DuplicateKey(source, name, twin=twin_key(source, title, ("b",), "0"))


def test_possible_versions_differ_in_marks_or_at_the_end_of_the_doi() -> None:
    keys = {
        "a": _key("Snow cover daily, Version 5", "a"),
        "b": _key("Snow cover daily, Version 6", "b"),
        "c": _key("Snow cover weekly, Version 6", "c"),
        "d": _key("Snow cover daily, Version 6", "d", source="t"),
        "e": DuplicateKey("s", "10.5067/x/mod.006"),
        "f": DuplicateKey("s", "10.5067/x/mod.061"),
    }
    assert possible_versions(["a", "c", "e", "gone"], keys) == {"a": ["b"], "e": ["f"]}


def test_equal_titles_are_possible_versions_of_one_data_set_only() -> None:
    keys = {
        "a": _key("Flight tracks", "a"),
        "b": DuplicateKey("s", "b", twin=twin_key("s", "Flight tracks", ("elsewhere",), "0")),
        "c": _key("Flight tracks", "c"),
        "d": DuplicateKey("s", "d", twin=twin_key("s", "Flight tracks", (), None)),
        "e": DuplicateKey("s", "e", twin=twin_key("s", "Flight tracks", (), None)),
    }
    assert possible_versions(keys, keys) == {"a": ["c"], "c": ["a"]}
