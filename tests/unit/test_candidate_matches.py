"""What the candidates' texts say, read from the clauses that matched."""

from __future__ import annotations

from search_api.search.retrieval.arms import match_clauses, read_matches


def _hit(record: str, *matched: str) -> dict[str, object]:
    hit = {"fields": {"id": [record]}, "_score": 1.5, "_seq_no": 3, "_primary_term": 1}
    return {**hit, "matched_queries": list(matched)} if matched else hit


def test_a_title_that_names_the_place_counts_more_than_another_text() -> None:
    hits = [_hit("a", "named", "named_in_title"), _hit("b", "named", "all_words"), _hit("c", "all_words"), _hit("d")]
    matches = read_matches({"hits": {"hits": hits}}, "uuid")
    assert matches.all_words == {"b", "c"}
    assert matches.place_names == {"a": 1.0, "b": 0.5}
    assert matches.scores == dict.fromkeys("abcd", 1.5)
    assert matches.versions == dict.fromkeys("abcd", ("uuid", 3, 1))


def test_without_a_place_only_the_words_are_asked_for() -> None:
    assert [one["constant_score"]["_name"] for one in match_clauses({"match_all": {}}, None, [], ["words"])] == [
        "all_words"
    ]
    named = match_clauses({"match_all": {}}, None, ["Kenya"], ["words"])
    assert [one["constant_score"]["boost"] for one in named] == [0.0, 0.0, 0.0]
