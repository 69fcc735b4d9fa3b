"""Document groups of the NCAR records, and the split of the questions into a tuning and a testing half by them.

A group is a set of sibling records. EOL numbers its data sets ``project.number``: one field project, one group. RDA
numbers them ``dNNNnnn``: the first three digits are one family (d633 = ERA5), and families of one product are
merged. Two ranges hold single deposits that have nothing to do with each other (d010, d583): there each number is
its own group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

Side = Literal["tune", "test"]
Half = Literal["tune", "test", "aside"]
Sides = dict[str, Side]

SIDES: tuple[Side, ...] = ("tune", "test")
NARROW = 3

# RDA families that are one product: the first digits of a family -> the name they share.
MERGED_RDA = {
    "ERA-40": ("d115", "d117", "d118", "d119", "d120", "d121", "d122", "d123", "d124", "d126", "d127", "d129"),
    "ERA5": ("d630", "d633"),
    "JRA": ("d625", "d628", "d640"),
    "ECMWF-TOGA": ("d110", "d111"),
    "COADS": ("d540", "d541", "d548"),
    "FGGE": ("d307", "d308", "d309", "d312"),
    "GATE": ("d302", "d310", "d388", "d845", "d875", "d880"),
    "COARE": ("d320", "d606", "d745"),
    "GHCN": ("d564", "d565", "d511"),
    "NCEP-global": ("d082", "d083", "d084", "d090", "d091"),
}
SINGLE_DEPOSITS = ("d010", "d583")
SIBLINGS = {"d010000": "NH-SLP", "d010001": "NH-SLP", "d583153": "HAWAII-RAIN", "d583154": "HAWAII-RAIN"}
_RDA_NAME = {family: name for name, families in MERGED_RDA.items() for family in families}


def group_of(record_id: str) -> str:
    """``ncar_eol:edu.ucar.eol::347.012`` -> ``eol-347``; ``ncar_rda:edu.ucar.gdex::d633001`` -> ``rda-ERA5``."""
    source, _, native = record_id.partition(":")
    number = native.rpartition(":")[2]
    if source == "ncar_eol":
        return f"eol-{number.partition('.')[0]}"
    family = number[:4]
    if family in SINGLE_DEPOSITS:
        return f"rda-{SIBLINGS.get(number, number)}"
    return f"rda-{_RDA_NAME.get(family, family)}"


def split(
    groups: Mapping[str, frozenset[str]], kinds: Mapping[str, str], pinned: frozenset[str] = frozenset()
) -> dict[str, Half]:
    """Each question's half, without any leak. ``groups``: question id -> groups of its records of grade 2 and 3.

    Every group is given to one half. A question whose groups all lie in one half belongs to that half; one whose
    groups lie in both is put ``aside``, used by neither. To begin with, narrow questions (at most NARROW groups) that
    share a group are kept together, largest cluster first, each going to the half that has fewer questions of its
    kind. Then the groups of one question at a time change sides as long as the cost sinks: questions put aside, and
    how far the halves are from equal within each kind (``kinds``: question id -> kind). ``pinned`` questions start in
    the test half and cost ten times as much elsewhere. Order decides ties, so the same input gives the same halves.
    """
    sides = _first_sides(groups, kinds)
    sides.update(dict.fromkeys(sorted(frozenset().union(*(groups[question] for question in pinned))), "test"))
    best, improved = _cost(sides, groups, kinds, pinned), True
    while improved:
        improved = False
        for moved in _moves(sides, groups):
            cost = _cost(moved, groups, kinds, pinned)
            if cost < best:
                sides, best, improved = moved, cost, True
                break
    return _halves(sides, groups)


def _first_sides(groups: Mapping[str, frozenset[str]], kinds: Mapping[str, str]) -> Sides:
    sides: Sides = {}
    held = {"tune": Counter[str](), "test": Counter[str]()}
    for cluster in clusters({question: held_by for question, held_by in groups.items() if len(held_by) <= NARROW}):
        kind = Counter(kinds[question] for question in cluster).most_common(1)[0][0]
        side: Side = "tune" if held["tune"][kind] <= held["test"][kind] else "test"
        held[side].update(kinds[question] for question in cluster)
        sides.update(dict.fromkeys(sorted(frozenset().union(*(groups[question] for question in cluster))), side))
    rest = sorted(frozenset().union(*groups.values()) - sides.keys())
    return {**sides, **{group: "tune" if index % 2 else "test" for index, group in enumerate(rest)}}


def _moves(sides: Sides, groups: Mapping[str, frozenset[str]]) -> Iterator[Sides]:
    for side in SIDES:
        for question in sorted(groups):
            if any(sides[group] != side for group in groups[question]):
                yield {**sides, **dict.fromkeys(groups[question], side)}
    for group in sorted(sides):
        yield {**sides, group: "test" if sides[group] == "tune" else "tune"}


def _halves(sides: Sides, groups: Mapping[str, frozenset[str]]) -> dict[str, Half]:
    halves: dict[str, Half] = {}
    for question in groups:
        held = {sides[group] for group in groups[question]}
        halves[question] = held.pop() if len(held) == 1 else "aside"
    return halves


def _cost(
    sides: Sides, groups: Mapping[str, frozenset[str]], kinds: Mapping[str, str], pinned: frozenset[str]
) -> float:
    """Questions put aside, and half of what one half has more than the other beyond a tenth, kind by kind."""
    halves = _halves(sides, groups)
    counts = Counter((kinds[question], half) for question, half in halves.items())
    uneven = 0.0
    for kind in set(kinds.values()):
        tune, test = counts[kind, "tune"], counts[kind, "test"]
        uneven += max(0.0, abs(tune - test) - 0.1 * (tune + test)) / 2.0
    astray = sum(halves[question] != "test" for question in pinned)
    return sum(half == "aside" for half in halves.values()) + uneven + 10.0 * astray


def clusters(groups: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Questions connected by shared groups, largest cluster first, each sorted."""
    parent = {question: question for question in groups}

    def root(question: str) -> str:
        while parent[question] != question:
            question = parent[question]
        return question

    first_with: dict[str, str] = {}
    for question in sorted(groups):
        for group in sorted(groups[question]):
            parent[root(question)] = root(first_with.setdefault(group, question))
    found: dict[str, list[str]] = {}
    for question in sorted(groups):
        found.setdefault(root(question), []).append(question)
    return sorted(found.values(), key=lambda cluster: (-len(cluster), cluster))


def shared_groups(halves: Mapping[str, Half], groups: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Groups that hold relevant records for questions of both halves: the leak."""
    held: dict[Half, set[str]] = {"tune": set(), "test": set(), "aside": set()}
    for question, half in halves.items():
        held[half] |= groups[question]
    return frozenset(held["tune"] & held["test"])


def kind_of(groups: frozenset[str], south: float) -> str:
    """What kind of answer a question has: archives of RDA, high northern campaigns of EOL, or its other campaigns."""
    if 2 * sum(group.startswith("rda-") for group in groups) >= len(groups):
        return "archives"
    return "northern campaigns" if south >= 50.0 else "campaigns"


def relevant_groups(grades: Mapping[str, Mapping[str, int]], questions: Iterable[str]) -> dict[str, frozenset[str]]:
    """Question id -> groups of its records of grade 2 and 3."""
    return {
        question: frozenset(group_of(record) for record, grade in grades.get(question, {}).items() if grade >= 2)
        for question in questions
    }
