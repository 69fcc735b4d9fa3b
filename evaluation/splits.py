"""The committed halves of the judged collections: one for tuning, one for the tables."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from evaluation.collection import BadCollection, Collection
from evaluation.lines import Faults, lines

Half = Literal["train", "test"]

# Questions put aside belong to both halves, so neither uses them.
_NAMES: dict[str, Half | None] = {"train": "train", "tune": "train", "test": "test", "aside": None}


def half_of(collection: Collection, half: Half, path: Path) -> Collection:
    """The questions of one half, over all records; additional ids in the split are ignored.

    Raises BadCollection for a question that is in no half (nor aside), for malformed lines and for an empty half.
    """
    halves = read_halves(path)
    ids = {question.id for question in collection.questions}
    if unsorted := sorted(ids - halves.keys()):
        raise BadCollection(str(path), [f"the question {name!r} is in no half" for name in unsorted])
    kept = {question for question in ids if halves[question] == half}
    if not kept:
        raise BadCollection(str(path), [f"no question is in the half {half}"])
    return collection.asking(kept)


def read_halves(path: Path) -> dict[str, Half | None]:
    """``query-id, half``, tab-separated: train (or tune), test, or aside (None). Raises BadCollection for malformed
    lines.
    """
    faults = Faults(path)
    halves: dict[str, Half | None] = {}
    for number, line in lines(path):
        question, _, half = line.partition("\t")
        if number == 1 and question == "query-id":
            continue
        if half in _NAMES:
            halves[question] = _NAMES[half]
        else:
            faults.add(number, f"{half!r} is not train, test or aside")
    faults.refuse()
    return halves
