"""What agents get stays small, on one line and without invisible characters, whatever catalogues write."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from search_api.protocols.mcp.answers import (
    DATA,
    LARGEST_CHARACTERS,
    NOTE,
    readable,
    readable_json,
    shorten,
    with_quoted,
    within_budget,
)

TEXTS = st.text(max_size=300)
QUOTED = st.recursive(TEXTS | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner))


@given(TEXTS)
def test_a_readable_text_has_only_what_a_person_sees(text: str) -> None:
    found = readable(text)
    assert not any(unicodedata.category(one).startswith("C") for one in found)
    assert found == readable(found)
    assert not {"\n", "\r", "\t", "\u2028"} & set(found)


@pytest.mark.parametrize(
    ("text", "longest", "short"),
    [("short", 10, "short"), ("one two three", 9, "one two…"), ("onetwothree", 5, "onet…"), ("", 5, "")],
)
def test_texts_end_at_a_word(text: str, longest: int, short: str) -> None:
    assert shorten(text, longest) == short


@given(QUOTED)
def test_sondes_words_and_theirs_are_apart(quoted: object) -> None:
    answer = with_quoted({"matches": 3, "empty": None}, quoted)
    assert list(answer) == ["matches", "note", DATA]
    assert answer["note"] == NOTE
    assert answer[DATA] == readable_json(answer[DATA])


def test_long_texts_go_before_whole_hits_and_a_cursor_never_skips_one() -> None:
    hits = [{"id": f"a:{n}", "abstract": "word " * 400, "why": ["near " * 20]} for n in range(20)]
    cut = json.loads(within_budget({"next_cursor": "c", DATA: [dict(one) for one in hits]}))
    assert len(cut[DATA]) == 20
    assert cut["next_cursor"] == "c"
    many = {"next_cursor": "c", DATA: [{"id": f"{n:0400}"} for n in range(50)]}
    text = within_budget(many)
    dropped = json.loads(text)
    assert len(text) <= LARGEST_CHARACTERS
    assert dropped["left_out"] == 50 - len(dropped[DATA]) > 0
    assert "next_cursor" not in dropped
    assert "smaller `limit`" in dropped["advice"]
