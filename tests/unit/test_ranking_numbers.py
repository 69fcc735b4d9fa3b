"""Every number of the ranking is in its one configuration: another configuration makes other queries and scores."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import search_api
from reading.concepts import Label
from search_api.search.passages.passage_arms import OwnCounts, own_bm25_query
from search_api.search.ranking.config import default_config
from search_api.search.retrieval.bm25 import (
    cited_query,
    every_word_query,
    passages_query,
    records_expansion,
    records_query,
)
from search_api.search.understanding.interpretation import QueryTerm, TextSpan

WORDS = default_config().words
PACKAGE = Path(search_api.__file__).parent
FLOW = ("flow", "ranking/combiners/combiner", "round_one", "round_two", "round_three", "result_window", "similar")
NOT_OF_THE_RANKING = {
    "search/flow.py": {"_AROUND_POINT"},  # the size of a point
    "search/passages/quotable.py": {
        "_LEAST_WORDS",
        "_LEAST_DISTINCT",
        "_MOST_SIGNS",
        "_PROSE",
        "_LEAST_PROSE",
    },  # which sentences are prose
    "search/retrieval/conditions.py": {"_MARGIN_SHARE, _MOST_MARGIN_KM"},  # what still counts as outside
    "search/retrieval/clauses.py": {"_OVERSAMPLING"},  # how exactly the nearest are found
    "search/retrieval/density.py": {"READ_EVERY_S"},  # how often the cells are counted
    "search/retrieval/known_names.py": {"_LIKE", "_LEAST_IN_CAPITALS", "_LEAST_DEFINED"},  # what is a name
    "search/retrieval/refinement.py": {
        "_LEAST_SENSE_SHARE",
        "_LEAST_SIMILARITY, _SURE_SIMILARITY",
    },  # which senses and corrections
    "search/retrieval/spelling.py": {"_LARGE"},  # which places a typing error may mean
    "search/retrieval/serving.py": {
        "_CACHE_S",
        "_LANGUAGES_CACHE_S",
        "_LEAST_SHARE",
    },  # caches, and languages of a catalogue
}


def test_weights_of_fields_and_words_are_those_of_the_configuration() -> None:
    other = replace(
        WORDS,
        record_fields={"title": 9.5},
        passage_fields={"text": 8.5},
        citation_fields={"heading": 7.5},
        any_language=0.25,
        place_and_time=0.75,
        identifier=55.5,
        minimum_should_match="1<11%",
    )
    records = json.dumps(records_query(other, other.record_fields, "rain", "Kenya", "en", ("10.1/x",)))
    for part in ('"title.en^9.5"', '"title^9.5"', "0.25", "0.75", "55.5"):
        assert part in records
    assert "abstract" not in records
    assert "1<11%" in json.dumps(every_word_query(other, other.record_fields, "rain", "en"))
    assert '"text.en^8.5"' in json.dumps(passages_query(other, "rain", "", "en"))
    assert '"heading.en^7.5"' in json.dumps(cited_query(other, "rain", "en"))


def test_weights_of_other_names_too() -> None:
    other = replace(WORDS, synonym=0.55, narrower=0.45)
    found = TextSpan("rain", 0, 4, "vocabulary", 1.0)
    term = QueryTerm(found, "uri", (Label("precipitation", "en"),), (Label("drizzle", "en"),))
    clauses = json.dumps(records_expansion(other, {"title": 9.5}, [term], "", "en").clauses)
    for part in ('"title.en^9.5"', "0.55", "0.45"):
        assert part in clauses


def test_words_in_ones_own_passages_too() -> None:
    other = replace(WORDS, any_language=0.0, bm25_k1=3.5)
    counted = OwnCounts(10, {("rain", ".en"): 2, ("rain", ""): 2})
    body = own_bm25_query(other, ["rain"], [".en", ""], counted, [])
    scripts = [clause["script_score"]["script"]["params"] for clause in body["query"]["bool"]["should"]]
    assert [one["k1"] for one in scripts] == [3.5, 3.5]
    assert scripts[1]["weight"] == 0.0


def test_no_module_that_searches_or_ranks_has_a_weight_beside_it() -> None:
    weights = {}
    folders = ("search/retrieval", "search/passages", "library")
    paths = [path for folder in folders for path in (PACKAGE / folder).rglob("*.py")]
    for path in [*paths, *(PACKAGE / "search" / f"{name}.py" for name in FLOW)]:
        place = path.relative_to(PACKAGE).as_posix()
        names = set(_fractions(path)) - NOT_OF_THE_RANKING.get(place, set())
        if names:
            weights[place] = names
    assert weights == {}


def _fractions(path: Path) -> Iterator[str]:
    """Names of module constants that are set from a number with a fraction."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            values = (part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
            if any(isinstance(value, float) for value in values):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                yield ast.unparse(target).strip("()")
