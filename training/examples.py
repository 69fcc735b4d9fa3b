"""What every model here is trained on: a question, the text that answers it, and texts that do not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from core.errors import SondeError
from evaluation.lines import Faults, json_lines


class TrainingError(SondeError):
    """A training that cannot begin or go on; one sentence that says why and what can be done."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A text beside a question. ``grade``: 0 does not answer, 1 answers, higher answers better (as in qrels).

    ``teacher``: a teacher's logit for the pair, None where none was asked. ``why`` names how a negative was found
    (``bm25``, ``dense``, ``fused``, ``place``, ``time``, ...), and is empty for a positive. ``labels``: keywords, case
    folded, that the text answers where one of them is the question: it is no negative of these.
    """

    id: str
    text: str
    grade: int = 0
    teacher: float | None = None
    why: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """``origin`` says what made the question (``title``, ``keyword``, ``judged``, ...), ``corpus`` where it is from.

    Examples of one ``group`` always lie on the same side of a split: records of one project, questions of one text.
    """

    id: str
    question: str
    positive: Candidate
    negatives: tuple[Candidate, ...] = ()
    origin: str = "judged"
    corpus: str = ""
    group: str = ""

    @property
    def candidates(self) -> tuple[Candidate, ...]:
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
        rest = self.model_dump(exclude={"positive", "negatives"})
        negatives = tuple(_candidate(line) for line in self.negatives)
        return Example(**rest, positive=_candidate(self.positive), negatives=negatives)


def read_examples(path: Path) -> list[Example]:
    """JSON lines in their order. Raises SondeError that names every line that is wrong, or an unreadable file."""
    faults = Faults(path)
    examples = [line.example() for _, line in json_lines(path, _ExampleLine, faults)]
    faults.refuse()
    return examples


def write_examples(path: Path, examples: Iterable[Example]) -> int:
    """JSON lines, whole or not at all; returns how many. Raises TrainingError where the disk refuses."""
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


def _candidate(line: _CandidateLine) -> Candidate:
    return Candidate(**line.model_dump())
