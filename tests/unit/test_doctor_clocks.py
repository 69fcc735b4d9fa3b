"""`sonde doctor` names a clock that differs from this machine's, and counts no time that an answer took."""

from __future__ import annotations

import time

import pytest

from net.exchange import HttpAnswer
from sonde.ops.doctor.clocks import ahead_s, api_clock, judge_clocks


def test_a_clock_that_was_read_while_the_answer_was_awaited_is_not_ahead() -> None:
    def slow_answer() -> dict[str, float]:
        read_at = time.time()
        time.sleep(0.02)
        return {"right": read_at, "fast": read_at + 3600, "slow": read_at - 3600}

    differences = ahead_s(slow_answer)
    assert differences["right"] == 0.0
    assert differences["fast"] == pytest.approx(3600, abs=1)
    assert differences["slow"] == pytest.approx(-3600, abs=1)


def test_what_differs_is_named_with_its_direction() -> None:
    assert judge_clocks({"the broker": 0.0, "the API": -1.2})[0] == "ok"
    state, told = judge_clocks({"the broker": -7200.4, "the API": 20.0, "the worker of harvest": 0.0})
    assert state == "warning"
    assert "the broker is 120 min behind this machine, the API is 20 s ahead of this machine" in told
    assert "worker" not in told


def test_the_date_of_an_answer_is_the_clock_of_the_api() -> None:
    answer = HttpAnswer("http://here", 200, {"date": "Fri, 27 Nov 2026 17:41:13 GMT"}, b"")
    assert api_clock(answer) == {"the API": 1795801273.0}
    assert api_clock(HttpAnswer("http://here", 200, {"date": "yesterday"}, b"")) == {}
    assert api_clock("nobody answers") == api_clock(HttpAnswer("http://here", 200, {}, b"")) == {}
