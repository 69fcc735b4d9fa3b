"""Training examples for all models: a question, the text that answers it, and texts that do not."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.errors import SondeError
from evaluation.collection import Faults, json_lines


class TrainingError(SondeError):
    """A training that cannot start or continue; one sentence with the reason and what to do."""


@dataclass(frozen=True, slots=True)
class CandidateText:
    """A candidate text for a question. ``grade``: 0 does not answer, 1 answers, higher answers better (as in qrels).

    ``teacher``: a teacher's logit for the pair, None without a teacher. ``why`` is how a negative was found (``bm25``,
    ``dense``, ``fused``, ``place``, ``time``, ...), empty for a positive. ``labels``: case-folded keywords; if the
    question is one of them, the text is not a negative.
    """

    id: str
    text: str
    grade: int = 0
    teacher: float | None = None
    why: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """``origin`` is how the question was made (``title``, ``keyword``, ``judged``, ...), ``corpus`` its source.

    Examples of one ``group`` are always on the same side of a split: records of one project, questions of one text.
    """

    id: str
    question: str
    positive: CandidateText
    negatives: tuple[CandidateText, ...] = ()
    origin: str = "judged"
    corpus: str = ""
    group: str = ""

    @property
    def candidates(self) -> tuple[CandidateText, ...]:
        """The positive first."""
        return (self.positive, *self.negatives)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _CandidateLine(_Strict):
    id: str
    text: str = Field(min_length=1)
    grade: int = Field(0, ge=0)
    teacher: float | None = Field(None, allow_inf_nan=False)
    why: str = ""
    labels: tuple[str, ...] = ()


class _ExampleLine(_Strict):
    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    positive: _CandidateLine
    negatives: list[_CandidateLine] = []
    origin: str = "judged"
    corpus: str = ""
    group: str = ""

    def example(self) -> Example:
        fields = self.model_dump(exclude={"positive", "negatives"})
        negatives = tuple(_candidate(line) for line in self.negatives)
        return Example(**fields, positive=_candidate(self.positive), negatives=negatives)


def read_examples(path: Path) -> list[Example]:
    """JSON lines in order. Raises SondeError that names every invalid line, or an unreadable file."""
    faults = Faults(path)
    examples = [line.example() for _, line in json_lines(path, _ExampleLine, faults)]
    faults.refuse()
    return examples


def write_examples(path: Path, examples: Iterable[Example]) -> int:
    """JSON lines, written atomically; returns their number. Raises TrainingError if the disk fails."""
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            count = sum(bool(file.write(line)) for line in _lines(examples))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        if draft.is_file():
            draft.unlink()
        raise TrainingError(f"{path} cannot be written: {error.strerror}.") from error
    return count


def _lines(examples: Iterable[Example]) -> Iterator[str]:
    for example in examples:
        yield json.dumps(asdict(example), ensure_ascii=False, allow_nan=False) + "\n"


def _candidate(line: _CandidateLine) -> CandidateText:
    return CandidateText(**line.model_dump())


@dataclass(frozen=True, slots=True)
class Split:
    """``held_out`` is never trained on: early stop, calibration and the figures before and after use it."""

    train: tuple[Example, ...]
    held_out: tuple[Example, ...]


def split_by_group(examples: Sequence[Example], share: float = 0.1, seed: int = 0) -> Split:
    """Assigns each group to one side by its hash, about ``share`` of the groups held out; keeps the order.

    A group keeps its side when others are added or removed. If the text of a held-out positive is a negative of a train
    example, it is left out there: otherwise the model would learn that it answers nothing. Raises TrainingError if a
    side is empty.
    """
    held_out = tuple(example for example in examples if is_held_out(_group(example), share, seed))
    answers = {example.positive.text for example in held_out}
    train = tuple(_without(example, answers) for example in examples if not is_held_out(_group(example), share, seed))
    if not train or not held_out:
        groups = len({_group(example) for example in examples})
        raise TrainingError(
            f"{len(examples)} examples in {groups} groups are too few to hold {share:.0%} of the groups out."
        )
    return Split(train, held_out)


def is_held_out(group: str, share: float, seed: int = 0) -> bool:
    """Pure: whether the group's hash as a number in 0..1 is below ``share``."""
    digest = hashlib.sha256(f"{seed}\0{group}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def _group(example: Example) -> str:
    return example.group or example.positive.id


def _without(example: Example, answers: set[str]) -> Example:
    negatives = tuple(negative for negative in example.negatives if negative.text not in answers)
    if len(negatives) == len(example.negatives):
        return example
    return replace(example, negatives=negatives)


_STOP_SEED = 1  # of the draw between the two parts that are held out; any number that is not the split's


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """``origin`` is how the pair was made (``title``, ``another year``, ``given``, ...), ``corpus`` its source.

    Pairs of one ``group`` are always on the same side of a split.
    """

    question: str
    text: str
    answers: bool
    group: str
    origin: str
    corpus: str = ""


class _PairLine(BaseModel, extra="allow"):
    """A line of a file of pairs; keys for other programs are ignored."""

    question: str = Field(min_length=1)
    passage: str = Field(min_length=1)
    label: Literal[0, 1]
    group: str = ""
    source: str = ""


def read_pairs(path: Path) -> list[LabelledPair]:
    """JSON lines (``.gz`` too) of ``question``, ``passage``, ``label`` 0 or 1, and if known ``group`` and ``source``.

    A line without a group is grouped by its passage. Raises SondeError that names every invalid line.
    """
    faults = Faults(path)
    pairs = [
        LabelledPair(
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


def pairs_of_examples(examples: Iterable[Example], negatives: int) -> Iterator[LabelledPair]:
    """The answer and the first ``negatives`` other texts of each example; a graded one answers too."""
    for example in examples:
        group = example.group or example.positive.id
        yield LabelledPair(example.question, example.positive.text, True, group, example.origin, example.corpus)
        for text in example.negatives[:negatives]:
            yield LabelledPair(
                example.question, text.text, text.grade > 0, group, text.why or example.origin, example.corpus
            )


@dataclass(frozen=True, slots=True)
class PairSplit:
    """Three parts without a common group: ``train`` is learnt, ``stop`` chooses the step, ``left_out`` calibrates and
    measures.
    """

    train: tuple[LabelledPair, ...]
    stop: tuple[LabelledPair, ...]
    left_out: tuple[LabelledPair, ...]


def split_pairs(pairs: Sequence[LabelledPair], share: float, seed: int = 0) -> PairSplit:
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
