"""What people judged: one line for each keystroke, never rewritten, so that a power cut loses at most the last one."""

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
    """One line. ``grade`` None: skipped, or (``undone``) taken back."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: str = Field(min_length=1)
    question: str
    document: str
    grade: int | None = Field(None, ge=0, lt=GRADES)
    undone: bool = False


@dataclass(slots=True)
class JudgementFile:
    """The file of everybody's judgements; what one person says replaces what that person said before."""

    path: Path
    _said: dict[tuple[str, Pair], Judgement] = field(default_factory=dict)

    @classmethod
    def open(cls, path: Path) -> JudgementFile:
        """Reads what is there; a last line that was cut off is cut away. Raises SondeError for any other bad line."""
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
        """One person's, in the order given; what was taken back is not there, what was skipped is."""
        return {pair: said for (who, pair), said in self._said.items() if who == judge}

    def grades(self) -> dict[Pair, dict[str, int]]:
        """Pair -> who -> grade; skipped ones are not there."""
        given: dict[Pair, dict[str, int]] = {}
        for (who, pair), said in self._said.items():
            if said.grade is not None:
                given.setdefault(pair, {})[who] = said.grade
        return given

    def _note(self, judgement: Judgement) -> None:
        key = judgement.judge, (judgement.question, judgement.document)
        self._said.pop(key, None)  # so that the latest stands last
        if not judgement.undone:
            self._said[key] = judgement


def waiting(pooled: Mapping[str, Sequence[str]], done: Iterable[Pair]) -> list[Pair]:
    """What one person has still to judge, in the pool's order."""
    said = set(done)
    return [
        (question, document)
        for question, found in pooled.items()
        for document in found
        if (question, document) not in said
    ]


def qrels_of(grades: Mapping[Pair, Mapping[str, int]]) -> Qrels:
    """One grade for each pair: the median of everybody's, the lower one of two in the middle."""
    qrels: dict[str, dict[str, int]] = {}
    for (question, document), given in grades.items():
        qrels.setdefault(question, {})[document] = median_low(given.values())
    return qrels


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two people (``of``) on what both judged, or all of them (Fleiss) on what all judged.

    ``kappa``: exact; ``weighted``: quadratic weights, None for more than two.
    """

    of: tuple[str, ...]
    pairs: int
    kappa: float
    weighted: float | None


def agreement(grades: Mapping[Pair, Mapping[str, int]]) -> list[Agreement]:
    """Each two people who judged something in common, then all together where there are more than two."""
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
