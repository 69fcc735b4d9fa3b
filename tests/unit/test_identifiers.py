"""Identifiers in a question."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reading.names import IdentifierMention, read_identifiers

UUID = "8a3c6f0e-1b2d-4c3e-9f10-0a1b2c3d4e5f"


@pytest.mark.parametrize(
    ("text", "value", "covered"),
    [
        ("10.5065/7NB6-RJ33", "10.5065/7nb6-rj33", "10.5065/7NB6-RJ33"),
        ("doi:10.1594/PANGAEA.1234", "10.1594/pangaea.1234", "doi:10.1594/PANGAEA.1234"),
        ("https://doi.org/10.5065/D6V40SXP.", "10.5065/d6v40sxp", "https://doi.org/10.5065/D6V40SXP"),
        ("(see 10.1000/a(b)c).", "10.1000/a(b)c", "10.1000/a(b)c"),
        ("DOI 10.24381/cds.adbb2d47?", "10.24381/cds.adbb2d47", "DOI 10.24381/cds.adbb2d47"),
    ],
)
def test_dois(text: str, value: str, covered: str) -> None:
    mention = read_identifiers(text)[0]
    assert (mention.kind, mention.value, text[mention.start : mention.end]) == ("doi", value, covered)


def test_a_uuid_is_found_between_words() -> None:
    assert read_identifiers(f"record {UUID}, please") == [IdentifierMention("uuid", UUID, 7, 43)]


@pytest.mark.parametrize(
    "token",
    ["gov.noaa.ncdc:C00835", "edu.ucar.gdex.d083002", "urn:x-wmo:md:int.wmo.wis", "GPCC_full_data_2018",
     "ds083.2", "d083002", "NOAA-NCEI-0123456"],
)  # fmt: skip
def test_file_identifiers(token: str) -> None:
    assert read_identifiers(f"the {token} data") == [IdentifierMention("file_identifier", token, 4, 4 + len(token))]


@pytest.mark.parametrize(
    "text",
    ["rainfall in Kenya since 1990", "SSP2-4.5", "near-real-time", "1981-2010", "2003-05-12", "1:50 000", "CMIP6",
     "U.S.A.", "e.g. ozone", "bias-corrected", "10.5 m/s", "10/2003", "https://example.org/a_1_2_3", "NCEP/NCAR"],
)  # fmt: skip
def test_ordinary_words_are_no_identifiers(text: str) -> None:
    assert read_identifiers(text) == []


@given(st.text(alphabet="a1_.:-/ 10.5/", max_size=200))
def test_mentions_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    mentions = read_identifiers(text)
    assert all(
        mention.value in text[mention.start : mention.end].lower() or mention.kind != "doi" for mention in mentions
    )
    assert all(one.end <= other.start for one, other in pairwise(mentions))
