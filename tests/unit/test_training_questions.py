"""Pseudo-questions: from fields, key phrases and a language model."""

from __future__ import annotations

import numpy as np
import pytest

from core.record import Keyword, Record
from training.corpora import Document, corpus_kinds, of_concepts, of_records
from training.examples import TrainingError
from training.questions.asked import Asked, distinct
from training.questions.from_fields import by_keywords, by_sentence, by_title, sentences_of
from training.questions.key_phrases import most_telling, phrases_of

TEXT = "Snow depth was measured by hand. Stations lie above 2000 m in the Alps. Data are daily."
SNOW = Document("a:1", "Snow in the Alps", TEXT, ("EARTH SCIENCE > CRYOSPHERE > SNOW DEPTH",), corpus="a", group="a:1")


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
    other = Document("a:2", "Snow in the Alps", "Another text.", corpus="a")
    asked = [Asked("snow", "x", "title", SNOW), Asked("SNOW", "y", "title", other), Asked("ice", "z", "title", other)]
    assert [one.question for one in distinct(asked)] == ["ice"]


def test_phrases_keep_within_clauses_and_off_stop_words() -> None:
    assert phrases_of("Depth of snow, in Norway", 3) == ["depth", "depth of snow", "snow", "norway"]


def test_the_second_phrase_is_the_least_alike() -> None:
    """cos to the text .9, .89, .6; the second is nearly the first one again, the third is not."""
    text = np.array([1.0, 0.0], dtype=np.float32)
    phrases = np.array([[np.cos(a), np.sin(a)] for a in (0.45, 0.47, -0.93)], dtype=np.float32)
    assert most_telling(text, phrases, 2, 0.0) == [0, 1]
    assert most_telling(text, phrases, 2, 0.7) == [0, 2]


def test_records_and_concepts_become_documents() -> None:
    said = "A sentence of more than eight words about the snow."
    record = Record("s:1", "s", "1", " Snow\n depth ", said, keywords=(Keyword("snow"), Keyword("snow")), parent="p")
    (document,) = of_records([record, Record("s:2", "s", "2", "No text")], "mine")
    assert (document.title, document.keywords, document.group) == ("Snow depth", ("snow",), "mine:p")
    assert [one.title for one in of_concepts([("firn", said), ("ice", "frozen water")], "gemet")] == ["firn"]


def test_an_unknown_corpus_is_named() -> None:
    assert corpus_kinds("all") == {"descriptions", "concepts", "literature"}
    assert corpus_kinds("concepts, descriptions") == {"concepts", "descriptions"}
    with pytest.raises(TrainingError, match="'books' is not all or a list of concepts, descriptions, literature"):
        corpus_kinds("books")
