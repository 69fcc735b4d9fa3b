"""The committed halves of the judged collections: what may be tuned on, and what the tables show."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from evaluation.collection import Collection
from evaluation.lines import Faults, lines

Half = Literal["train", "test"]

_NAMES: dict[str, Half] = {"train": "train", "tune": "train", "test": "test"}
_ASIDE = "aside"  # reaches into both halves, so neither has it


def half_of(collection: Collection, half: Half, path: Path) -> Collection:
    """The questions of one half, over all records. Raises what :func:`read_halves` and ``asking`` raise."""
    halves = read_halves(path)
    return collection.asking({question for question, its in halves.items() if its == half})


def read_halves(path: Path) -> dict[str, Half]:
    """``query-id, half`` by tabs: train (or tune), test, aside. Raises BadCollection for malformed lines."""
    faults = Faults(path)
    halves: dict[str, Half] = {}
    for number, line in lines(path):
        question, _, half = line.partition("\t")
        if number == 1 and question == "query-id":
            continue
        if half in _NAMES:
            halves[question] = _NAMES[half]
        elif half != _ASIDE:
            faults.add(number, f"{half!r} is not train, test or aside")
    faults.refuse()
    return halves
