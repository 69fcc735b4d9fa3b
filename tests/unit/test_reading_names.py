"""Which parts of a question may be names, and under which keys they are looked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.acronyms import MOST_CANDIDATES, acronym_candidates, own_acronyms
from reading.names import (
    MOST_NAMES,
    contact_candidates,
    is_desk,
    is_notation,
    name_candidates,
    surnames_of,
)


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("mod11 l2", ("mod11l2",)),
        ("MYD 16", ("myd16",)),
        ("GCIP - EAOP - 98", ("gcipeaop98",)),
        ("MOD11_L2 V006", ("mod11l2v006", "mod11l2006", "mod11l26")),
        ("GPCP version 2.2", ("gpcpversion22", "gpcp22")),
        ("evapot", ("evapot",)),
    ],
)
def test_a_short_question_may_be_one_name(question: str, keys: tuple[str, ...]) -> None:
    first = name_candidates(question)[0]
    assert (first.text, first.keys) == (question, keys)


def test_in_a_sentence_only_what_looks_like_a_name_may_be_one() -> None:
    found = {one.text for one in name_candidates("where can I find the MOD04 aerosol product for rivers")}
    assert "MOD04" in found
    assert "MOD04 aerosol" in found
    assert not found & {"aerosol", "rivers", "the", "product"}


def test_a_place_or_a_period_is_no_name_and_neither_is_a_number() -> None:
    assert name_candidates("rain Kenya", [(5, 10)]) == name_candidates("rain")
    assert [one.text for one in name_candidates("maps of the 1990s", [(12, 17)])] == ["maps"]
    assert name_candidates("FLUXNET-2015", [(8, 12)])[0].keys == ("fluxnet2015",)
    assert name_candidates("2010") == []


@given(st.text(max_size=400))
def test_any_text_has_few_candidates_that_are_part_of_it(text: str) -> None:
    names = name_candidates(text)
    acronyms = acronym_candidates(text, [], own_acronyms())
    assert len(names) <= MOST_NAMES
    assert len(acronyms) <= MOST_CANDIDATES
    for one in (*names, *acronyms):
        assert text[one.start : one.end] == one.text


def test_an_acronym_is_one_in_capitals_or_alone_and_its_words_are_found() -> None:
    def read(question: str) -> list[tuple[str, bool]]:
        return [(one.text, one.short) for one in acronym_candidates(question, [], own_acronyms()) if one.senses]

    assert ("LST", True) in read("LST trends")
    assert ("lst", True) in read("lst")
    assert read("las lagunas de la región") == []
    assert ("land surface temperatures", False) in read("daily land surface temperatures")


def test_operators_are_no_names() -> None:
    assert name_candidates("( AND OR NOT") == []
    assert "OR" not in {one.text for one in name_candidates("MODIS OR VIIRS")}


@pytest.mark.parametrize(
    ("question", "occupied", "surnames"),
    [
        ("Quillfeder permafrost", [], {"Quillfeder", "permafrost"}),
        ("Quillfeder in Alaska 1998", [(14, 20), (21, 25)], {"Quillfeder"}),
        ("Z. Quillfeder", [], set()),
        ("Quillfeder Z", [], set()),
        ("data of an ox", [], {"data"}),
    ],
)
def test_a_word_beside_others_may_be_a_last_name(
    question: str, occupied: list[tuple[int, int]], surnames: set[str]
) -> None:
    assert {one.text for one in contact_candidates(question, occupied) if one.is_surname} == surnames


def test_only_a_part_of_a_contact_may_be_a_place() -> None:
    assert [one.text for one in contact_candidates("Vladimir Quillfeder", [(0, 8)])] == [
        "Vladimir Quillfeder",
        "Quillfeder",
    ]
    assert contact_candidates("Boulder Colorado", [(0, 7), (8, 16)]) == []


@pytest.mark.parametrize(
    ("name", "surnames"),
    [
        ("Marta E. Quillfeder", ["quillfeder"]),
        ("Quillfeder, Marta", ["quillfeder"]),
        ("van der Mole, Ines", ["van", "der", "mole"]),
        ("Allen Quillfeder, Jr.", ["allen", "quillfeder"]),
        ("F. Quillfeder III", ["quillfeder"]),
        ("Thériault", ["theriault"]),
        ("Sea Data Support", []),
        ("Servicio de datos", []),
    ],
)
def test_the_last_name_of_a_contact(name: str, surnames: list[str]) -> None:
    assert surnames_of(name) == surnames
    assert is_desk(name) == (not surnames)


def test_notation_is_written_in_capitals() -> None:
    assert all(map(is_notation, ("UTC", "hPa", "FTP")))
    assert not any(map(is_notation, ("utc", "Est", "ERA5", "west")))
