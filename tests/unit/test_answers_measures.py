"""How good answers are, by hand: refusals, citations, recall of words, the grading page and its grades."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.answers.measures import (
    AnswerMeasures,
    MeasuredAnswer,
    answer_id,
    answer_recall,
    bootstrap_interval,
    figures,
    grade_statistics,
    grading_page,
    intervals,
    is_refused_without_its_text,
    measures_of,
)
from evaluation.answers.questions import AnswerCollection, AnswerQuestion, load_pira
from evaluation.judgements import JudgementFile, RelevanceJudgement
from search_api.search.passages.values import REFUSAL, AnswerConfig, CitedAnswer, CitedSentence, FoundPassage
from tests.shared_data import shared_data

QUESTION = AnswerQuestion("q1", "How salty is the bay?", "right", ("The bay holds 31 g of salt a litre.",))
PASSAGES = (
    FoundPassage("wrong#0", "wrong", "Whales sing.", number=1, relevance=0.8),
    FoundPassage("right#0", "right", "It holds 31 g of salt a litre. Kelp grows.", number=2, relevance=0.4),
)
ANSWER = CitedAnswer(
    "31 g of salt [2]. Whales sing [1][2].",
    "model",
    (CitedSentence("31 g of salt.", (2,), True), CitedSentence("Whales sing.", (1, 2), False, "no")),
    PASSAGES,
)


def test_one_question_is_measured() -> None:
    """The second passage is the right one; two of three citations are of it; of bay, holds, 31, salt and litre the
    answer says two."""
    found = measures_of(QUESTION, PASSAGES, ANSWER, "How salty is the bay?")
    assert (found.rank, found.found, found.best, found.mean) == (2, 2, 0.8, pytest.approx(0.6))
    assert (found.citations, found.right, found.sentences, found.supported) == (3, 2, 2, 1)
    assert found.refused is False
    assert found.recall == pytest.approx(2 / 5)


def test_recall_of_words_takes_the_reference_that_is_served_best() -> None:
    """Content words of the first: bay, hold, 31, salt, litre; of the second: salt."""
    assert answer_recall("31 salt", ("The bay holds 31 salt litre",)) == pytest.approx(2 / 5)
    assert answer_recall("31 salt", ("The bay holds 31 salt litre", "Salt!")) == 1.0
    assert answer_recall("anything", ()) is None


def test_a_refusal_says_none_of_the_reference() -> None:
    refused = CitedAnswer(REFUSAL, "refusal")
    found = measures_of(QUESTION, (), refused, "bay")
    assert (found.refused, found.rank, found.recall) == (True, None, 0.0)
    assert found.without == pytest.approx(1 / 5)  # bay, of bay, holds, 31, salt, litre


def test_the_table_tells_right_from_wrong_refusals() -> None:
    rows = [
        AnswerMeasures(
            "a", True, 1, 3, 0.9, 0.5, False, citations=2, right=2, sentences=2, supported=2, recall=1.0, without=0.2
        ),
        AnswerMeasures(
            "b", True, 4, 1, 0.5, 0.3, False, citations=2, right=1, sentences=1, supported=0, recall=0.0, without=0.4
        ),
        AnswerMeasures("c", True, None, 0, 0.1, 0.1, True),
        AnswerMeasures("d", False, 9, 0, 0.2, 0.1, True),
        AnswerMeasures("e", False, 2, 1, 0.7, 0.1, False, citations=5),
    ]
    found = figures(rows)
    assert (found["answerable"], found["unanswerable"]) == (3, 2)
    assert [found[f"recall@{cut}"] for cut in (1, 3, 5, 8, 32, 64)] == [
        pytest.approx(share / 3) for share in (1, 1, 2, 2, 2, 2)
    ]
    assert found["share_with_any_result"] == pytest.approx(3 / 5)
    assert found["mean_score_first"] == pytest.approx(0.5)
    assert (found["refused_wrongly"], found["refused_rightly"]) == (pytest.approx(1 / 3), 0.5)
    assert (found["answer_recall"], found["answer_recall_without_retrieval"]) == (0.5, pytest.approx(0.3))
    assert found["citation_precision"] == 0.75  # 3 of 4, of answers to what can be answered
    assert found["sentences_supported"] == pytest.approx(2 / 3)
    assert figures([])["recall@1"] is None


def test_questions_off_the_topic_have_their_own_share() -> None:
    on_topic = [AnswerMeasures("a", True, 1, 3, 0.9, 0.5, False), AnswerMeasures("b", False, 2, 1, 0.7, 0.1, False)]
    off_topic = [AnswerMeasures(f"o{n}", False, None, 0, 0.1, 0.1, n < 3, off_topic=True) for n in range(4)]
    alone, found = figures(on_topic), figures([*on_topic, *off_topic])
    assert (found["off_topic"], found["off_topic_refused"]) == (4, 0.75)
    assert {name: value for name, value in found.items() if "off_topic" not in name} == {
        name: value for name, value in alone.items() if "off_topic" not in name
    }
    assert intervals(on_topic).keys() == {f"recall@{cut}" for cut in (1, 3, 5, 8, 32, 64)} | {
        "refused_wrongly",
        "refused_rightly",
    }
    withheld = [replace(row, withheld_refused=n == 0) for n, row in enumerate(on_topic)]
    assert intervals(withheld)["withheld_refused"][1] > 0.0


def test_a_question_without_its_text_is_refused_if_no_other_is_relevant() -> None:
    def is_refused(*others: FoundPassage) -> bool | None:
        return is_refused_without_its_text(QUESTION, (right, *others), AnswerConfig(threshold=0.5))

    sentence = "The water of the bay holds 31 g of salt a litre, by measurements of ten years."
    right = FoundPassage("right#0", "right", f"Kelp grows. {sentence}", relevance=0.9)
    repeated = FoundPassage("copy#0", "copy", f"{sentence} Whales sing.", relevance=0.9)
    assert is_refused(FoundPassage("a#0", "a", "Kelp grows.", relevance=0.4), repeated) is True
    assert is_refused(FoundPassage("a#0", "a", "Kelp grows.", relevance=0.6)) is False
    unanswerable = AnswerQuestion("q2", "Who sang?", "right", answerable=False)
    assert is_refused_without_its_text(unanswerable, (right,), AnswerConfig()) is None


def test_an_interval_by_hand() -> None:
    """90 of 100: the share's standard deviation is .03, so 95 % lie within about .06; the seed gives the same again."""
    low, high = bootstrap_interval([True] * 90 + [False] * 10)
    assert (low, high) == (pytest.approx(0.84, abs=0.011), pytest.approx(0.95, abs=0.011))
    assert bootstrap_interval([True] * 90 + [False] * 10) == (low, high)
    assert bootstrap_interval([True] * 5) == (1.0, 1.0)


