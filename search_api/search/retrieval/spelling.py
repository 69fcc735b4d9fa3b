"""Words that no record has, and the one common word that each of them surely is a typing error of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import takewhile
from string import ascii_lowercase

from rapidfuzz.distance import OSA

from core.json_types import Json, JsonMapping
from core.ports import Geocoder
from reading.gazetteer import fold
from reading.places import PlaceReader
from reading.sentences import detect_language
from search_api.search.understanding.interpretation import Interpretation, NearWord, UnknownWord
from search_api.search.understanding.understand import MOST_READ

_SHORTEST = 4
LONGEST = 40  # letters: a longer word is no typing error, and its neighbours cost seconds and hundreds of megabytes
_LONG = 8  # letters of a word that may have two errors
_SHORT = 5  # letters of a word that has many neighbours
_COMMON = 3  # records that must have the correction of a word that is not long
_FAR_MORE, _FAR_MORE_IN_SHORT = 10, 20  # times the records of a rival
_MOST_NEAR = 5
_ENDING, _STEM = 2, 4  # letters
_LEAST_LIKE_PLACE = 6  # letters of a word that may be a misspelt place of which no record writes
_AMERICAN = {
    "our": "or", "sulph": "sulf", "[ao]e": "e", "is(?=[aei])": "iz", "ys(?=[ei])": "yz", "tre(?=s?$)": "ter",
    "ogue(?=s?$)": "og", "ll(?=ed|ing|er)": "l", "inium": "inum", "grey": "gray", "ould": "old", "plough": "plow",
}  # fmt: skip
_LARGE = 0.55  # importance: countries, large regions, cities of a million


def near_words_section(words: Sequence[str]) -> Json:
    """``suggest``: the neighbours of those words that no record has. Of a known word Elasticsearch looks for none."""
    term = {"field": "words", "suggest_mode": "missing", "min_word_length": _SHORTEST, "size": _MOST_NEAR}
    kinds = {"first": {"max_edits": 1, "prefix_length": 0}, "two": {"max_edits": 2, "prefix_length": 1}}
    return {
        f"{kind} {word}": {"text": word, "term": {**term, **edits}}
        for word in words
        if word.isalpha() and len(word) <= LONGEST
        for kind, edits in kinds.items()
    }


def read_unknown_word(word: str, answer: JsonMapping) -> UnknownWord:
    """The word with its neighbours; ``answer``: to a search with ``near_words_section``."""
    suggested = answer.get("suggest", {})
    options = [
        option
        for kind in ("first", "two")
        for entry in suggested.get(f"{kind} {word}", ())
        for option in entry["options"]
    ]
    near_words = {option["text"]: NearWord(option["text"], option["freq"]) for option in options}
    return UnknownWord(word, tuple(near_words.values()))


edits = OSA.distance
"""Letters to drop, add, replace or swap with their neighbour (optimal string alignment)."""


def one_edit_away(word: str) -> frozenset[str]:
    """All texts with one letter dropped, added, replaced or swapped with its neighbour."""
    parts = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    fewer = {left + right[1:] for left, right in parts if right}
    swapped = {left + right[1] + right[0] + right[2:] for left, right in parts if len(right) > 1}
    other = {left + letter + right[drop:] for left, right in parts for letter in ascii_lowercase for drop in (0, 1)}
    return frozenset(fewer | swapped | other) - {word}


def other_spelling(unknown: UnknownWord) -> str | None:
    """The same word as the records spell it: *vapor* for *vapour*, *sulphate* for *sulfate*."""
    return next((near.text for near in unknown.near if _american(near.text) == _american(unknown.text)), None)


def _american(word: str) -> str:
    """A form to compare by: of some words it is none that anybody writes."""
    for british, form in _AMERICAN.items():
        word = re.sub(british, form, word)
    return word


def sure_correction(unknown: UnknownWord) -> str | None:
    """The nearest common word, if no other word is as near, or it is far more common than those.

    A short word has more neighbours: *walus* may be *walrus* or *walls*. Forms of one word do not compete.
    """
    word, most_edits = unknown.text, 2 if len(unknown.text) >= _LONG else 1
    by_edits = [(edits(word, near.text), -near.record_count, near.text) for near in unknown.near]
    possible = sorted(option for option in by_edits if option[0] <= most_edits)
    if not possible:
        return None
    fewest, count, best = possible[0]
    rivals = [-rival for steps, rival, text in possible if steps == fewest and not _is_form(text, best)]
    if fewest > 1 and _is_form(word, best):
        return None  # another word of the same stem: *hypsometry* is not *hypsometer*
    is_common = -count >= (1 if len(word) >= _LONG and fewest == 1 else _COMMON)
    factor = _FAR_MORE_IN_SHORT if len(word) <= _SHORT else _FAR_MORE
    return best if is_common and all(-count >= factor * rival for rival in rivals) else None


def likely_correction(unknown: UnknownWord) -> str | None:
    """The one word that has a letter more between the same ends. It may be meant where the word itself finds nothing:
    *ozne* is *ozone*.
    """
    word = unknown.text
    longer = [
        near.text
        for near in unknown.near
        if near.record_count >= _COMMON and len(near.text) == len(word) + 1 and edits(word, near.text) == 1
    ]
    possible = [text for text in longer if (text[0], text[-1]) == (word[0], word[-1])]
    return possible[0] if len(possible) == 1 else None


def _is_form(word: str, other: str) -> bool:
    """Whether they differ only in their ending."""
    stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return stem >= _STEM and max(len(word), len(other)) - stem <= _ENDING


@dataclass(frozen=True, slots=True)
class PlaceSpelling:
    """Knows which neighbours of a word are places."""

    reader: PlaceReader
    geocoder: Geocoder

    def name_around(self, text: str, start: int, end: int) -> str:
        """The name of a place that these characters are read as, or are a part of; empty if they are none."""
        mentions = self.reader.read(text, detect_language(text), MOST_READ)
        return next((mention.text for mention in mentions if mention.start <= start and end <= mention.end), "")

    def is_large(self, name: str) -> bool:
        """Whether it is the first name of a large place; a river's is that of its basin."""
        places = self.geocoder.lookup(name)[:1]
        return any(place.importance >= _LARGE and fold(place.name).removesuffix(" basin") == name for place in places)

    def near(self, word: str) -> list[str]:
        """The large places that are spelt nearly so."""
        is_read = _LEAST_LIKE_PLACE <= len(word) <= LONGEST
        return sorted(filter(self.is_large, one_edit_away(word))) if is_read else []


