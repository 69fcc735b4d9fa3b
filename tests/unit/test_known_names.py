"""Which words of a question are names that records have, by the numbers of records."""

from __future__ import annotations

import pytest

from core.json_types import Json
from reading.concepts import Label
from reading.names import contact_candidates, name_candidates
from search_api.search.ranking.config import default_config
from search_api.search.retrieval.contacts import matched_contacts
from search_api.search.retrieval.known_names import matched_names, names_query
from search_api.search.understanding.interpretation import QueryName, QueryTerm, TextSpan

_TOTAL = 10_000


def read(question: str, counts: dict[str, dict[str, int]]) -> tuple[QueryName, ...]:
    """``counts``: by the text of a candidate: how many records list it, mention it, and have its words."""
    candidates = name_candidates(question)
    buckets = {
        f"{kind}{number}": {"doc_count": count}
        for number, candidate in enumerate(candidates)
        for kind, count in counts.get(candidate.text, {}).items()
    }
    answer: Json = {"hits": {"total": {"value": _TOTAL}}, "aggregations": {"counts": {"buckets": buckets}}}
    return matched_names(candidates, answer, len(question))


@pytest.mark.parametrize(
    ("question", "counts", "names"),
    [
        ("cloud camera", {"cloud camera": {"own": 2, "said": 20, "word": 300}}, []),
        ("cloud camera", {"cloud camera": {"own": 40, "said": 50, "word": 60}}, ["cloud camera"]),
        ("CLOUDCAM rain", {"CLOUDCAM": {"own": 2, "said": 20, "word": 20}}, ["CLOUDCAM"]),
    ],
    ids=["ordinary words", "a name of many", "looks like a name"],
)
def test_ordinary_words_that_few_records_list_are_no_name(
    question: str, counts: dict[str, dict[str, int]], names: list[str]
) -> None:
    assert [name.mention.text for name in read(question, counts)] == names


@pytest.mark.parametrize(
    ("question", "counts", "names"),
    [
        ("GLOOM passages", {"GLOOM": {"said": 6, "sign": 6, "word": 65, "typed": 65}}, []),
        ("GLOOM passages", {"GLOOM": {"said": 50, "sign": 50, "word": 400, "typed": 65}}, ["GLOOM"]),
        ("GLOOM passages", {"GLOOM": {"said": 6, "sign": 50, "word": 65, "typed": 65}}, ["GLOOM"]),
        ("GLOOM passages", {"GLOOM": {"said": 15, "sign": 15, "word": 54, "typed": 43, "defined": 13}}, ["GLOOM"]),
        (
            "DARK GLOOM",
            {
                "DARK": {"said": 3, "sign": 3, "word": 68, "typed": 68},
                "GLOOM": {"said": 15, "sign": 15, "word": 54, "typed": 43, "defined": 13},
                "DARK GLOOM": {"own": 0, "said": 2, "word": 3},
            },
            [],
        ),
        (
            "STORM DUST",
            {
                "STORM": {"said": 54, "sign": 54, "word": 354, "typed": 141},
                "DUST": {"said": 43, "sign": 43, "word": 56, "typed": 56},
            },
            [],
        ),
        ("DUST storms", {"DUST": {"said": 43, "sign": 43, "word": 56, "typed": 56}}, []),
    ],
    ids=["mostly small", "stem", "numbered", "defined", "beside an ordinary word", "two terms", "term of the field"],
)
def test_an_ordinary_word_in_capitals_is_no_name(
    question: str, counts: dict[str, dict[str, int]], names: list[str]
) -> None:
    assert [name.mention.text for name in read(question, counts)] == names


def scores(name: QueryName) -> dict[str, float]:
    """The weight of a record that lists the name, and of one that mentions it."""
    query = names_query(default_config().words.names, [name], alone=True)
    assert query is not None
    parts = [part["constant_score"] for part in query["bool"]["should"][0]["dis_max"]["queries"]]
    return {field: part["boost"] for part in parts for field in part["filter"].get("terms", {})}


@pytest.mark.parametrize(("text", "own", "listed"), [("CLOUDCAM", 20, 1.0), ("CLOUDCAM", 2, 0.73), ("CAM4B", 2, 1.0)])
def test_a_list_of_names_counts_less_where_few_that_mention_the_name_have_it(
    text: str, own: int, listed: float
) -> None:
    (name,) = read(f"{text} rain", {text: {"own": own, "said": 20, "word": 20}})
    assert scores(name) == pytest.approx({"names.keys": listed, "names.mentioned": 0.7})


@pytest.mark.parametrize(("acronym", "texts"), [("CC", 1), ("CCAM", 2)])
def test_two_letters_are_no_other_form_of_a_name(acronym: str, texts: int) -> None:
    term = QueryTerm(TextSpan("cloud camera", 0, 12, "catalogue", 1.0), "", (Label(acronym),), ())
    query = names_query(default_config().words.names, [], [term])
    assert query is not None
    assert len(query["bool"]["should"][0]["dis_max"]["queries"]) == texts


@pytest.mark.parametrize(
    ("question", "contact", "mention"),
    [
        ("Don Brook albedo", "Brook, Donald K.", "Don Brook"),
        ("Steve Brook albedo", "Brook, Steven", "Steve Brook"),
        ("albedo by Steven Brook", "Steve Brook", "Steven Brook"),
        ("Kathy Brook albedo", "Brook, Peggy", "Brook"),
        ("snow Brook albedo", "Brook, Steven", "Brook"),
        ("Do Brook albedo", "Brook, Donald", "Brook"),
    ],
)
def test_a_short_first_name_belongs_to_the_person(question: str, contact: str, mention: str) -> None:
    candidates = contact_candidates(question)
    number = next(number for number, one in enumerate(candidates) if one.is_surname and one.text == "Brook")
    named = {f"contact{n}": {"doc_count": 9 * (n == number)} for n, _ in enumerate(candidates)}
    sample = {"some": {"hits": {"hits": [{"_source": {"contacts": [{"name": contact}]}}]}}}
    surnames = {f"contact{n}": sample for n, one in enumerate(candidates) if one.is_surname}
    answer: Json = {
        "hits": {"total": {"value": _TOTAL}},
        "aggregations": {"counts": {"buckets": named}, "surnames": {"buckets": surnames}},
    }
    (name,) = matched_contacts(candidates, answer, len(question))
    assert (name.mention.text, name.keys) == (mention, ("brook",))
