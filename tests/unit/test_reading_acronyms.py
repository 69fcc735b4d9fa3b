"""The list of acronyms that ships is in order; a bad row is named by its line; keys ignore case and separators."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.acronyms import (
    HEADER,
    ORDINARY_WORDS,
    BadAcronyms,
    acronym_key,
    own_acronyms,
    parse_acronyms,
    reads_as_acronym,
    words_key,
)

_HEAD = "\t".join(HEADER) + "\n"
_LST = "LST\tland surface temperature\tland-surface-temperature\tremote-sensing\tGCMD keywords\n"


def test_enough_rows_of_enough_acronyms() -> None:
    senses = own_acronyms().senses
    assert len(senses) >= 450
    assert len({acronym_key(one.acronym) for one in senses}) >= 400
    assert len({one.field for one in senses}) >= 20


def test_one_acronym_is_always_written_the_same_way() -> None:
    written = Counter(acronym_key(acronym) for acronym in {one.acronym for one in own_acronyms().senses})
    assert [key for key, count in written.items() if count > 1] == []


def test_a_sense_has_one_expansion() -> None:
    said: dict[str, set[str]] = {}
    for one in own_acronyms().senses:
        said.setdefault(one.sense, set()).add(one.expansion)
    assert {sense: texts for sense, texts in said.items() if len(texts) > 1} == {}


@pytest.mark.parametrize(
    ("acronym", "expansions"),
    [
        ("lst", ["land surface temperature", "local solar time"]),
        ("SSM-I", ["Special Sensor Microwave Imager"]),
        ("fews-net", ["Famine Early Warning Systems Network"]),
        ("etm+", ["Enhanced Thematic Mapper Plus"]),
        ("xyzzy", []),
    ],
)
def test_senses_of(acronym: str, expansions: list[str]) -> None:
    assert [one.expansion for one in own_acronyms().senses_of(acronym)] == expansions


@pytest.mark.parametrize(
    ("words", "acronym"),
    [
        ("Land-surface temperatures", "LST"),
        ("el nino southern oscillation", "ENSO"),
        ("digital elevation models", "DEM"),
        ("soil moisture active passive", "SMAP"),
    ],
)
def test_acronyms_for(words: str, acronym: str) -> None:
    assert [one.acronym for one in own_acronyms().acronyms_for(words)] == [acronym]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("LST\tland surface temperature\n", "line 3 has 2 columns, not 5"),
        ("SST\t\tsea-surface-temperature\tocean\tGCMD keywords\n", "line 3 has an empty cell"),
        ("SST \tsea surface temperature\ts\tocean\tGCMD keywords\n", "white space around one"),
        ("sst\tsea surface temperature\ts\tocean\tGCMD keywords\n", "line 3 has 'sst', which is no acronym"),
        ("SST\tS S T\tsst\tocean\tGCMD keywords\n", None),
        ("SST\tSST\tsst\tocean\tGCMD keywords\n", "line 3 expands SST to itself"),
        ("SST\tsea surface temperature\tSea Surface\tocean\tGCMD keywords\n", "has the sense 'Sea Surface'"),
        ("SST\tsea surface temperature\tsst\tsea\tGCMD keywords\n", "has the field 'sea', which is unknown"),
        (_LST, "line 3 repeats LST as land-surface-temperature of line 2"),
    ],
)
def test_a_bad_row_is_named(row: str, said: str | None) -> None:
    if said is None:
        assert len(parse_acronyms(_HEAD + _LST + row)) == 2
        return
    with pytest.raises(BadAcronyms, match="cannot be used") as caught:
        parse_acronyms(_HEAD + _LST + row)
    assert said in str(caught.value)


def test_every_bad_row_is_named_at_once_and_a_wrong_heading() -> None:
    with pytest.raises(BadAcronyms) as caught:
        parse_acronyms("acronym\texpansion\nA\tb\nC\td\n")
    assert [fault.split(" ")[1] for fault in caught.value.faults] == ["1", "2", "3"]


def test_what_is_also_a_word_needs_its_capitals() -> None:
    assert not reads_as_acronym("grace")
    assert not reads_as_acronym("Mar")
    assert reads_as_acronym("GRACE")
    assert reads_as_acronym("ndvi")
    assert {acronym_key(one.acronym) for one in own_acronyms().senses} >= ORDINARY_WORDS


@given(st.text(max_size=40))
def test_a_key_is_its_own_key(text: str) -> None:
    assert acronym_key(acronym_key(text)) == acronym_key(text)
    assert words_key(f" {text.swapcase().swapcase()}-") == words_key(text.swapcase().swapcase())
