"""Whether a sentence says the opposite of the text that it cites: by negation, and by pairs of opposite words.

Words and numbers agree as well in "the lake did not freeze" as in "the lake froze", so sharing them is no support.
"""

from __future__ import annotations

import re

from reading.sentences import sentences
from search_api.search.passages.coverage import content_words

_WORD = re.compile(r"[^\W\d_]+(?:['’]t)?")
_ENGLISH_AND_GERMAN = """not no never none neither nor without cannot nicht kein keine keinen keiner keines nie niemals
ohne"""
_ROMANCE = """ne pas jamais aucun aucune sans nunca ningún ninguna sin tampoco non mai nessun nessuna senza não nenhum
nenhuma sem"""
_NEGATIONS = frozenset(f"{_ENGLISH_AND_GERMAN} {_ROMANCE}".split())
_PAIRS = """increase/decrease rise/fall rose/fell rising/falling higher/lower high/low highest/lowest more/less
more/fewer most/least above/below before/after maximum/minimum northern/southern north/south eastern/western east/west
warmer/colder warm/cold wet/dry gain/loss larger/smaller deeper/shallower positive/negative always/never
winter/summer"""
_OPPOSITES = [tuple(pair.split("/")) for pair in _PAIRS.split()]
_ENDINGS = re.compile(r"(?:ing|ed|es|s|d)$")
_BOTH_WAYS = {one: other for a, b in _OPPOSITES for one, other in ((a, b), (b, a))}


def contradicts(sentence: str, evidence: str) -> bool:
    """Compared with the sentence of the evidence that shares most words; False if that shares fewer than half."""
    words = content_words(sentence)
    nearest = max(sentences(evidence), key=lambda one: len(words & content_words(one)), default="")
    shared = words & content_words(nearest)
    if not words or len(shared) * 2 < len(words):
        return False
    return _negated(sentence) != _negated(nearest) or _turned(sentence, nearest)


def _negated(text: str) -> bool:
    """An even number of negations says yes."""
    words: list[str] = [word.lower() for word in _WORD.findall(text)]
    count = sum(word in _NEGATIONS or word.endswith(("n't", "n’t")) for word in words)
    french = sum(word in ("ne", "n") for word in words)  # "ne ... pas" is one negation
    return (count - min(french, count - french)) % 2 == 1


def _turned(sentence: str, nearest: str) -> bool:
    said, read = _plain(sentence), _plain(nearest)
    return any(
        word not in read and other in read and other not in said
        for word in said
        if (other := _BOTH_WAYS.get(word)) is not None
    )


def _plain(text: str) -> set[str]:
    """The words, and each without its ending."""
    words = {word.lower() for word in _WORD.findall(text)}
    bare = {_ENDINGS.sub("", word) for word in words}
    return words | bare | {f"{word}e" for word in bare}
