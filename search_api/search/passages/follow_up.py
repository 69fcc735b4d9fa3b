"""Reads a question with those asked before it: a question that cannot stand alone takes their words with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from search_api.search.passages.coverage import content_words
from search_api.search.passages.values import Turn

_MOST_BACK = 3  # questions that each lean on the one before
_FEW = 3  # content words: too few to name a topic
_WORD = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_ENGLISH = """it its they them their those these this there he she him his such same former latter"""
_GERMAN = """er sie ihn ihm ihr ihre ihrer ihren dessen deren diese dieser dieses diesen diesem dort davon dabei dazu
darin solche"""
_FRENCH = """elle ils elles cette ces cet ceux celles celui celle leur leurs"""
_SPANISH = """ellos ellas ello este esta estos estas esos esas ese esa eso allí ahí dicho dicha sus"""
_ITALIAN = """essi esse esso essa questo questa questi queste quello quella quelli quelle loro"""
_PORTUGUESE = """eles elas ele ela estes esses essas isso isto ali seu sua seus suas deles delas"""
_POINTING = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH} {_ITALIAN} {_PORTUGUESE}".split())
"""Words that point back, in the page's six languages. Left out are those that questions standing alone also have
("es gibt", "il y a", "that")."""
_GOING_ON = re.compile(
    r"\W*(?:and|but|or|also|what about|how about|und|aber|oder|auch|was ist mit|et|mais|ou|qu'en est-il"
    r"|y|pero|o|qué hay de|e|ed|ma|mas)\b",
    re.IGNORECASE,
)


def in_context(question: str, turns: Sequence[Turn]) -> str:
    """The question to search for; ``turns``: what was said before, oldest first.

    A year in the question takes the place of the years before it ("and in 2015?").
    """
    if not turns or not leans(question):
        return question
    before = in_context(turns[-1].question, turns[max(0, len(turns) - _MOST_BACK) : -1])
    if _YEAR.search(question):
        before = _YEAR.sub(" ", before)
    return " ".join(f"{before} {question}".split())


def leans(question: str) -> bool:
    """Whether the question needs the one before it: it goes on from there, points back, or names too little itself."""
    if _GOING_ON.match(question) or len(content_words(question)) <= _FEW:
        return True
    return not _POINTING.isdisjoint(_WORD.findall(question.lower()))
