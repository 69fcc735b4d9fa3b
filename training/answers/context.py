"""The context of a question in a training set: the passage that answers it among others that do not. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.passage import Passage
from search_api.search.passages.values import FoundPassage
from training.corpora import Document
from training.negatives.bm25 import Bm25


@dataclass(frozen=True, slots=True)
class Context:
    """``passages`` numbered from 1; ``right``: the number of the one that answers, None if none does."""

    passages: tuple[FoundPassage, ...]
    right: int | None


class Noise:
    """Passages of other documents that share words with a question, as a search would return."""

    def __init__(self, passages: Sequence[Passage], titles: dict[str, str] | None = None) -> None:
        """``titles``: document id -> title, shown with each passage."""
        self._passages, self._titles = list(passages), titles or {}
        self._by_id = {passage.id: passage for passage in passages}
        self._words = Bm25([passage.text for passage in passages])

    def context(self, question: str, source: Document, count: int, chance: random.Random, *, right: bool) -> Context:
        """``count`` passages in a random order. Without ``right`` the source's whole document is left out, because
        another of its passages may answer; fewer passages if there are no more.
        """
        own = self._by_id[source.id]
        depth = min(len(self._passages), 8 * count + 8)
        found = [self._passages[at] for at in self._words.best(question, depth)]
        others = [one for one in found if one.document != own.document]
        shown = [own, *others[: count - 1]] if right else others[:count]
        chance.shuffle(shown)
        numbered = tuple(self._numbered(one, number) for number, one in enumerate(shown, 1))
        return Context(numbered, next((one.number for one in numbered if right and one.id == own.id), None))

    def _numbered(self, passage: Passage, number: int) -> FoundPassage:
        return FoundPassage(
            id=passage.id,
            document=passage.document,
            text=passage.text,
            number=number,
            title=self._titles.get(passage.document, ""),
            section_path=passage.section_path,
            first_page=passage.first_page,
            last_page=passage.last_page,
        )


def without(context: Context) -> Context:
    """The same context without the passage that answers; the others are numbered again."""
    left = [one for one in context.passages if one.number != context.right]
    return Context(tuple(replace(one, number=number) for number, one in enumerate(left, 1)), None)
