"""What Elasticsearch's profile of a search says, in milliseconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.json_types import Json
from lab.search_profile import clause_times, phase_times

_TERM: Json = {"type": "TermQuery", "time_in_nanos": 2_000_000}
_BOTH: Json = {"type": "BooleanQuery", "time_in_nanos": 5_000_000, "children": [_TERM, _TERM]}
_SHARD: Json = {
    "searches": [{"rewrite_time": 500_000, "query": [_BOTH], "collector": [{"time_in_nanos": 250_000}]}],
    "fetch": {"time_in_nanos": 1_000_000},
}
_ANSWER: Json = {"profile": {"shards": [_SHARD, {"searches": []}]}}


def _sums(times: Iterable[tuple[str, float]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for name, spent_ms in times:
        sums[name] += spent_ms  # type: ignore[assignment]
    return sums


def test_phases_of_all_shards_are_listed() -> None:
    assert _sums(phase_times(_ANSWER)) == {"fetch": 1.0, "rewrite": 0.5, "query": 5.0, "collect": 0.25}


def test_a_clause_has_its_time_without_that_of_its_parts() -> None:
    assert _sums(clause_times(_ANSWER)) == {"BooleanQuery": 1.0, "TermQuery": 4.0}
