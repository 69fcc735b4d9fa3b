"""Pairs of a question and a text, with whether the text answers it: what a cross-encoder learns from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from evaluation.collection import Faults, json_lines
from training.examples import Example, TrainingError, is_held_out

_STOP_SEED = 1  # of the draw between the two parts that are held out; any number that is not the split's


@dataclass(frozen=True, slots=True)
class Pair:
    """``origin`` is how the pair was made (``title``, ``another year``, ``given``, ...), ``corpus`` its source.

    Pairs of one ``group`` are always on the same side of a split.
    """

    question: str
    text: str
    answers: bool
    group: str
    origin: str
    corpus: str = ""


class _PairLine(BaseModel):
    """A line of a file of pairs; keys for other programs are ignored."""

    model_config = ConfigDict(extra="allow")

    question: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    label: Literal[0, 1]
    group: str = ""
    source: str = ""


def read_pairs(path: Path) -> list[Pair]:
    """JSON lines (``.gz`` too) of ``question``, ``passage``, ``label`` 0 or 1, and if known ``group`` and ``source``.

    A line without a group is grouped by its passage. Raises SondeError that names every invalid line.
    """
    faults = Faults(path)
    pairs = [
        Pair(
            line.question,
            line.passage,
            line.label == 1,
            line.group or line.passage,
            "given",
            line.source or path.name.partition(".")[0],
        )
        for _, line in json_lines(path, _PairLine, faults)
    ]
    faults.refuse()
    return pairs


def pairs_of_examples(examples: Iterable[Example], negatives: int) -> Iterator[Pair]:
    """The answer and the first ``negatives`` other texts of each example; a graded one answers too."""
    for example in examples:
        group = example.group or example.positive.id
        yield Pair(example.question, example.positive.text, True, group, example.origin, example.corpus)
        for text in example.negatives[:negatives]:
            yield Pair(example.question, text.text, text.grade > 0, group, text.why or example.origin, example.corpus)


@dataclass(frozen=True, slots=True)
class PairSplit:
    """Three parts without a common group: ``train`` is learnt, ``stop`` chooses the step, ``left_out`` calibrates and
    measures.
    """

    train: tuple[Pair, ...]
    stop: tuple[Pair, ...]
    left_out: tuple[Pair, ...]


def split_pairs(pairs: Sequence[Pair], share: float, seed: int = 0) -> PairSplit:
    """By the hash of the group: about ``share`` of the groups are not learnt, half of them for each purpose.

    A text of the left-out parts is not learnt in another group either. Raises TrainingError if a part lacks pairs that
    answer or pairs that do not.
    """
    held_out = [pair for pair in pairs if is_held_out(pair.group, share, seed)]
    answers = {pair.text for pair in held_out if pair.answers}
    parts = PairSplit(
        tuple(pair for pair in pairs if not is_held_out(pair.group, share, seed) and pair.text not in answers),
        tuple(pair for pair in held_out if is_held_out(pair.group, 0.5, seed + _STOP_SEED)),
        tuple(pair for pair in held_out if not is_held_out(pair.group, 0.5, seed + _STOP_SEED)),
    )
    for part in (parts.train, parts.stop, parts.left_out):
        if len({pair.answers for pair in part}) < 2:
            raise TrainingError(
                f"{len(pairs)} pairs in {len({pair.group for pair in pairs})} groups are too few to learn from "
                f"{1 - share:.0%} of the groups and to measure on the others."
            )
    return parts
