"""A text as words, and what its capitals and small words say about the names in it.

With normal capitals, a capital inside a sentence is evidence for a name; in a text all in lower case (most queries),
all in upper case or in title case it is not. The small words are those of six languages, folded, without accents.
"""

from __future__ import annotations

import re
from typing import Literal

from reading.gazetteer import NameWord, words


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# One of these before a name marks it as a place ...
PLACE_PREPOSITIONS = _set(
    """in near at around across over off throughout within inside along toward towards from for between and
    en a au aux dans pres sur vers em no na nos nas perto nel nella nei nelle presso vicino
    bei nahe im aus um uber cerca"""
)
# ... and these do so even if the name is also an ordinary word ("in Nice", "near Reading").
STRICT_PREPOSITIONS = PLACE_PREPOSITIONS - _set("for and between no na over um en sur from a")
# Skipped between preposition and name: "in the city of Mobile".
SKIPPED = _set("the greater city town state of region der die das le la les el los il lo")
# Written in lower case inside a name: "Rio de Janeiro", "Gulf of Mexico".
SMALL = _set("of the and de del della do da dos das des du la le les el los y e und am an der den i")
INSTITUTIONS = _set("university universitat universite universidad universita institute college academy")
# Parts of sea and land named after a country beside them: the Strait of Georgia is not in Georgia.
FEATURES = _set("strait straits cape bay gulf isthmus golf golfe golfo detroit")
# Alone never a name, although provinces have these names.
DIRECTIONS = _set(
    """north south east west northern southern eastern western northeast northwest southeast southwest central
    nord sud ost norden suden osten westen est ouest norte sur este oeste sul leste ovest
    septentrional septentrionale settentrionale setentrional meridional meridionale oriental orientale occidental
    occidentale ocidental centrale"""
)
STORMS = _set("hurricane cyclone typhoon storm")  # named like people, and some of these like cities


Style = Literal["mixed", "plain"]

_JOIN = re.compile(r"[ \t]+|[ \t]?[-‐–'’][ \t]?|\.[ \t]?|[ \t]*\n[ \t]*")
_SENTENCE_END = re.compile(r"[.!?:]\s*$")
_FEATURE = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(FEATURES))})\s(?:of|de|von|di)\s(?:the\s|la\s)?$", re.IGNORECASE)
_LONGEST_FEATURE = 24  # characters
_MOST_SKIPPED = 6  # "in the greater city of the town of"
_TITLE_SHARE = 0.8
_ACRONYM_LETTERS = range(3, 6)


def after_feature(before: str) -> bool:
    """Whether the text ends with a part of sea or land that is named after the next word: "Strait of [Georgia]"."""
    return _FEATURE.search(before[-_LONGEST_FEATURE:]) is not None


class TextWords:
    """A text as words, and the meaning of its capitals."""

    def __init__(self, text: str, *, capitals_mean_names: bool) -> None:
        self.text = text
        self._capitals_mean_names = capitals_mean_names
        self.words: list[NameWord] = words(text)
        self.shouts = text.isupper()
        self.style: Style = "plain" if text == text.lower() or self.shouts or self._is_title() else "mixed"

    def _is_title(self) -> bool:
        """Whether nearly all longer words start with a capital, so that capitals mean nothing."""
        long = [word for word in self.words if len(word.text) > 3]
        capital = sum(word.text[0].isupper() for word in long)
        return len(long) >= 4 and capital >= _TITLE_SHARE * len(long)

    def between(self, number: int) -> str:
        """The text between a word and the next."""
        return self.text[self.words[number].end : self.words[number + 1].start]

    def reach(self, first: int, most: int) -> int:
        """How many words from this one on can be one name, at most ``most``: commas and brackets end it."""
        length = min(1, most)
        while length < most and first + length < len(self.words):
            gap = self.between(first + length - 1)
            if not _JOIN.fullmatch(gap) or (gap[0] == "." and len(self.words[first + length - 1].text) > 3):
                break
            length += 1
        return length

    def starts_sentence(self, number: int) -> bool:
        before = self.words[number - 1].end if number else 0
        return number == 0 or _SENTENCE_END.search(self.text, before, self.words[number].start) is not None

    def capital(self, first: int, last: int) -> bool:
        """Whether every word has a capital, in a text where that means something."""
        if self.style == "plain" or not self._capitals_mean_names or (self.starts_sentence(first) and first == last):
            return False
        return all(w.text[0].isupper() or w.folded in SMALL for w in self.words[first : last + 1])

    def is_other_name(self, first: int, last: int) -> bool:
        """Whether the name is part of an institution's or a storm's name, or an acronym (PISA in a text with
        capitals).
        """
        return (
            self._is_acronym(first, last)
            or self._is_institution(first, last)
            or self._is_storm(first)
            or after_feature(self.text[: self.words[first].start])
        )

    def _is_acronym(self, first: int, last: int) -> bool:
        word = self.words[first].text
        return (
            first == last
            and self.style == "mixed"
            and word.isupper()
            and len(word) in _ACRONYM_LETTERS
            and word != "USA"
        )

    def _is_institution(self, first: int, last: int) -> bool:
        """ "University of Alabama", "Yale University", "Colorado State University"."""
        before = [word.folded for word in self.words[max(0, first - 2) : first]]
        after = [word.folded for word in self.words[last + 1 : last + 3]]
        if len(before) == 2 and before[1] in ("of", "de", "di") and before[0] in INSTITUTIONS:
            return True
        return after[:1] != [] and (after[0] in INSTITUTIONS or (after[0] == "state" and after[-1] in INSTITUTIONS))

    def _is_storm(self, first: int) -> bool:
        return first > 0 and self.words[first - 1].folded in STORMS

    def after_preposition(self, first: int, *, strict: bool = False) -> bool:
        """Whether a preposition of place precedes, ignoring articles and similar words in between."""
        at, last = first - 1, max(-1, first - 1 - _MOST_SKIPPED)
        while at > last and self.words[at].folded in SKIPPED:
            at -= 1
        wanted = STRICT_PREPOSITIONS if strict else PLACE_PREPOSITIONS
        return at >= 0 and self.words[at].folded in wanted
