"""Answers as JSON: whatever the value, what is read back is what was said."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from flask import Flask, jsonify
from hypothesis import given
from hypothesis import strategies as st

from search_api.http.responses import OrjsonProvider

APP = Flask("answers")
APP.json = OrjsonProvider(APP)

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def read_back(said: object) -> object:
    with APP.test_request_context():
        answer = jsonify({"said": said})
    assert answer.mimetype == "application/json"
    return json.loads(answer.get_data())["said"]


@given(VALUES)
def test_every_value_comes_through(said: object) -> None:
    assert read_back(said) == said


def test_what_orjson_does_not_write_goes_flasks_way() -> None:
    assert read_back("half \ud800 of a pair") == "half \ud800 of a pair"
    assert read_back(2**70) == 2**70
    assert read_back(datetime(2026, 11, 22, tzinfo=UTC)) == "Sun, 22 Nov 2026 00:00:00 GMT"


def test_what_json_has_no_word_for_is_null() -> None:
    """``Infinity`` and ``NaN`` would be refused by every reader but Python's own."""
    assert read_back([float("inf"), float("-inf"), float("nan")]) == [None, None, None]


def test_the_order_of_members_stays() -> None:
    with APP.test_request_context():
        assert jsonify(type="Feature", id="a", geometry=None).get_data() == (
            b'{"type":"Feature","id":"a","geometry":null}\n'
        )
