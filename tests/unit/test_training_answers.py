"""Answer-training sets: what is shown, what is cited, and how often the answer is that there is none."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from core.document import Passage
from core.errors import Unavailable
from search_api.search.passages.values import REFUSAL
from training.answer_sets import AnswerSets, OtherPassages, add_citation, dpo, raft, support, without, write_rows
from training.corpora import CorpusDocument, PseudoQuestion
from training.examples import TrainingError
from training.questions.language_model import GeneratedPair

PLACES = ("Norway", "Ghana", "Peru", "Japan", "Crete", "Kenya", "Nepal", "Chile")


def passage(place: str, number: int = 0) -> Passage:
    text = f"Rain gauges in {place} give daily totals, part {number}."
    return Passage(id=f"{place}#{number}", document=place, ordinal=number, text=text)


PASSAGES = [passage(place, number) for place in PLACES for number in (0, 1)]


def generated(place: str, answer: str = "Rain gauges give daily totals.") -> GeneratedPair:
    document = CorpusDocument(f"{place}#0", "", passage(place).text, group=place)
    asked = PseudoQuestion(f"How are rain totals of {place} made?", document.text, "language model", document)
    return GeneratedPair(asked, answer, "how", 3)


class Guessing:
    """A stub, not a model: it answers without having read anything, or is not there."""

    def __init__(self, dies_at: int = 99) -> None:
        self.asked, self.dies_at = 0, dies_at

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:  # noqa: ARG002
        self.asked += 1
        if self.asked == self.dies_at:
            raise Unavailable("the endpoint does not answer")
        yield "Satellites "
        yield "see it."


def test_the_right_passage_stands_among_others_of_other_documents() -> None:
    context = OtherPassages(PASSAGES).context(
        "Rain in Peru?", generated("Peru").question.document, 4, random.Random(1), right=True
    )
    assert [one.number for one in context.passages] == [1, 2, 3, 4]
    assert context.right is not None
    assert context.passages[context.right - 1].id == "Peru#0"
    assert [one.document for one in context.passages].count("Peru") == 1
    left = without(context)
    assert ([one.number for one in left.passages], left.right) == ([1, 2, 3], None)
    assert "Peru" not in {one.document for one in left.passages}


def test_without_the_right_passage_its_whole_document_is_gone() -> None:
    context = OtherPassages(PASSAGES).context(
        "Rain?", generated("Peru").question.document, 4, random.Random(1), right=False
    )
    assert context.right is None
    assert "Peru" not in {one.document for one in context.passages}


def test_each_sentence_cites_its_passage() -> None:
    assert add_citation("It rained. Was it much? Yes", 2) == "It rained [2]. Was it much [2]? Yes [2]."
    assert add_citation("It rained [7].", 2) == "It rained [2]."


def test_support_is_the_share_of_telling_words() -> None:
    """rain, gauges and snow; the text holds two."""
    assert support("The rain gauges of snow", "Rain falls into gauges.") == pytest.approx(2 / 3)
    assert support("of the", "of the") == 0.0


def test_one_row_in_eight_has_no_answer_and_the_others_cite_the_right_passage() -> None:
    rows = list(raft((generated(place) for place in PLACES), OtherPassages(PASSAGES), AnswerSets(passages=3)))
    said = [row["messages"][-1]["content"] for row in rows]
    assert said[7] == REFUSAL
    assert said.count(REFUSAL) == 1
    for row, place, answer in zip(rows[:7], PLACES, said, strict=False):
        number = answer[answer.index("[") + 1]
        assert f"[{number}] ()\nRain gauges in {place} give" in row["messages"][1]["content"]
    assert f"in {PLACES[7]} give" not in rows[7]["messages"][1]["content"].split("Question:")[0]


def test_answers_that_their_passage_does_not_say_are_left_out() -> None:
    asked = [generated("Peru", "Glaciers melt quickly because of warming oceans."), generated("Japan")]
    assert len(list(raft(asked, OtherPassages(PASSAGES), AnswerSets()))) == 1


def test_what_rests_on_nothing_is_rejected() -> None:
    rows = list(
        dpo((generated(place) for place in PLACES), OtherPassages(PASSAGES), Guessing(), AnswerSets(passages=3))
    )
    assert rows[0]["rejected"] == [{"role": "assistant", "content": "Satellites see it."}]
    assert rows[0]["chosen"][0]["content"].startswith("Rain gauges give daily totals [")
    assert rows[7]["chosen"][0]["content"] == REFUSAL
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]


def test_rows_before_the_endpoint_died_are_kept(tmp_path: Path) -> None:
    asked = (generated(place) for place in PLACES)
    path = tmp_path / "dpo.jsonl"
    with pytest.raises(TrainingError, match="does not answer: the endpoint"):
        write_rows(path, dpo(asked, OtherPassages(PASSAGES), Guessing(dies_at=3), AnswerSets()))
    assert len([json.loads(line) for line in path.read_text("utf-8").splitlines()]) == 2
    with pytest.raises(TrainingError, match="cannot be written"):
        write_rows(tmp_path / "dpo.jsonl" / "below", [])