@dataclass(frozen=True, slots=True)
class CorrectedQuestion:
    """``pairs``: each replaced word in small letters, and its correction."""

    text: str
    pairs: tuple[tuple[str, str], ...]


def corrected_question(
    interpretation: Interpretation,
    real_words: Collection[str],
    correction_of: Callable[[UnknownWord], str | None] = sure_correction,
    places: PlaceSpelling | None = None,
) -> CorrectedQuestion | None:
    """The question with each correction; None if there is none.

    ``real_words``: unknown words that exist all the same: only their other spelling, American or British, may stand for
    them. A word in capitals inside a sentence is a typing error only
    of a place, and so is the beginning of a name, unless far more records have the correction.
    """
    text, pairs = interpretation.text, []
    for unknown in interpretation.unknown_words:
        spelling = other_spelling(unknown)
        if unknown.text in real_words and spelling is None:
            continue
        correction = spelling or correction_of(unknown)
        if correction is None or _is_name(unknown, correction, interpretation):
            correction = None if places is None else _place_correction(unknown, text, places)
        if correction is not None:
            pairs.append((unknown.text, correction))
            text = _replaced(text, unknown.text, correction)
    return CorrectedQuestion(text, tuple(pairs)) if pairs and text != interpretation.text else None


def _place_correction(unknown: UnknownWord, text: str, places: PlaceSpelling) -> str | None:
    """The one neighbour that is a place where the word is; of several, the one that far more records have.

    Large places of which no record writes are neighbours only if the records have no other. A name of the gazetteer is
    no error, even where it is also a word and therefore not read as a place.
    """
    if places.geocoder.lookup(unknown.text):
        return None
    near = {word.text: word.record_count for word in unknown.near if edits(unknown.text, word.text) == 1}
    counts: dict[str, int] = {}
    longer: set[str] = set()
    for name in near or places.near(unknown.text):
        corrected = _replaced(text, unknown.text, name)
        match = _without_case(name).search(corrected)
        place = "" if match is None else places.name_around(corrected, *match.span())
        is_longer = len(place) > len(name)
        if place and (is_longer or near.get(name, 0) >= _COMMON or places.is_large(name)):
            counts[name] = near.get(name, 0)
            longer.update([name] if is_longer else ())
    best, *rivals = sorted(counts, key=lambda name: -counts[name]) or [""]
    is_alone = all(counts[best] >= _FAR_MORE * max(counts[rival], 1) for rival in rivals)
    return best if best and is_alone and (best in longer or _is_sure_place(unknown.text, best, places)) else None


def _is_sure_place(word: str, name: str, places: PlaceSpelling) -> bool:
    """Whether the word is no other place, which the gazetteer lacks: Davos is not Davis, Sylt is not Silt.

    Names of small places often differ by one replaced letter, and so do short names of small and large places.
    """
    has_replaced_letter = len(name) == len(word) and sorted(name) != sorted(word)
    if len(word) <= _SHORT:
        return not has_replaced_letter and places.is_large(name)
    return not has_replaced_letter or places.is_large(name)


def _replaced(text: str, word: str, correction: str) -> str:
    """With the capital of the word inside a sentence."""
    shown = correction.capitalize() if is_name_by_capital(word, text) else correction
    return _without_case(word).sub(shown, text)


def is_name_by_capital(word: str, question: str) -> bool:
    """Whether it is written in capitals inside a question that has small letters too."""
    match = _without_case(word).search(question)
    if match is None or match[0].islower():
        return False
    return match.start() > 0 and any(letter.islower() for letter in question)


def _without_case(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)


def _is_name(unknown: UnknownWord, correction: str, interpretation: Interpretation) -> bool:
    count = next(near.record_count for near in unknown.near if near.text == correction)
    for name in interpretation.names:
        is_beginning = name.how == "beginning" and name.mention.text.lower() == unknown.text
        if is_beginning and not correction.startswith(unknown.text) and count < _FAR_MORE * name.count:
            return True
    return is_name_by_capital(unknown.text, interpretation.text)
