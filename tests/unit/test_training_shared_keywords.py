"""Keywords that ask for every record that bears them: what is drawn, what is masked, what stands together."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from core.ports import EmbedderCard, TextKind, Vectors
from tests.lazy_module import LazyModule
from training.corpora import CorpusDocument, distinct
from training.embedder.encoder import EmbedderTrainingSettings
from training.embedder.learner import HeldOut, batch_of, group_examples, info_nce
from training.examples import CandidateText, Example, TrainingError, read_examples, write_examples
from training.hard_negatives import Mining, mine_negatives
from training.questions.ways import KeyPhrases, by_key_phrases, by_shared_keywords

torch = LazyModule("torch")


def document(number: int, *keywords: str) -> CorpusDocument:
    return CorpusDocument(f"a:{number}", f"Title {number}", f"Text of the record {number}.", keywords, corpus="a")


# Of 20 records all are a dataset (more than 15 %), three bear ice, two bear firn, one bears moss.
CATALOGUE = [
    document(0, "dataset", "ICE", "firn"),
    document(1, "dataset", "EARTH SCIENCE > CRYOSPHERE > ICE", "moss"),
    document(2, "dataset", "Ice", "firn"),
    *(document(number, "dataset") for number in range(3, 20)),
]


class _Words:
    """Texts as counts of their letters, unit norm."""

    card = EmbedderCard("letters", 26, 64, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        rows = np.array([[text.lower().count(chr(97 + at)) + 0.01 for at in range(26)] for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def keyword(question: str, text: str, *labels: str) -> Example:
    return Example(f"{question}-{text}", question, CandidateText(text, text, 1, labels=labels), group=text)


def test_a_keyword_asks_for_each_record_that_bears_it_unless_all_or_one_do() -> None:
    asked = [(one.question, one.document.id) for one in by_shared_keywords(CATALOGUE, 9)]
    assert sorted(asked) == [("firn", "a:0"), ("firn", "a:2"), ("ice", "a:0"), ("ice", "a:1"), ("ice", "a:2")]
    assert sorted(one.question for one in distinct(by_shared_keywords(CATALOGUE, 9))) == ["firn"] * 2 + ["ice"] * 3


def test_rarer_keywords_are_drawn_more_often() -> None:
    """Of weights 1/sqrt 2 (firn) and 1/sqrt 3 (ice) one is drawn: firn with .55 of 400 draws, 220 +- 3 x 10."""
    drawn = [next(by_shared_keywords(CATALOGUE, 1, seed)).question for seed in range(400)]
    assert 190 < drawn.count("firn") < 250


def test_a_batchs_other_bearers_are_no_negatives() -> None:
    """Ice is asked of A; B bears it as well, as a label; C, the answer to another question, does not."""
    batch = batch_of(
        [keyword("Ice", "A", "ice"), keyword("firn", "B", "firn", "ice"), keyword("moss", "C")], [[], [], []]
    )
    assert batch.texts == ["A", "B", "C"]
    assert batch.also == [{1}, set(), set()]


def test_a_mined_text_that_bears_the_question_is_masked_too() -> None:
    batch = batch_of(
        [keyword("ice", "A", "ice")], [[CandidateText("D", "D", labels=("ice",)), CandidateText("E", "E")]]
    )
    assert batch.also == [{1}]


def _given() -> torch.nn.Module:
    class Given(torch.nn.Module):
        def forward(self, vectors: torch.Tensor) -> dict[str, torch.Tensor]:
            return {"sentence_embedding": vectors}

    return Given()


def test_the_loss_with_a_masked_bearer_by_hand() -> None:
    """Cosines 0 (answer), 1 (bears it too), 0 (does not) at temperature 1: ln 2 with the mask, ln(2 + e) without."""
    columns = [torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])]
    batch = batch_of(
        [keyword("ice", "A", "ice")],
        [[CandidateText("B", "B", labels=("ice",)), CandidateText("C", "C", labels=("moss",))]],
    )
    also = torch.zeros((1, 3), dtype=torch.bool)
    also[0, sorted(batch.also[0])] = True
    answers = torch.tensor(batch.answers)
    loss = info_nce(_given(), 1.0)
    assert float(loss(columns, (answers, also))) == pytest.approx(np.log(2.0))
    unmasked = loss(columns, (answers, torch.zeros_like(also)))
    assert float(unmasked) == pytest.approx(np.log(2.0 + np.e))


def test_hands_hold_questions_of_one_text_and_siblings_follow_each_other() -> None:
    asked = [keyword(question, text) for text in "ABCD" for question in ("x", "y", "z")]
    hands = group_examples(asked, 2, 1, random.Random(3))
    assert sorted(len(hand) for hand in hands) == [1] * 4 + [2] * 4
    assert all(len({one.positive.text for one in hand}) == 1 for hand in hands)
    assert {hand[0].positive.text for hand in hands[:4]} == set("ABCD")
    together = group_examples(asked, 2, 2, random.Random(3))
    assert [one.positive.text for hand in together for one in hand[:1]][::2] == [
        hand[0].positive.text for hand in together
    ][1::2]
    for found in (hands, together):
        assert sorted(one.id for hand in found for one in hand) == sorted(one.id for one in asked)


def test_held_out_texts_that_bear_the_question_are_relevant() -> None:
    held = HeldOut.of([keyword("Ice", "A", "ice"), keyword("firn", "B", "firn", "ice")])
    assert held.qrels == {"q0": {"t0": 1, "t1": 1}, "q1": {"t1": 1}}


def test_shared_keywords_have_no_mined_negatives_and_labels_outlive_the_file(tmp_path: Path) -> None:
    asked = list(by_shared_keywords(CATALOGUE, 1))
    phrases = list(by_key_phrases(CATALOGUE[:1], _Words(), KeyPhrases(count=2)))
    made = mine_negatives([*phrases, *asked], CATALOGUE, _Words(), Mining(count=4))
    assert made[0].negatives
    assert not any(one.negatives for one in made[1:])
    assert made[1].positive.labels == ("dataset", "ice", "firn")
    path = tmp_path / "made.jsonl"
    write_examples(path, made)
    assert read_examples(path) == made


def test_further_phrase_questions_say_it_in_other_words() -> None:
    text = "Snow depth at stations, soil moisture in fields, wind speed on masts, ozone above the ice sheet."
    asked = list(by_key_phrases([CorpusDocument("a:1", "", text)], _Words(), KeyPhrases(questions=3)))
    again = list(by_key_phrases([CorpusDocument("a:1", "", text)], _Words(), KeyPhrases(questions=3)))
    assert [one.question for one in asked] == [one.question for one in again]
    assert len({one.question for one in asked}) > 1
    assert asked[0] == next(by_key_phrases([CorpusDocument("a:1", "", text)], _Words()))


def test_numbers_that_cannot_be_are_refused() -> None:
    with pytest.raises(TrainingError, match="siblings are at least 1"):
        EmbedderTrainingSettings(siblings=0)
    with pytest.raises(TrainingError, match="either lora or frozen"):
        EmbedderTrainingSettings(lora=True, frozen=2)