def test_a_sample_is_the_same_each_time_and_keeps_all_texts() -> None:
    many = tuple(AnswerQuestion(f"q{n}", "?", "t") for n in range(50))
    whole = AnswerCollection("c", many, {"t": "text", "u": "other"})
    assert whole.sample(5) == AnswerCollection("c", many[::-1], whole.texts).sample(5)
    assert len(whole.sample(5).questions) == 5
    assert len(whole.sample(5).texts) == 2


def test_pira_has_its_unanswerable_questions() -> None:
    """26 of the reports', 19 of the articles'; 535 and 173 that their text answers; the articles' come with answers."""
    found = load_pira(shared_data())
    assert sum(not one.answerable for one in found.questions) == 26 + 19
    assert sum(one.answerable for one in found.questions) == 535 + 173
    assert sum(bool(one.answers) for one in found.questions) == 173
    assert all(one.text in found.texts for one in found.questions)


def test_the_grading_page_quotes_what_it_is_given_and_its_grades_are_read(tmp_path: Path) -> None:
    hostile = AnswerQuestion("q<1>", "<script>alert(1)</script>", "t")
    answers = [MeasuredAnswer(hostile, ANSWER, measures_of(hostile, PASSAGES, ANSWER, ""))]
    page = grading_page("pira", "Made by hand.", answers)
    assert "<script>alert(1)" not in page
    assert re.findall(r'data-answer="(\w+)"', page) == [answer_id(answers[0])]
    assert 'class="unsupported"' in page
    assert not re.search(r"(?:src|href)=.https?:", page)

    file = JudgementFile.open(tmp_path / "grades.jsonl")
    assert grade_statistics(file) == ["Nobody has graded an answer yet."]
    for who, grades in (("ada", (3, 0)), ("bob", (3, 2))):
        for number, grade in enumerate(grades):
            file.add(RelevanceJudgement(judge=who, question=f"q{number}", document=f"a{number}", grade=grade))
    lines = grade_statistics(JudgementFile.open(tmp_path / "grades.jsonl"))
    assert lines[0] == "2 answers are graded; mean 1.50 of 3, 50% answer in full."
    assert lines[1].startswith("ada and bob: kappa 0.33")


def test_a_half_keeps_its_own_questions_over_all_texts() -> None:
    asked = tuple(AnswerQuestion(name, f"{name}?", "t") for name in ("a", "b", "c"))
    half = AnswerCollection("c", asked, {"t": "text", "u": "other"}).half("test", {"a": "test", "b": "train"})
    assert [one.id for one in half.questions] == ["a"]
    assert set(half.texts) == {"t", "u"}
