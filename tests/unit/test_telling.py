"""What the candidates' texts say, read from the clauses that matched."""

from __future__ import annotations

from search_api.retrieval.telling import Told, read_told, telling_query


def _hit(record: str, *matched: str) -> dict[str, object]:
    return {"fields": {"id": [record]}, "matched_queries": list(matched)}


def test_a_title_that_names_the_place_counts_more_than_another_text() -> None:
    hits = [_hit("a", "named", "named_in_title"), _hit("b", "named", "all_words"), _hit("c", "all_words")]
    assert read_told({"hits": {"hits": hits}}) == Told(frozenset(("b", "c")), {"a": 1.0, "b": 0.5})


def test_without_a_place_only_the_words_are_asked_for() -> None:
    told = telling_query({"match_all": {}}, [])["bool"]["should"]
    assert [one["constant_score"]["_name"] for one in told] == ["all_words"]
    assert len(telling_query({"match_all": {}}, ["Kenya"])["bool"]["should"]) == 3
