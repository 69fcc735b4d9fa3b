"""A question made of a document, and the text that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from training.corpora import Document


@dataclass(frozen=True, slots=True)
class Asked:
    """``answer`` is what may be shown as the positive: where the question was cut out of the text, it is not there.
    ``shared``: every document that bears the question as a label answers it, not this one alone."""

    question: str
    answer: str
    origin: str
    document: Document
    shared: bool = False


def distinct(asked: Iterable[Asked]) -> Iterator[Asked]:
    """A question that several documents gave has no one answer and is left out with all of them; those that are shared
    are kept, and stand last."""
    seen: dict[str, Asked | None] = {}
    shared: list[Asked] = []
    for one in asked:
        if one.shared:
            shared.append(one)
            continue
        key = one.question.casefold()
        known = seen.get(key, one)
        seen[key] = one if known is not None and known.document.id == one.document.id else None
    yield from (one for one in seen.values() if one is not None)
    yield from shared
