"""The share of a question's words that a text contains."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence

import Stemmer

from reading.sentences import EMPTY_WORDS

_WORD = re.compile(r"[^\W_]{2,}")
_SUFFIX = re.compile(r"(?:ingly|edly|ings?|ed|ies|es|s|ly)$")
_ENGLISH = """a an and are as at be been by can could did do does for from had has have how i if in into is it its me
my of on or our should so than that the their them then there these they this to us was we were what when where which
who whom whose why will with would you your"""
_OTHERS = """der die das und ist in von für mit wie was le la les de du des et est que qui dans pour sur quel quelle el
los las y en un una por"""
STOPWORDS = frozenset(f"{_ENGLISH} {_OTHERS}".split())
_SNOWBALL = {"de": "german", "es": "spanish", "fr": "french", "it": "italian", "pt": "portuguese"}


def content_words(text: str, language: str | None = None) -> frozenset[str]:
    """Words with a meaning, in lower case and without their endings.

    ``language`` (ISO 639-1; None: unknown): German, French, Spanish, Italian and Portuguese lose the endings that
    Snowball takes away (Porter 2001), any other its most common English ones, on which the curves of relevance were
    fitted.
    """
    words = frozenset(_WORD.findall(text.lower()))
    if language not in _SNOWBALL:
        return frozenset(_stem(word) for word in words if word not in STOPWORDS)
    return frozenset(Stemmer.Stemmer(_SNOWBALL[language]).stemWords(list(words - STOPWORDS - EMPTY_WORDS)))


def _stem(word: str) -> str:
    return _SUFFIX.sub("", word) if len(word) > 4 and not word.isdigit() else word


def weights(texts: Sequence[frozenset[str]], words: Collection[str]) -> dict[str, float]:
    """The weight of each question word: rare words among the candidates weigh more than common ones (smoothed idf)."""
    total = len(texts)
    return {word: math.log(1.0 + (total + 1.0) / (1.0 + sum(word in text for text in texts))) for word in words}


def coverage(words: Mapping[str, float], text: frozenset[str]) -> float:
    """The share of the question's weight that occurs in the text, 0..1; 0 for a question without words."""
    total = math.fsum(words.values())
    return math.fsum(weight for word, weight in words.items() if word in text) / total if total else 0.0
