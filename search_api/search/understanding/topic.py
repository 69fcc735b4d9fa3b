"""The topic of a question: its significant words, and their vectors.

Words attached to those words are removed with them ("temperature in the [1990s]" is about temperature, "rivers of
[Germany] and [France]" about rivers). A word that joins two topics stays ("rain in [Spain] and snow" is about rain and
snow).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.ports import Embedder
from reading.real_words import is_real_word
from reading.sentences import EMPTY_WORDS, JOINING_WORDS, Range
from reading.translation import Translator
from search_api.search.understanding.interpretation import Interpretation, UnknownWord

_WORD = re.compile(r"[^\W_]+(?:['’](?=[^\W_]))?")
_SPACE = re.compile(r"\s+")
_ARTICLE_OF_NAME = re.compile(r"(?:El|La|Le|Los|Las|Les) [^\W\d_a-z]")
"""El Niño, La Réunion: the article is part of the name."""
_GENITIVE = re.compile(r"^['’]s(?!\w)")
_LOOSE_ENDS = " \t\r\n,;:-–—/()[].?!¿¡'’\"&+"


def topic_of(text: str, claimed: Sequence[Range]) -> str:
    """The text without the ranges (character offsets, end exclusive, in any order) and the words attached to them.

    Empty if only small words remain, so "what is in Kenya" and "of the" have no topic. A question of one word in
    capitals is a topic ("IT", "WHO"), however small the word.
    """
    pieces = _pieces(text, claimed)
    parts: list[str] = []
    for number, piece in enumerate(pieces):
        if number < len(pieces) - 1:
            piece = _without_tail(piece)
        if number and not parts:
            piece = _without_head(piece)
        if piece.strip(_LOOSE_ENDS):
            parts.append(piece)
    topic = _SPACE.sub(" ", " ".join(parts)).strip(_LOOSE_ENDS)
    return "" if _has_only_small_words(topic) else topic


def significant_words(topic: str) -> str:
    """A topic without its small words, in any of the six languages; a topic of one word is unchanged."""
    words = [match[0].rstrip("'’") for match in _WORD.finditer(topic)]
    return topic if len(words) < 2 else " ".join(word for word in words if word.lower() not in EMPTY_WORDS)


def without_small_words(text: str) -> str:
    """The text without its small words in any of the six languages, signs inside words kept; unchanged if nothing else
    is left.
    """
    words = [word for word in text.split() if word.strip(_LOOSE_ENDS).lower() not in EMPTY_WORDS]
    return " ".join(words) or text


def free_ranges(length: int, claimed: Sequence[Range]) -> list[Range]:
    """The ranges between the given ones in a text of that length, empty ones included."""
    free, position = [], 0
    for start, end in sorted(claimed):
        if start >= position:
            free.append((position, start))
        position = max(position, end)
    return [*free, (position, length)]


def _pieces(text: str, claimed: Sequence[Range]) -> list[str]:
    return [_GENITIVE.sub("", text[start:end]) for start, end in free_ranges(len(text), claimed)]


def _without_tail(piece: str) -> str:
    """Removes attached words at the end: "soil moisture in the" becomes "soil moisture"; "main" is unchanged."""
    while True:
        piece = piece.rstrip(_LOOSE_ENDS)
        start = _last_word(piece)
        if piece[start:].lower() not in JOINING_WORDS:
            return piece
        piece = piece[:start]


def _last_word(piece: str) -> int:
    """The start of the word at the end of a text; the text's length if there is none."""
    start = len(piece)
    while start and piece[start - 1].isalnum():
        start -= 1
    return start


def _without_head(piece: str) -> str:
    while True:
        piece = piece.lstrip(_LOOSE_ENDS)
        first = _WORD.match(piece)
        if first is None or first[0].lower().rstrip("'’") not in JOINING_WORDS or _ARTICLE_OF_NAME.match(piece):
            return piece
        piece = piece[first.end() :]


def _has_only_small_words(topic: str) -> bool:
    words = [word.rstrip("'’") for word in _WORD.findall(topic)]
    if len(words) == 1 and words[0].isupper() and len(words[0]) > 1:
        return False
    return all(word.lower() in EMPTY_WORDS for word in words)


