"""Questions halved by document group: a greedy start, then changes of side as long as they help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["train", "test"]
Half = Literal["train", "test", "aside"]

UNEVEN = 0.3  # of the questions in both halves, that one may hold more than the other


def halve(groups: Mapping[str, frozenset[str]]) -> dict[str, Half]:
    """Each question's half; ``groups``: question id -> ids of the groups of its documents, at least one.

    Every group lies in one half. A question whose groups lie in both is put ``aside``. Groups are placed one by one,
    most asked first, where they put the fewest questions aside and keep the halves even; then single groups change
    sides until none helps. Order decides ties, so the same input gives the same halves.
    """
    table = _Table(groups)
    asked = Counter(group for held in groups.values() for group in held)
    by_use = sorted(asked, key=lambda group: (-asked[group], group))
    for group in by_use:
        table.put(group, "train")
        as_train = table.cost()
        table.put(group, "test")
        if as_train <= table.cost():
            table.put(group, "train")
    while sum(table.improve(group) for group in by_use):
        pass
    return {question: table.half(question) for question in groups}


@dataclass
class _Table:
    """Which group lies where, with the count of questions in each half kept up to date."""

    groups: Mapping[str, frozenset[str]]
    sides: dict[str, Side] = field(default_factory=dict)
    sizes: Counter[Half] = field(default_factory=Counter)
    users: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for question, held in self.groups.items():
            for group in sorted(held):
                self.users.setdefault(group, []).append(question)

    def half(self, question: str) -> Half:
        """By the groups that are placed so far; train before any is."""
        held = {self.sides[group] for group in self.groups[question] if group in self.sides}
        return "aside" if len(held) > 1 else next(iter(held), "train")

    def put(self, group: str, side: Side) -> None:
        before = Counter(self.half(question) for question in self._placed(group))
        self.sides[group] = side
        self.sizes.subtract(before)
        self.sizes.update(self.half(question) for question in self.users[group])

    def cost(self) -> float:
        train, test = self.sizes["train"], self.sizes["test"]
        return self.sizes["aside"] + max(0.0, abs(train - test) - UNEVEN * (train + test))

    def improve(self, group: str) -> bool:
        """Moves the group to the other side if that lowers the cost."""
        old, before = self.sides[group], self.cost()
        self.put(group, "test" if old == "train" else "train")
        if self.cost() < before:
            return True
        self.put(group, old)
        return False

    def _placed(self, group: str) -> list[str]:
        """The group's questions that are counted already: those with any group placed."""
        return [q for q in self.users[group] if any(held in self.sides for held in self.groups[q])]
