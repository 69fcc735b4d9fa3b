"""Pseudo-questions: from fields, key phrases and a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pytest

from core.errors import Unavailable
from core.record import Keyword, Record
from training.corpora import (
    CorpusDocument,
    PseudoQuestion,
    corpus_kinds,
    distinct,
    documents_of_concepts,
    documents_of_records,
)
from training.examples import TrainingError
from training.questions.language_model import FORMS, by_language_model
from training.questions.ways import (
    by_keywords,
    by_sentence,
    by_title,
    maximal_marginal_relevance,
    phrases_of,
    sentences_of,
)

TEXT = "Snow depth was measured by hand. Stations lie above 2000 m in the Alps. Data are daily."
SNOW = CorpusDocument(
    "a:1", "Snow in the Alps", TEXT, ("EARTH SCIENCE > CRYOSPHERE > SNOW DEPTH",), corpus="a", group="a:1"
)


def test_a_title_asks_for_the_text_without_it() -> None:
    (one,) = by_title([SNOW])
    assert (one.question, one.answer) == ("Snow in the Alps", TEXT)


def test_keywords_are_asked_by_their_last_part() -> None:
    (one,) = by_keywords([SNOW])
    assert (one.question, one.answer) == ("snow depth", f"Snow in the Alps\n{TEXT}")


def test_a_sentence_is_not_in_its_answer() -> None:
    (one,) = by_sentence([SNOW])
    assert len(sentences_of(TEXT)) == 3
    assert one.question in TEXT
    assert one.question not in one.answer


def test_what_several_documents_are_asked_by_is_no_question() -> None:
    other = CorpusDocument("a:2", "Snow in the Alps", "Another text.", corpus="a")
    asked = [
        PseudoQuestion("snow", "x", "title", SNOW),
        PseudoQuestion("SNOW", "y", "title", other),
        PseudoQuestion("ice", "z", "title", other),
    ]
    assert [one.question for one in distinct(asked)] == ["ice"]


def test_phrases_keep_within_clauses_and_off_stop_words() -> None:
    assert phrases_of("Depth of snow, in Norway", 3) == ["depth", "depth of snow", "snow", "norway"]


def test_the_second_phrase_is_the_least_alike() -> None:
    """cos to the text .9, .89, .6; the second is nearly the first one again, the third is not."""
    text = np.array([1.0, 0.0], dtype=np.float32)
    phrases = np.array([[np.cos(a), np.sin(a)] for a in (0.45, 0.47, -0.93)], dtype=np.float32)
    assert maximal_marginal_relevance(text, phrases, 2, 0.0) == [0, 1]
    assert maximal_marginal_relevance(text, phrases, 2, 0.7) == [0, 2]


def test_records_and_concepts_become_documents() -> None:
    said = "A sentence of more than eight words about the snow."
    record = Record("s:1", "s", "1", " Snow\n depth ", said, keywords=(Keyword("snow"), Keyword("snow")), parent="p")
    (document,) = documents_of_records([record, Record("s:2", "s", "2", "No text")], "mine")
    assert (document.title, document.keywords, document.group) == ("Snow depth", ("snow",), "mine:p")
    assert [one.title for one in documents_of_concepts([("firn", said), ("ice", "frozen water")], "gemet")] == ["firn"]


def test_an_unknown_corpus_is_named() -> None:
    assert corpus_kinds("all") == {"descriptions", "concepts", "literature"}
    assert corpus_kinds("concepts, descriptions") == {"concepts", "descriptions"}
    with pytest.raises(TrainingError, match="'books' is not all or a list of concepts, descriptions, literature"):
        corpus_kinds("books")


class _Model:
    """Answers in turn."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        self.asked.append(messages[0]["content"])
        yield from self._answers.pop(0)


PAIR = '```json\n{"question": "What was measured in the Alps?", "answer": "Snow depth."}\n```'


def test_a_language_model_asks_and_judges() -> None:
    (made,) = by_language_model([SNOW], _Model(PAIR, "Quality: 2"))
    assert (made.question.question, made.answer, made.quality) == ("What was measured in the Alps?", "Snow depth.", 2)
    assert made.question.origin == f"language model, {made.form}"


def test_what_is_of_quality_0_is_left_out_and_what_cannot_be_read_is_passed_over() -> None:
    assert list(by_language_model([SNOW, SNOW], _Model(PAIR, "0", "I cannot."))) == []


def test_all_nine_kinds_are_drawn() -> None:
    documents = [CorpusDocument(f"a:{number}", "", TEXT) for number in range(90)]
    made = by_language_model(documents, _Model(*[PAIR, "3"] * 90))
    assert {one.form for one in made} == set(FORMS)


def test_a_model_that_never_says_anything_readable_is_given_up() -> None:
    with pytest.raises(TrainingError, match="nothing readable for 5 documents in a row"):
        list(by_language_model([SNOW] * 9, _Model(*["no"] * 9)))


def test_a_dead_endpoint_is_one_sentence() -> None:
    class Dead:
        def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:  # noqa: ARG002
            raise Unavailable("no route to it")

    with pytest.raises(TrainingError, match="does not answer: no route to it"):
        list(by_language_model([SNOW], Dead()))
