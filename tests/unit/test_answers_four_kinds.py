"""Test questions of four kinds from passages made for it: what is asked, of which page, and what answers it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from core.document import Passage
from core.errors import SondeError
from evaluation.answers.made_questions import KINDS, MadeQuestion, extract_questions, model_questions
from evaluation.answers.measures import AnswerMeasures, by_kind, intervals_by_kind
from evaluation.answers.questions import load_questions

PEAT = (
    "A lysimeter is a vessel of soil that stands on a balance. The moor lost 417 mm of water in the summer of the year "
    "by far. The water table fell below the roots because the ditches were dug out again in spring. If the ditches are "
    "closed in autumn, the water table rises to the roots within a winter. Peat growth stops in dry years of the moor."
    " Peat growth begins again in wet years of the moor."
)
FEN = (
    "The gauge at the lower bridge was read by hand on every morning. The river then rose for many days without rain. "
    "Therefore the water must have come from the snow of the hills. Peat growth was seen at all of the fen plots. Peat "
    "growth was measured with rods of steel at each plot. It also rained. Table 3 shows the levels that were read."
)
TITLES = {"a": "Peat of the moor", "b": "Rivers of the fen"}
PASSAGES = [
    Passage("a#0", "a", 0, PEAT, first_page=2, last_page=3),
    Passage("b#0", "b", 0, FEN, first_page=5, last_page=5),
]


def of(kind: str, made: Sequence[MadeQuestion]) -> dict[str, MadeQuestion]:
    return {one.question: one for one in made if one.kind == kind}


def test_each_kind_is_made_of_what_the_text_says() -> None:
    made = extract_questions(PASSAGES, TITLES, 10)
    assert [one.kind for one in made] == sorted((one.kind for one in made), key=KINDS.index)
    facts = of("fact", made)
    assert facts["What is a lysimeter?"].answers == ("A lysimeter is a vessel of soil that stands on a balance.",)
    number = facts["Which number stands for “…” in: The moor lost … mm of water in the summer of the year by far."]
    assert (number.documents, number.pages) == (("a",), (2, 3))
    assert "417" in number.answers[0]
    inferred = of("inference", made)
    assert set(inferred) == {
        "What is the reason that the water table fell below the roots?",
        "What follows from this: The river then rose for many days without rain.",
    }
    follows = inferred["What follows from this: The river then rose for many days without rain."]
    assert follows.answers == ("Therefore the water must have come from the snow of the hills.",)
    (condition,) = of("condition", made)
    assert condition == "What holds according to “Peat of the moor” if the ditches are closed in autumn?"
    (several,) = of("several", made).values()
    assert several.question == "What do “Peat of the moor” and “Rivers of the fen” say about peat growth?"
    assert (several.documents, several.pages) == (("a", "b"), ())


def test_what_cannot_be_read_alone_is_not_asked() -> None:
    questions = " ".join(one.question for one in extract_questions(PASSAGES, TITLES, 10))
    assert "Table 3" not in questions
    assert "rained" not in questions


def test_the_draw_is_even_over_documents_and_repeats_itself() -> None:
    many = [
        Passage(
            f"{document}#{n}", document, n, f"The lake of the {word} valley holds {n} of the oldest fish we know of."
        )
        for document, words in (("a", "green blue red white black"), ("b", "long"))
        for n, word in enumerate(words.split(), 1)
    ]
    first = extract_questions(many, {}, 2)
    assert {one.documents[0] for one in first} == {"a", "b"}
    assert extract_questions(many, {}, 2) == first
    assert {one.question for one in extract_questions(many, {}, 3, seed=1)} != {
        one.question for one in extract_questions(many, {}, 3, seed=2)
    } or len(extract_questions(many, {}, 9)) <= 3


def test_the_lines_are_what_ask_evaluate_reads(tmp_path: Path) -> None:
    made = extract_questions(PASSAGES, TITLES, 10)
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(one.line(number)) for number, one in enumerate(made)), "utf-8")
    read = load_questions(path)
    assert [one.kind for one in read] == [one.kind for one in made]
    assert [one.texts for one in read if one.kind == "several"] == [("a", "b")]


def test_keys_for_other_programs_are_ignored_and_named(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"question": "How deep?", "must": ["42"], "lang": "en"}\n{"question": "How old?"}\n', "utf-8")
    told: list[str] = []
    assert [one.question for one in load_questions(path, told.append)] == ["How deep?", "How old?"]
    (sentence,) = told
    assert "ignored the keys lang, must" in sentence
    assert "answerable" in sentence  # names what is read


class Writer:
    """Stands for a language model: gives these texts in turn, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.asked: list[Sequence[Mapping[str, str]]] = []

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        self.asked.append(messages)
        yield self.texts[(len(self.asked) - 1) % len(self.texts)]


def test_a_model_writes_each_kind_and_sees_two_documents_for_several() -> None:
    writer = Writer('Sure! {"question": "How deep is it?", "answer": "Deep."}')
    made = list(model_questions(PASSAGES, writer, 1))
    assert [one.kind for one in made] == list(KINDS)
    several = made[KINDS.index("several")]
    assert set(several.documents) == {"a", "b"}
    asked = writer.asked[KINDS.index("several")][1]["content"]
    assert PEAT in asked
    assert FEN in asked


def test_an_unreadable_answer_is_passed_over_and_many_are_an_error() -> None:
    made = list(model_questions(PASSAGES, Writer("no", '{"question": "How deep is it?", "answer": "Deep."}'), 1))
    assert [one.kind for one in made] == list(KINDS)
    with pytest.raises(SondeError, match="5 times"):
        list(model_questions([Passage(f"a#{n}", "a", n, PEAT) for n in range(9)], Writer("no"), 1))


def test_figures_are_told_by_kind() -> None:
    rows = [
        AnswerMeasures("1", True, 1, 3, 0.9, 0.5, False, kind="fact"),
        AnswerMeasures("2", True, None, 0, 0.1, 0.1, True, kind="condition"),
    ]
    found = by_kind([*rows, AnswerMeasures("3", True, 1, 1, 0.5, 0.5, False)])
    assert list(found) == ["fact", "condition"]
    assert (found["fact"]["recall@1"], found["condition"]["refused_wrongly"]) == (1.0, 1.0)
    assert intervals_by_kind(rows)["fact"]["recall@64"] == (1.0, 1.0)
