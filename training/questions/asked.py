"""A question made from a document, and the text that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from training.corpora import Document


@dataclass(frozen=True, slots=True)
class Asked:
    """``answer`` is the positive text: without the question, if the question was cut from it.
    ``shared``: every document with the question as a label answers it, not only this one.
    """

    question: str
    answer: str
    origin: str
    document: Document
    shared: bool = False


def distinct(asked: Iterable[Asked]) -> Iterator[Asked]:
    """Drops questions made from several documents, because they have no single answer; shared ones are kept, at the
    end.
    """
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
