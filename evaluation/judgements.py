"""Judgements by people: one line for each keystroke, never rewritten, so that a crash loses at most the last one."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median_low
from typing import Literal

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from core.errors import SondeError
from evaluation.collection import Qrels
from evaluation.trec import Run

GRADES = 4
"""0 not relevant, 1 marginally, 2 relevant, 3 exactly what was asked for."""

Pair = tuple[str, str]
"""(question id, document id)."""


Weights = Literal["none", "linear", "quadratic"]


class RelevanceJudgement(BaseModel, extra="forbid", frozen=True):
    """One line. ``grade`` None: skipped, or (``undone``) withdrawn."""

    judge: str = Field(min_length=1)
    question: str
    document: str
    grade: int | None = Field(None, ge=0, lt=GRADES)
    undone: bool = False


@dataclass(slots=True)
class JudgementFile:
    """The file of everybody's judgements; a later judgement replaces an earlier one of the same person."""

    path: Path
    _latest: dict[tuple[str, Pair], RelevanceJudgement] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> JudgementFile:
        """Reads the file; removes an incomplete last line. Raises SondeError for any other invalid line."""
        file = cls(path)
        content = path.read_bytes() if path.exists() else b""
        complete, _, incomplete = content.rpartition(b"\n")
        if incomplete:
            os.truncate(path, len(content) - len(incomplete))
        for number, line in enumerate(complete.splitlines(), 1):
            try:
                file._note(RelevanceJudgement.model_validate_json(line))
            except ValidationError as error:
                raise SondeError(f"{path}, line {number} is no judgement: {error.errors()[0]['msg']}.") from None
        return file

    def add(self, judgement: RelevanceJudgement) -> None:
        """On disk when this returns."""
        with self.path.open("ab") as file:
            file.write(judgement.model_dump_json(exclude_defaults=True).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._note(judgement)

    def of(self, judge: str) -> dict[Pair, RelevanceJudgement]:
        """One person's judgements in order, without withdrawn ones, with skipped ones."""
        return {pair: judgement for (judge_name, pair), judgement in self._latest.items() if judge_name == judge}

    def grades(self) -> dict[Pair, dict[str, int]]:
        """Maps pair -> person -> grade, without skipped ones."""
        by_pair: dict[Pair, dict[str, int]] = {}
        for (judge, pair), judgement in self._latest.items():
            if judgement.grade is not None:
                by_pair.setdefault(pair, {})[judge] = judgement.grade
        return by_pair

    def _note(self, judgement: RelevanceJudgement) -> None:
        key = judgement.judge, (judgement.question, judgement.document)
        self._latest.pop(key, None)  # puts the latest last
        if not judgement.undone:
            self._latest[key] = judgement


def unjudged(documents_by_question: Mapping[str, Sequence[str]], judged_pairs: Iterable[Pair]) -> list[Pair]:
    """What one person still has to judge, in the pool's order."""
    pairs = set(judged_pairs)
    return [
        (question, document)
        for question, documents in documents_by_question.items()
        for document in documents
        if (question, document) not in pairs
    ]


def qrels_of(grades: Mapping[Pair, Mapping[str, int]]) -> Qrels:
    """One grade for each pair: the median of everybody's; of two in the middle, the lower one."""
    qrels: dict[str, dict[str, int]] = {}
    for (question, document), grades_of_pair in grades.items():
        qrels.setdefault(question, {})[document] = median_low(grades_of_pair.values())
    return qrels


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of two people (``of``) on what both judged, or of all (Fleiss) on what all judged.

    ``kappa``: exact; ``weighted``: quadratic weights, None for more than two.
    """

    of: tuple[str, ...]
    pairs: int
    kappa: float
    weighted: float | None


def agreement(grades: Mapping[Pair, Mapping[str, int]]) -> list[Agreement]:
    """Every two people with common judgements, then all together if there are more than two."""
    judges = sorted({judge for row in grades.values() for judge in row})
    agreements = [pair for a, b in combinations(judges, 2) if (pair := _pair_agreement(grades, a, b)) is not None]
    common_rows = [row for row in grades.values() if len(row) == len(judges)]
    if len(judges) > 2 and common_rows:
        counts = [[Counter(row.values())[grade] for grade in range(GRADES)] for row in common_rows]
        agreements.append(Agreement(tuple(judges), len(common_rows), fleiss_kappa(counts), None))
    return agreements


def _pair_agreement(grades: Mapping[Pair, Mapping[str, int]], a: str, b: str) -> Agreement | None:
    common_rows = [row for row in grades.values() if a in row and b in row]
    if not common_rows:
        return None
    first, second = [row[a] for row in common_rows], [row[b] for row in common_rows]
    weighted_kappa = cohen_kappa(first, second, GRADES, "quadratic")
    return Agreement((a, b), len(common_rows), cohen_kappa(first, second, GRADES), weighted_kappa)


def cohen_kappa(a: Sequence[int], b: Sequence[int], grades: int, weights: Weights = "none") -> float:
    """Two people's grades (0..grades - 1) of the same things. Cohen 1960, weighted 1968.

    1 - (weighted disagreement seen) / (expected weighted disagreement by chance, with the same grade frequencies).
    With weights, a small difference counts less: by the distance of the grades, or its square.
    Raises ValueError for different lengths, no grades, or a grade out of range.
    """
    if len(a) != len(b) or not a:
        raise ValueError("both must have graded the same things, and something")
    if not all(0 <= grade < grades for grade in (*a, *b)):
        raise ValueError(f"a grade lies outside 0..{grades - 1}")
    observed = np.zeros((grades, grades))
    np.add.at(observed, (np.asarray(a), np.asarray(b)), 1.0 / len(a))
    by_chance = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    cost = _costs(grades, weights)
    expected = float((cost * by_chance).sum())
    return 1.0 - float((cost * observed).sum()) / expected if expected > 0.0 else math.nan


def fleiss_kappa(counts: Sequence[Sequence[int]]) -> float:
    """Several people, equally many for each thing: ``counts[i][g]`` of them gave thing i the grade g. Fleiss 1971.

    Raises ValueError if the number of people differs between things, or is less than two.
    """
    table = np.asarray(counts, dtype=np.float64)
    raters = table.sum(axis=1)
    if len(table) == 0 or not (raters == raters[0]).all() or raters[0] < 2:
        raise ValueError("each thing needs the same number of grades, at least two")
    people = float(raters[0])
    agreement_share = float((((table**2).sum(axis=1) - people) / (people * (people - 1.0))).mean())
    by_chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return (agreement_share - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else math.nan


def _costs(grades: int, weights: Weights) -> np.ndarray:
    distances = np.abs(np.subtract.outer(np.arange(grades), np.arange(grades))).astype(np.float64)
    if weights == "none":
        return (distances > 0).astype(np.float64)
    return distances if weights == "linear" else distances**2


def pool(runs: Sequence[Run], depth: int) -> dict[str, list[str]]:
    """Question -> the documents among the first ``depth`` of any run, in an order that hides rank and run.

    Questions are sorted by id. Documents are shuffled by the question's id, so the order is the same for every judge
    and session, and does not depend on the order of the runs. The method of Sparck Jones and van Rijsbergen, 1975.
    """
    if depth < 1:
        raise ValueError("the depth is at least 1")
    documents_by_question: dict[str, set[str]] = {}
    for run in runs:
        for question, hits in run.items():
            documents_by_question.setdefault(question, set()).update(document for document, _ in hits[:depth])
    return {question: _shuffle(question, documents_by_question[question]) for question in sorted(documents_by_question)}


def _shuffle(question: str, documents: set[str]) -> list[str]:
    order = sorted(documents)
    random.Random(question).shuffle(order)  # noqa: S311  # nosec B311 - an order without meaning, not a secret
    return order
