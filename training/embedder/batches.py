"""Arranges questions and texts in steps, and decides which texts are negatives for which question."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from training.examples import Candidate, Example

Hand = list[Example]
"""Examples with the same answer text, which is encoded once for all of them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """``texts``: the answers of all questions, then their negatives, each text once. ``also[i]``: rows of texts that
    are not negatives of question i although they are not its answer here: judged to answer it, or labelled with it.
    """

    questions: list[str]
    texts: list[str]
    answers: list[int]
    also: list[set[int]]


def batch_of(examples: Sequence[Example], negatives: Sequence[Sequence[Candidate]]) -> Batch:
    """Pure. Equal texts share a row; texts that a question's graded candidates mark as relevant are not its
    negatives.
    """
    rows: dict[str, int] = {}
    answers = [rows.setdefault(example.positive.text, len(rows)) for example in examples]
    for chosen in negatives:
        for one in chosen:
            rows.setdefault(one.text, len(rows))
    right: dict[str, set[int]] = {}
    for example in examples:
        judged = {one.text for one in example.candidates if one.grade > 0} | {example.positive.text}
        right.setdefault(example.question.casefold(), set()).update(rows[text] for text in judged if text in rows)
    for one in chain((example.positive for example in examples), *negatives):
        for label in right.keys() & set(one.labels):
            right[label].add(rows[one.text])
    also = [right[example.question.casefold()] - {answer} for example, answer in zip(examples, answers, strict=True)]
    return Batch([example.question for example in examples], list(rows), answers, also)


def dealt(examples: Sequence[Example], each: int, siblings: int, chance: random.Random) -> list[Hand]:
    """Pure. Every example once, in groups of up to ``each`` with one text, up to ``siblings`` of them of one project in
    succession; otherwise in an order by ``chance``.
    """
    order = list(examples)
    chance.shuffle(order)
    hands = [[example] for example in order] if each == 1 else _hands(order, each)
    if siblings == 1:
        return hands
    of_group: dict[str, list[Hand]] = {}
    for hand in hands:
        of_group.setdefault(hand[0].group or hand[0].positive.id, []).append(hand)
    runs = [held[at : at + siblings] for held in of_group.values() for at in range(0, len(held), siblings)]
    chance.shuffle(runs)
    return [hand for run in runs for hand in run]


def _hands(order: Sequence[Example], each: int) -> list[Hand]:
    """In the order in which each text first occurs; the groups of a text follow each other, unless siblings separate
    them.
    """
    of_text: dict[str, Hand] = {}
    for example in order:
        of_text.setdefault(example.positive.text, []).append(example)
    # Round by round, so that all texts occur before the second group of any.
    longest = max((len(held) for held in of_text.values()), default=0)
    return [held[at : at + each] for at in range(0, longest, each) for held in of_text.values() if at < len(held)]
