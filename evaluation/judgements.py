"""Judgements by people: one line for each keystroke, never rewritten, so that a crash loses at most the last one."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import median_low

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import SondeError
from evaluation.agreement import cohen_kappa, fleiss_kappa
from evaluation.collection import Qrels

GRADES = 4
"""0 not relevant, 1 marginally, 2 relevant, 3 exactly what was asked for."""

Pair = tuple[str, str]
"""(question id, document id)."""


class Judgement(BaseModel):
    """One line. ``grade`` None: skipped, or (``undone``) withdrawn."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: str = Field(min_length=1)
    question: str
    document: str
    grade: int | None = Field(None, ge=0, lt=GRADES)
    undone: bool = False


@dataclass(slots=True)
class JudgementFile:
    """The file of everybody's judgements; a later judgement replaces an earlier one of the same person."""

    path: Path
    _said: dict[tuple[str, Pair], Judgement] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> JudgementFile:
        """Reads the file; removes an incomplete last line. Raises SondeError for any other invalid line."""
        file = cls(path)
        whole = path.read_bytes() if path.exists() else b""
        kept, _, cut = whole.rpartition(b"\n")
        if cut:
            os.truncate(path, len(whole) - len(cut))
        for number, line in enumerate(kept.splitlines(), 1):
            try:
                file._note(Judgement.model_validate_json(line))
            except ValidationError as error:
                raise SondeError(f"{path}, line {number} is no judgement: {error.errors()[0]['msg']}.") from None
        return file

    def add(self, judgement: Judgement) -> None:
        """On disk when this returns."""
        with self.path.open("ab") as file:
            file.write(judgement.model_dump_json(exclude_defaults=True).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        self._note(judgement)

    def of(self, judge: str) -> dict[Pair, Judgement]:
        """One person's judgements in order, without withdrawn ones, with skipped ones."""
        return {pair: said for (who, pair), said in self._said.items() if who == judge}

    def grades(self) -> dict[Pair, dict[str, int]]:
        """Maps pair -> person -> grade, without skipped ones."""
        given: dict[Pair, dict[str, int]] = {}
        for (who, pair), said in self._said.items():
            if said.grade is not None:
                given.setdefault(pair, {})[who] = said.grade
        return given

    def _note(self, judgement: Judgement) -> None:
        key = judgement.judge, (judgement.question, judgement.document)
        self._said.pop(key, None)  # puts the latest last
        if not judgement.undone:
            self._said[key] = judgement


def waiting(pooled: Mapping[str, Sequence[str]], done: Iterable[Pair]) -> list[Pair]:
    """What one person still has to judge, in the pool's order."""
    said = set(done)
    return [
        (question, document)
        for question, found in pooled.items()
        for document in found
        if (question, document) not in said
    ]


def qrels_of(grades: Mapping[Pair, Mapping[str, int]]) -> Qrels:
    """One grade for each pair: the median of everybody's; of two in the middle, the lower one."""
    qrels: dict[str, dict[str, int]] = {}
    for (question, document), given in grades.items():
        qrels.setdefault(question, {})[document] = median_low(given.values())
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
    judges = sorted({who for given in grades.values() for who in given})
    found = [one for a, b in combinations(judges, 2) if (one := _of_two(grades, a, b)) is not None]
    common = [given for given in grades.values() if len(given) == len(judges)]
    if len(judges) > 2 and common:
        counts = [[Counter(given.values())[grade] for grade in range(GRADES)] for given in common]
        found.append(Agreement(tuple(judges), len(common), fleiss_kappa(counts), None))
    return found


def _of_two(grades: Mapping[Pair, Mapping[str, int]], a: str, b: str) -> Agreement | None:
    both = [given for given in grades.values() if a in given and b in given]
    if not both:
        return None
    first, second = [given[a] for given in both], [given[b] for given in both]
    weighted = cohen_kappa(first, second, GRADES, "quadratic")
    return Agreement((a, b), len(both), cohen_kappa(first, second, GRADES), weighted)
