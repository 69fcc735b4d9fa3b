"""Which sentences may be quoted: prose and rows of tables, not code, references or labels of charts. Pure."""

from __future__ import annotations

import re

from core.document import CELL
from reading.sentences import EMPTY_WORDS

_LATIN_WORD = re.compile(r"[^\W\d_]{2,}")
_TOKEN = re.compile(r"\S+")
_LEADERS = re.compile(r"(?:\s?[.·…]){5,}|_{5,}")
_COMMAND_BEFORE_PROSE = re.compile(r"^\s*(?:R?>|\+)\s.*\)\s+(?=[^\W\d_a-z][a-z]*\s[a-z])")
_SURE_CODE = re.compile(
    r"^\s*(?:R?>|>>>|\+|\$|In \[\d+\]:)\s+(?:#|[\w.$]*\s?(?:[=(<\[]|<-)|.*[;{},]$)|[=;(].*[{}]|[{}].*[=;(]"
)
_CODE = re.compile(
    r"^\s*(?:R>|>>>|\+|\$|%|#+!?)\s"  # a prompt or a comment
    r"|<-|->\s*$|:=|==|!=|&&|\|\||::|\w\(\)|\w\$\w|\w\(\w+\s*=|[{};]\s*$"
    r"|\b(?:library|require|import|def|return|function|print|lapply|plot|SELECT|INSERT)\s*\("
)
_NOT_WORDS = re.compile(r"[=<>{}\[\]$#@\\^~|*/+_]")
_SURNAME = r"[^\W\d_a-z][\w'’-]+"
_INITIALS = r"(?:[^\W\d_a-z]\.?[-\s]?){1,4}"
_REFERENCE = re.compile(
    rf"^(?:\[?\d{{1,3}}[\].]\s*)?{_SURNAME}(?:\s{_SURNAME})?,?\s{_INITIALS}(?:,|;|&|\band\b|\(|\.|:|et al)"
)
_PUBLISHED = re.compile(
    r"\bdoi\b|\b(?:vol|pp|eds?|no|Bd|hrsg)\.|\bpp?\.\s?\d|\d+\s?\(\d+\)|\d+\s?:\s?\d+|\b\d+[-–]\d+\b|https?:|\bPress\b"
    r"|\bJournal\b|\bUniversity\b|\bReport\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d[a-z]?(?!\d)")
_AFTER_YEAR = re.compile(r"\)?\s*[:.]")
_SMALL_WORD = re.compile(r"\b[^\W\d_A-ZÀ-Þ]{2,}\b")
_BETWEEN_NAMES = frozenset(
    ["and", "und", "et", "al", "van", "von", "der", "den", "de", "la", "di", "del", "du", "ten", "ter", "zu", "eds"]
)
_CONTACT = re.compile(r"\w@\w|\b(?:tel|fax|phone|telefon|e-?mail)\b\.?:?|https?://|www\.", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[,;:.]\s")
_LEAST_WORDS = 0.35
_LEAST_DISTINCT = 0.5
_MOST_SIGNS = 0.06
_PROSE = 0.25
_LEAST_PROSE = 0.2  # of a sentence with an address in it
_LONGEST_LETTERHEAD = 25  # words; a longer text with an address is a form
_FEWEST = 4
_LONG_ENOUGH = 9
"""Words from which on a sentence in one of the page's languages has a small word."""


def is_quotable(sentence: str) -> bool:
    """Whether the sentence may answer; rows of tables may."""
    if CELL in sentence:
        return True
    if _LEADERS.search(sentence) or _SURE_CODE.search(sentence) or _is_reference(sentence):
        return False
    if _share_of_small_words(sentence) >= _PROSE:  # also a sentence about code or with a formula
        return True
    return not (_is_code(sentence) or _is_labels(sentence) or _is_letterhead(sentence))


def without_prompt(sentence: str) -> str:
    """The prose behind a command: "> plot(depth) The depth falls with time." is read as one sentence."""
    return _COMMAND_BEFORE_PROSE.sub("", sentence)


def _is_code(sentence: str) -> bool:
    return _CODE.search(sentence) is not None or len(_NOT_WORDS.findall(sentence)) > _MOST_SIGNS * len(sentence)


def _is_reference(sentence: str) -> bool:
    """An entry of a list of references: names with initials, then a year, or what it was published in."""
    year = _YEAR.search(sentence)
    if year is None or _REFERENCE.match(sentence) is None:
        return False
    words_before = set(_SMALL_WORD.findall(sentence[: year.start()]))
    is_dated_entry = words_before <= _BETWEEN_NAMES and _AFTER_YEAR.match(sentence, year.end()) is not None
    return is_dated_entry or _PUBLISHED.search(sentence) is not None


def _is_labels(sentence: str) -> bool:
    """Numbers and repeated words without a sentence around them: axes, legends, lists of contents."""
    tokens = _TOKEN.findall(sentence)
    words = [word.lower() for word in _LATIN_WORD.findall(sentence)]
    if len(words) < _LEAST_WORDS * len(tokens):
        return True
    if len(set(words)) < _LEAST_DISTINCT * len(words):
        return True
    is_plain = sentence.isascii() and _PUNCTUATION.search(sentence) is None
    return len(words) >= _LONG_ENOUGH and is_plain and EMPTY_WORDS.isdisjoint(words)


def _is_letterhead(sentence: str) -> bool:
    """An address: how to reach an office, without a sentence around it."""
    is_short = len(sentence.split()) <= _LONGEST_LETTERHEAD
    return is_short and _CONTACT.search(sentence) is not None and _share_of_small_words(sentence) < _LEAST_PROSE


def _share_of_small_words(sentence: str) -> float:
    words = [word.lower() for word in _LATIN_WORD.findall(sentence)]
    return sum(word in EMPTY_WORDS for word in words) / len(words) if len(words) >= _FEWEST else 0.0
