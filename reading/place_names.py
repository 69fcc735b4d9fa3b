"""Names of the gazetteer in a text: the longest match wins, and ordinary words are not taken for places.

A text is judged by how it is written. With capitals used as usual, a capital inside a sentence is evidence for a
name; in a text all in lower case (most queries) or upper case it is not, and only well-known places count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from core.place import Place
from reading.gazetteer import Gazetteer, Named
from reading.gazetteer.names import Word, words

# In these languages one of these words before a name says that it is a place.
PLACE_PREPOSITIONS = frozenset(
    "in near at around across over off throughout within inside along toward towards across from for between and "
    "en à au aux dans près sur vers em no na nos nas perto nel nella nei nelle presso vicino bei nahe im aus um über cerca".split()
)
_STRICT_PREPOSITIONS = PLACE_PREPOSITIONS - frozenset("for and between no na over um en sur from".split())
_SKIPPED_BEFORE = frozenset("the greater city town state of region der die das le la les el los il lo".split())
_WELL_KNOWN = 0.45  # importance of a city of about 250,000 people, or of a first-level region of middling size
_KNOWN = 0.37  # about 70,000 people: enough after a preposition
_SURE_KINDS = frozenset(("continent", "country", "sea", "named_region", "island", "river_basin"))
_SMALL_WORDS = frozenset("of the and de del della do da dos das des du la le les el los y e und am an der an den i".split())
_JOIN = re.compile(r"[ \t]+|[ \t]?[-‐–'’][ \t]?|\.[ \t]?|[ \t]*\n[ \t]*")
_DOTTED = re.compile(r"(?<!\w)(?:[A-Z]\.){2,4}")
_SENTENCE_END = re.compile(r"[.!?:]\s*$")
_TITLE_SHARE = 0.8

Style = Literal["mixed", "plain"]


@dataclass(frozen=True, slots=True)
class Match:
    """A name at these character offsets (end exclusive) and what it may stand for, best first.

    ``first`` and ``last`` number its words in the text; ``after_preposition`` and ``capital`` are the evidence.
    """

    start: int
    end: int
    first: int
    last: int
    places: tuple[Place, ...]
    is_adjective: bool
    after_preposition: bool
    capital: bool


@dataclass(frozen=True, slots=True)
class _Span:
    """A run of words that spells a name."""

    first: int
    last: int
    named: Named


class NameMatcher:
    """Finds names of the gazetteer. One text takes well under a millisecond once the gazetteer is loaded."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer

    def find(self, text: str, language: str | None = None) -> list[Match]:
        """Matches in the order of the text, none overlapping; in German (``de``) capitals prove nothing."""
        sentence = _Sentence(text, capitals_mean_names=language != "de")
        found: list[Match] = []
        at = 0
        while at < len(sentence.words):
            match = self._at(sentence, at)
            if match is None:
                at += 1
            else:
                found.append(match)
                at = match.last + 1
        return found

    def _at(self, sentence: _Sentence, first: int) -> Match | None:
        """The longest acceptable name that starts with this word."""
        dotted = self._abbreviation(sentence, first)
        if dotted is not None:
            return dotted
        reach = min(self._gazetteer.longest(sentence.words[first].folded), sentence.reach(first))
        for length in range(reach, 0, -1):
            span = sentence.words[first : first + length]
            named = self._gazetteer.named(" ".join(word.folded for word in span))
            if named and self._accepted(sentence, _Span(first, first + length - 1, named)):
                return sentence.match(_Span(first, first + length - 1, named))
        return None

    def _abbreviation(self, sentence: _Sentence, first: int) -> Match | None:
        word = sentence.words[first]
        dotted = _DOTTED.match(sentence.text, word.start)
        written = dotted[0] if dotted else word.text
        named = self._gazetteer.abbreviation(written)
        if named is None or (sentence.shouts and not sentence.after_preposition(first)):
            return None
        last = first
        while last + 1 < len(sentence.words) and sentence.words[last + 1].start < word.start + len(written):
            last += 1
        return sentence.match(_Span(first, last, named))

    def _accepted(self, sentence: _Sentence, span: _Span) -> bool:
        best = span.named.places[0]
        capital = sentence.capital(span.first, span.last)
        if span.named.is_word:
            return self._word_is_place(sentence, span, capital)
        if span.named.is_adjective:
            return capital or sentence.style == "plain" or sentence.starts_sentence(span.first)
        if best.kind in _SURE_KINDS:
            return True
        if self._is_qualified(sentence, span):
            return True
        prepared = sentence.after_preposition(span.first)
        if best.importance < _WELL_KNOWN:
            return prepared and (capital or (sentence.style == "plain" and best.importance >= _KNOWN))
        return capital or prepared or sentence.style == "plain" or span.last > span.first or best.importance >= 0.5

    def _word_is_place(self, sentence: _Sentence, span: _Span, capital: bool) -> bool:
        if not capital:
            written = sentence.words[span.first].text[0].isupper() or sentence.style == "plain"
            return written and self._is_qualified(sentence, span)
        if span.named.is_adjective:
            return True
        return sentence.after_preposition(span.first, strict=True) or self._is_qualified(sentence, span)

    def _is_qualified(self, sentence: _Sentence, span: _Span) -> bool:
        """Whether the country or region of one of its places follows after a comma ("Mobile, Alabama")."""
        following = span.last + 1
        if following >= len(sentence.words) or "," not in sentence.between(span.last):
            return False
        reach = min(self._gazetteer.longest(sentence.words[following].folded), sentence.reach(following))
        for length in range(reach, 0, -1):
            key = " ".join(word.folded for word in sentence.words[following : following + length])
            named = self._gazetteer.named(key)
            if named and any(_holds(outer, inner) for outer in named.places for inner in span.named.places):
                return True
        short = self._gazetteer.abbreviation(sentence.words[following].text)
        return short is not None and any(_holds(short.places[0], inner) for inner in span.named.places)


