"""Splits examples for training and measuring: by group, so that no text is on both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from training.examples import Example, TrainingError


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
    held = tuple(example for example in examples if is_held_out(_group(example), share, seed))
    answers = {example.positive.text for example in held}
    train = tuple(_without(example, answers) for example in examples if not is_held_out(_group(example), share, seed))
    if not train or not held:
        groups = len({_group(example) for example in examples})
        raise TrainingError(
            f"{len(examples)} examples in {groups} groups are too few to hold {share:.0%} of the groups out."
        )
    return Split(train, held)


def is_held_out(group: str, share: float, seed: int = 0) -> bool:
    """Pure: whether the group's hash as a number in 0..1 is below ``share``."""
    digest = hashlib.sha256(f"{seed}\0{group}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def _group(example: Example) -> str:
    return example.group or example.positive.id


def _without(example: Example, answers: set[str]) -> Example:
    kept = tuple(negative for negative in example.negatives if negative.text not in answers)
    if len(kept) == len(example.negatives):
        return example
    return replace(example, negatives=kept)