_LETTERS = re.compile(r"[^\W_]+")
_LETTERS_A_PIECE = 3  # a word that is read in shorter pieces is none of the model's language


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """A question as the embedder reads it: its unit vector, and the token vectors of the whole question.

    ``tokens`` is None for an embedder without, and for a question without a topic: its words are names of places and
    periods, which any text about them matches.
    """

    question: NDArray[np.float32]
    tokens: NDArray[np.float32] | None


def is_nonsense(embedder: Embedder, interpretation: Interpretation, least_share: float = 0.5) -> bool:
    """Whether at least this share of the topic's words are in no record, and the model does not know them either.

    It reads *xqzvbn* in pieces of a letter or two.
    """
    topic_words = _topic_words(interpretation)
    # An unknown code beside words is no nonsense: "rainfall ds083.2".
    words = [word for word in topic_words if word.isalpha() or word not in interpretation.unknown] or topic_words
    unknown = [word for word in words if word in interpretation.unknown]
    least = least_share * len(words)
    return len(unknown) >= max(least, 1) and sum(_unfamiliar_flags(embedder, unknown)) >= least


def is_mostly_known(interpretation: Interpretation) -> bool:
    """Whether records have at least half of the topic's words."""
    words = _topic_words(interpretation)
    return 2 * sum(word in interpretation.unknown for word in words) <= len(words)


def _topic_words(interpretation: Interpretation) -> list[str]:
    words = [word for word in _LETTERS.findall(interpretation.thematic.lower()) if len(word) > 1]
    return [word for word in words if word not in EMPTY_WORDS]


def _unfamiliar_flags(embedder: Embedder, words: Sequence[str]) -> list[bool]:
    pieces = _pieces_of(embedder, words)
    return [_LETTERS_A_PIECE * count > len(word) for word, count in zip(words, pieces, strict=True)]


def words_of_model(embedder: Embedder, words: Sequence[str]) -> frozenset[str]:
    """Those that the model reads as a whole: they exist, even if no record has them."""
    return frozenset(word for word, count in zip(words, _pieces_of(embedder, words), strict=True) if count == 1)


def real_words(
    words: Sequence[str], language: str | None, translator: Translator, embedder: Embedder | None
) -> frozenset[str]:
    """Those that exist, even if no record has them: lists of words have them, or the model reads them as a whole."""
    listed = frozenset(word for word in words if is_real_word(word, language, translator))
    return listed if embedder is None else listed | words_of_model(embedder, words)


def _pieces_of(embedder: Embedder, words: Sequence[str]) -> list[int]:
    """In how many pieces the model reads each word."""
    signs = 2  # around a text
    return [count - signs for count in embedder.count_tokens(words)] if words else []


def unknown_to_model(embedder: Embedder, interpretation: Interpretation) -> tuple[UnknownWord, ...]:
    """The unknown words that the model does not know either. A word that it knows has a meaning here, although no
    record contains it: *water* is near *wells*.

    A word that it reads in long pieces (*radiosonden*) may have a meaning, which counts only if it has no rival: a
    word of the topic that some record contains.
    """
    unknown = interpretation.unknown
    if not unknown:
        return ()
    if set(_topic_words(interpretation)) <= set(unknown):
        left_out = {
            word
            for word, is_unfamiliar in zip(unknown, _unfamiliar_flags(embedder, unknown), strict=True)
            if is_unfamiliar
        }
    else:
        left_out = set(unknown) - words_of_model(embedder, unknown)
    return tuple(word for word in interpretation.unknown_words if word.text in left_out)


def query_vectors(embedder: Embedder, interpretation: Interpretation) -> QueryVectors:
    """The unit vector is between the whole question and its topic alone, if place or time were removed.

    The topic alone loses what a name implies (a Great Barrier Reef is coral); the whole question attracts records that
    only share the name. On the tuning halves the middle was worse than neither.
    """
    text, thematic = interpretation.written_out
    encoded = embedder.encode([text] if thematic in ("", text) else [text, thematic], "query")
    tokens = encoded.tokens[0] if encoded.tokens is not None and thematic else None
    vector_sum = encoded.vectors.sum(axis=0)
    return QueryVectors(vector_sum / np.linalg.norm(vector_sum), tokens)