def _holds(outer: Place, inner: Place) -> bool:
    """Whether a country or region is the one that a smaller place lies in."""
    if outer.kind not in ("country", "region") or inner.kind not in ("city", "region"):
        return False
    if outer.country != inner.country or outer.bbox == inner.bbox:
        return False
    longitude, latitude = inner.bbox.centre
    box = outer.bbox
    across = any(part.west <= longitude <= part.east for part in box.parts())
    return across and box.south <= latitude <= box.north and box.width_deg > inner.bbox.width_deg


class _Sentence:
    """A text as words, and what its way of writing says."""

    def __init__(self, text: str, *, capitals_mean_names: bool) -> None:
        self.text = text
        self._capitals_mean_names = capitals_mean_names
        self.words: list[Word] = words(text)
        self.shouts = text.isupper()
        self.style: Style = "plain" if text == text.lower() or self.shouts or self._is_title() else "mixed"

    def _is_title(self) -> bool:
        """A text whose longer words nearly all start with a capital says nothing by its capitals."""
        long = [word for word in self.words if len(word.text) > 3]
        capital = sum(word.text[0].isupper() for word in long)
        return len(long) >= 4 and capital >= _TITLE_SHARE * len(long)

    def between(self, number: int) -> str:
        """What stands between a word and the next."""
        return self.text[self.words[number].end : self.words[number + 1].start]

    def reach(self, first: int) -> int:
        """How many words from this one on could be one name: commas and brackets end it."""
        length = 1
        while first + length < len(self.words):
            gap = self.between(first + length - 1)
            if not _JOIN.fullmatch(gap) or (gap[0] == "." and len(self.words[first + length - 1].text) > 3):
                break
            length += 1
        return length

    def starts_sentence(self, number: int) -> bool:
        return number == 0 or _SENTENCE_END.search(self.text, 0, self.words[number].start) is not None

    def capital(self, first: int, last: int) -> bool:
        """Whether every word is written with a capital where that means something."""
        if self.style == "plain" or not self._capitals_mean_names or (self.starts_sentence(first) and first == last):
            return False
        return all(w.text[0].isupper() or w.folded in _SMALL_WORDS for w in self.words[first : last + 1])

    def after_preposition(self, first: int, *, strict: bool = False) -> bool:
        """Whether a preposition of place comes before, articles and the like between them skipped."""
        at = first - 1
        while at >= 0 and self.words[at].folded in _SKIPPED_BEFORE:
            at -= 1
        wanted = _STRICT_PREPOSITIONS if strict else PLACE_PREPOSITIONS
        return at >= 0 and self.words[at].text.lower() in wanted

    def match(self, span: _Span) -> Match:
        first, last = self.words[span.first], self.words[span.last]
        return Match(
            start=first.start,
            end=last.end,
            first=span.first,
            last=span.last,
            places=span.named.places,
            is_adjective=span.named.is_adjective,
            after_preposition=self.after_preposition(span.first),
            capital=self.capital(span.first, span.last),
        )
