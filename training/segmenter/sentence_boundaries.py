"""Joints between sentences: real ones, and false ones whose second half is from another place. Pure."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from encoders.segmenter import windows
from indexer.documents.parse.model import Block, ReadDocument
from indexer.documents.parse.sections import sections
from reading.sentences import sentences
from training.corpora import Document
from training.examples import TrainingError

_LEAST_WORDS = 3  # a shorter "sentence" is a number or an initial


@dataclass(frozen=True, slots=True)
class Running:
    """Consecutive sentences: of one section of ``document``, or of one abstract."""

    document: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentencePair:
    """``label`` is BERT's: 1 means that ``behind`` does not follow ``before``."""

    document: str
    before: str
    behind: str
    label: int


def running_of_documents(documents: Iterable[Document]) -> list[Running]:
    """Descriptions of records, each a separate text; boundaries are inside the description."""
    return [one for document in documents if (one := _running(document.group, document.text)) is not None]


def running_of_read(document: ReadDocument, name: str) -> list[Running]:
    """The running text of each section."""
    texts = (
        " ".join(block.text for block in section.blocks if is_running(block)) for section in sections(document.blocks)
    )
    return [one for text in texts if (one := _running(name, text)) is not None]


def is_running(block: Block) -> bool:
    return block.kind == "text" and block.table is None


def telling(text: str) -> tuple[str, ...]:
    return tuple(one for one in sentences(text) if len(one.split()) >= _LEAST_WORDS)


def sentence_pairs_of(texts: Sequence[Running], window: int, seed: int) -> list[SentencePair]:
    """Every joint of every text, and a false one for each: half of them continue elsewhere in the same document, half
    in another one. If a document has no other place, another document is used.

    Raises TrainingError for a single document.
    """
    documents = {text.document for text in texts}
    if len(documents) < 2:
        raise TrainingError(
            f"A segmenter learns from two documents or more on each side of the split, not {len(documents)}."
        )
    chance = random.Random(seed)  # noqa: S311 # nosec B311
    places = _Places(texts, window)
    found: list[SentencePair] = []
    for number, text in enumerate(texts):
        before, behind = windows(text.sentences, window)
        for at, (first, second) in enumerate(zip(before, behind, strict=True)):
            found.append(SentencePair(text.document, first, second, 0))
            found.append(SentencePair(text.document, first, places.elsewhere(number, at, chance), 1))
    return found


class _Places:
    """The places from which a false continuation can come."""

    def __init__(self, texts: Sequence[Running], window: int) -> None:
        self._texts, self._window = texts, window
        self._of: dict[str, list[int]] = {}
        for number, text in enumerate(texts):
            self._of.setdefault(text.document, []).append(number)

    def elsewhere(self, number: int, at: int, chance: random.Random) -> str:
        own = self._texts[number].document
        if chance.random() < 0.5 and (place := self._in_document(number, at, chance)) is not None:
            return place
        while True:
            other = chance.randrange(len(self._texts))
            if self._texts[other].document != own:
                return self._at(other, chance.randrange(len(self._texts[other].sentences)))

    def _in_document(self, number: int, at: int, chance: random.Random) -> str | None:
        """Not the sentences around the joint: neither the next ones nor the previous ones."""
        near = {at + 1 + step for step in range(-self._window, self._window + 1)}
        fit = [
            (other, place)
            for other in self._of[self._texts[number].document]
            for place in range(len(self._texts[other].sentences))
            if other != number or place not in near
        ]
        return self._at(*chance.choice(fit)) if fit else None

    def _at(self, number: int, place: int) -> str:
        return " ".join(self._texts[number].sentences[place : place + self._window])


def _running(document: str, text: str) -> Running | None:
    found = telling(text)
    return Running(document, found) if len(found) > 1 else None
