"""Holds back what a language model writes until one of its sentences is supported by what it cites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from reading.sentences import sentences
from search_api.search.passages.values import Sentence


class HeldBack:
    """Pieces of an answer as they arrive. ``check`` gives the verdicts on the sentences of a text.

    A reader who has seen an answer believes it, whatever is said afterwards; so nothing is shown before a sentence is
    supported. From then on pieces pass at once, and the complete answer marks the sentences that are not.
    """

    def __init__(self, check: Callable[[str], Sequence[Sentence]]) -> None:
        self._check = check
        self._waiting: list[str] = []
        self._seen = 0
        self.text = ""
        self.is_open = False

    def add(self, piece: str) -> Iterator[str]:
        """The pieces that may be shown now."""
        self.text += piece
        self._waiting.append(piece)
        if self.is_open or self._is_supported():
            self.is_open = True
            yield from self.rest()

    def rest(self) -> Iterator[str]:
        """The pieces that still wait, for an answer whose support is known."""
        waiting, self._waiting = self._waiting, []
        yield from waiting

    def _is_supported(self) -> bool:
        """Whether a sentence that has ended since the last look is supported; the last one may still grow."""
        ended = sentences(self.text.replace("\n", " "))[:-1]
        if len(ended) <= self._seen:
            return False
        new = ended[self._seen :]
        self._seen = len(ended)
        return any(sentence.supported for sentence in self._check(" ".join(new)))
