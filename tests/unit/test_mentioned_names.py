"""What a record mentions: keys of words that follow each other, and the acronyms that it defines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.names import looks_like_name, without_version_words
from core.record import Keyword, Record
from core.record_keys import LONGEST_MENTIONED, MOST_MENTIONED, acronyms_of, mentioned_keys


def _record(title: str, abstract: str = "", *keywords: str) -> Record:
    terms = tuple(Keyword(term) for term in keywords)
    return Record(id="s:a", source="s", identifier="a", title=title, abstract=abstract, keywords=terms)


def test_words_that_follow_each_other_are_keys_whatever_stands_between_them() -> None:
    keys = set(mentioned_keys(_record("TOGA_COARE soundings of the R/V Moana Wave", "", "GCIP-EAOP-98")))
    assert {"togacoare", "toga", "coare", "soundings", "moanawave", "gcipeaop98"} <= keys
    assert not keys & {"of", "the", "ofthe", "soundingsof", "theRV"}


def test_of_an_abstract_only_what_looks_like_a_name_counts() -> None:
    keys = set(mentioned_keys(_record("T", "The TI3GER flights of NOAA P3 over the ocean, with MODIS.")))
    assert {"ti3ger", "noaa", "noaap3", "modis"} <= keys
    assert not keys & {"ocean", "flights", "the"}


def test_a_version_is_found_with_and_without_its_word() -> None:
    assert {"gpcp20", "gpcpversion20"} <= set(mentioned_keys(_record("GPCP Version 2.0 rain")))
    assert without_version_words(["GPCP", "V2.0"]) == ["GPCP", "2.0"]
    assert without_version_words(["version", "control"]) == ["version", "control"]


@given(st.text(max_size=300), st.text(max_size=600))
def test_keys_are_few_short_and_once(title: str, abstract: str) -> None:
    keys = mentioned_keys(_record(title, abstract))
    assert len(keys) == len(set(keys)) <= MOST_MENTIONED
    assert all(3 <= len(key) <= LONGEST_MENTIONED for key in keys)


@pytest.mark.parametrize(
    ("word", "name"),
    [("MOD11_L2", True), ("TOGA", True), ("ds083.2", True), ("rainfall", False), ("Radar", False), ("1998", False)],
)
def test_names_have_digits_or_capitals_inside(word: str, *, name: bool) -> None:
    assert looks_like_name(word) is name


def test_acronyms_are_kept_both_ways() -> None:
    record = _record("Land Surface Temperature (LST)", "", "DART > Data Assimilation Research Testbed")
    assert acronyms_of(record) == (
        "lst=land surface temperature",
        "land surface temperature=lst",
        "dart=data assimilation research testbed",
        "data assimilation research testbed=dart",
    )
