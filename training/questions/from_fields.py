"""Questions from the records' fields: titles, keywords, sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator

from training.corpora import Document, last_part
from training.questions.asked import Asked

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
_SHORTEST, _LONGEST = 5, 40  # words of a sentence that can be a question
_MOST_KEYWORDS = 3


def by_title(documents: Iterable[Document]) -> Iterator[Asked]:
    """The title as a question for the text without it."""
    for document in documents:
        if len(document.title.split()) > 1 or (document.title and document.kind == "concepts"):
            yield Asked(document.title, document.text, "title", document)


def by_keywords(documents: Iterable[Document], seed: int = 0) -> Iterator[Asked]:
    """One to three of its keywords as a question for title and text; drawn by the seed and the document's id."""
    for document in documents:
        if document.keywords:
            chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311
            count = chance.randint(1, min(_MOST_KEYWORDS, len(document.keywords)))
            drawn = [last_part(term) for term in chance.sample(document.keywords, count)]
            yield Asked(" ".join(drawn), document.whole, "keywords", document)


def by_sentence(documents: Iterable[Document], seed: int = 0) -> Iterator[Asked]:
    """One sentence as a question for the title and the other sentences (inverse cloze, Lee et al., ACL 2019)."""
    for document in documents:
        sentences = sentences_of(document.text)
        fit = [at for at, one in enumerate(sentences) if _SHORTEST <= len(one.split()) <= _LONGEST]
        if len(sentences) > 1 and fit:
            at = random.Random(f"{seed}:{document.id}").choice(fit)  # noqa: S311 # nosec B311
            rest = " ".join(sentences[:at] + sentences[at + 1 :])
            yield Asked(sentences[at].rstrip("."), f"{document.title}\n{rest}".strip(), "sentence", document)


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]
