"""The topic of a question: the text without the words of place, time and identifiers.

Words attached to those words are removed with them ("temperature in the [1990s]" is about temperature, "rivers of
[Germany] and [France]" about rivers). A word that joins two topics stays ("rain in [Spain] and snow" is about rain and
snow).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reading.language import EMPTY_WORDS, JOINING_WORDS
from reading.sentences import Range

_WORD = re.compile(r"[^\W_]+(?:['’](?=[^\W_]))?")
_SPACE = re.compile(r"\s+")
_LOOSE_ENDS = " \t\r\n,;:-–—/()[].?!¿¡'’\"&+"


def topic_of(text: str, taken: Sequence[Range]) -> str:
    """The text without the ranges (character offsets, end exclusive, in any order) and the words attached to them.

    Empty if only small words remain, so "what is in Kenya" and "of the" have no topic. A question of one word in
    capitals is a topic ("IT", "WHO"), however small the word.
    """
    pieces = _pieces(text, taken)
    kept: list[str] = []
    for number, piece in enumerate(pieces):
        if number < len(pieces) - 1:
            piece = _without_tail(piece)
        if number and not kept:
            piece = _without_head(piece)
        if piece.strip(_LOOSE_ENDS):
            kept.append(piece)
    topic = _SPACE.sub(" ", " ".join(kept)).strip(_LOOSE_ENDS)
    return "" if _says_nothing(topic) else topic


def significant_words(topic: str) -> str:
    """A topic without its small words, in any of the six languages; a topic of one word is unchanged."""
    words = [match[0].rstrip("'’") for match in _WORD.finditer(topic)]
    return topic if len(words) < 2 else " ".join(word for word in words if word.lower() not in EMPTY_WORDS)


def without_small_words(text: str) -> str:
    """The text without its small words in any of the six languages, signs inside words kept; unchanged if nothing else
    is left.
    """
    kept = [word for word in text.split() if word.strip(_LOOSE_ENDS).lower() not in EMPTY_WORDS]
    return " ".join(kept) or text


def free_ranges(length: int, taken: Sequence[Range]) -> list[Range]:
    """The ranges between the given ones in a text of that length, empty ones included."""
    free, position = [], 0
    for start, end in sorted(taken):
        if start >= position:
            free.append((position, start))
        position = max(position, end)
    return [*free, (position, length)]


def _pieces(text: str, taken: Sequence[Range]) -> list[str]:
    return [text[start:end] for start, end in free_ranges(len(text), taken)]


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
        if first is None or first[0].lower().rstrip("'’") not in JOINING_WORDS:
            return piece
        piece = piece[first.end() :]


def _says_nothing(topic: str) -> bool:
    words = [word.rstrip("'’") for word in _WORD.findall(topic)]
    if len(words) == 1 and words[0].isupper() and len(words[0]) > 1:
        return False
    return all(word.lower() in EMPTY_WORDS for word in words)
