"""An answer without a model: the best sentences, quoted word for word and cited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from core.document import CELL
from core.ports import Embedder
from reading.sentences import sentences
from search_api.search.passages.coverage import content_words, coverage, weights
from search_api.search.passages.values import CitedSentence, FoundPassage
from search_api.search.ranking.config import QuoteWeights

_SHORTEST = 4  # words; shorter sentences are not meaningful alone
_LONGEST = 120
_MOST_SENTENCES = 200


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a passage with its score."""

    text: str
    number: int
    score: float


def best_quotes(
    question: str,
    passages: Sequence[FoundPassage],
    embedder: Embedder | None,
    most: int,
    share: QuoteWeights,
    language: str | None = None,
) -> tuple[CitedSentence, ...]:
    """The best distinct sentences, best first, at most ``most``; each cites its own passage.

    ``embedder`` None: by words alone. ``language``: the question's (ISO 639-1).
    """
    ranked = ranked_quotes(question, passages, embedder, share, language)
    return tuple(CitedSentence(quote.text, (quote.number,), True) for quote in quotes_to_show(ranked, share)[:most])


def quotes_to_show(ranked: Sequence[Quote], share: QuoteWeights) -> list[Quote]:
    """The best quote, the second if its score is near (an answer often takes two sentences), and all others whose score
    is almost that of the best.
    """
    allowed = chain((0.0, share.second), repeat(share.near))
    return [quote for quote, below in zip(ranked, allowed, strict=False) if quote.score >= ranked[0].score - below]


def ranked_quotes(
    question: str,
    passages: Sequence[FoundPassage],
    embedder: Embedder | None,
    share: QuoteWeights,
    language: str | None = None,
) -> list[Quote]:
    """All sentences of the passages with their scores, best first, each text once."""
    candidates = [(text, passage) for passage in passages for text in _sentences(passage)][:_MOST_SENTENCES]
    if not candidates:
        return []
    contexts = [_with_heads(text, passage) for text, passage in candidates]
    words = [content_words(text, language) for text in contexts]
    question_weights = weights(words, content_words(question, language))
    cosines = _cosines(question, contexts, embedder)
    quotes = [
        Quote(
            text,
            passage.number,
            share.words * coverage(question_weights, text_words)
            + (1.0 - share.words) * cosine
            + share.relevance * passage.relevance,
        )
        for (text, passage), text_words, cosine in zip(candidates, words, cosines, strict=True)
    ]
    best = sorted(quotes, key=lambda quote: (-quote.score, quote.number))
    return list({quote.text: quote for quote in reversed(best)}.values())[::-1]


def quoted_text(quotes: Sequence[CitedSentence]) -> str:
    """The quotes as an answer: each in quotation marks with its number."""
    return " ".join(
        f"“{quote.text if quote.cell is None else quote.cell.text}” [{quote.citations[0]}]" for quote in quotes
    )


def _sentences(passage: FoundPassage) -> list[str]:
    """Sentences of text, rows of a table with its header, lines of code."""
    if passage.kind == "table" or "\n" in passage.text:
        lines = [line for line in passage.text.split("\n") if line.strip()]
        parts = [part for line in lines for part in ([line] if "|" in line else sentences(line))]
    else:
        parts = sentences(passage.text)
    return [part for part in parts if _SHORTEST <= len(part.split()) <= _LONGEST]


def _with_heads(text: str, passage: FoundPassage) -> str:
    """A row of a table is read with the first line of its header, which names what its numbers are."""
    if passage.kind != "table" or CELL not in text:
        return text
    header = next((line for line in passage.text.split("\n") if CELL in line), text)
    return text if header == text else f"{header}\n{text}"


def _cosines(question: str, texts: Sequence[str], embedder: Embedder | None) -> list[float]:
    if embedder is None:
        return [0.0] * len(texts)
    question_vector = embedder.embed([question], "query")[0]
    text_vectors = embedder.embed(list(texts), "document")
    return [float(value) for value in np.asarray(text_vectors @ question_vector)]
