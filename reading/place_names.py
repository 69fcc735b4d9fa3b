"""Finds names of the gazetteer in a text: the longest match wins, and ordinary words are not places.

Countries, seas and large regions are always accepted. Cities and first-level regions need evidence: a capital (if
capitals are meaningful in the text), a preposition of place, their country after a comma, or high importance.

German joins words that other languages separate, and inflects names: Norditalien, Süddeutschlands, Nordseeküste,
italienischen, Berliner. The names inside are only candidates: the gazetteer decides whether such a place exists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from core.geo import Place
from core.ports import PlaceTagger
from reading.gazetteer import Gazetteer, GazetteerName, NameWord, fold
from reading.namesakes import is_centre_inside
from reading.place_context import SMALL, TextWords

_SHORTEST = 4  # letters of a name inside a word; "Ostern" is not an eastern "ern"
_PART = re.compile(r"(?:nordost|nordwest|südost|südwest|nord|süd|ost|west|zentral|mittel)-?", re.IGNORECASE)
_COAST = re.compile(r"küsten?$")
_AROUND = re.compile(r"(?:einzugsgebiete?|gebiete?|raum|region|becken|anrainer)s?$")
_ADJECTIVE = re.compile(r"(?:(?<=isch)|(?<=utsch))e[snrm]?$")


@dataclass(frozen=True, slots=True)
class InnerName:
    """A folded name and its characters in the text (end exclusive).

    ``is_inflected`` marks a name whose ending in the text was removed ("Berlins", "Berliner"): for large places only.
    """

    key: str
    start: int
    end: int
    is_inflected: bool


def inner_names(word: NameWord) -> Iterator[InnerName]:
    """Candidates, most likely first; none for a word that is too short or has other characters than letters."""
    if len(word.text) < _SHORTEST or not word.text.isalpha():
        return
    yield from _endings(word.text, word.start, word.end, is_whole_name=False)
    part = _PART.match(word.text)
    if part is not None:
        yield from _endings(word.text[part.end() :], word.start + part.end(), word.end, is_whole_name=True)


def _endings(text: str, start: int, end: int, *, is_whole_name: bool) -> Iterator[InnerName]:
    """``is_whole_name``: the rest of a compound, a complete name; else a word with a capital, so a noun."""
    if len(text) < _SHORTEST:
        return
    if is_whole_name:
        yield InnerName(fold(text), start, end, is_inflected=False)
    coast, around_match = _COAST.search(text), _AROUND.search(text)
    if coast is not None and coast.start() >= _SHORTEST:
        yield InnerName(fold(text[: coast.start()]), start, start + coast.start(), is_inflected=False)
    if around_match is not None and around_match.start() >= _SHORTEST:
        yield InnerName(fold(text[: around_match.start()]), start, end, is_inflected=False)
    adjective = _ADJECTIVE.search(text)
    if adjective is not None:
        yield InnerName(fold(text[: adjective.start()]), start, end, is_inflected=False)
    for suffix in ("s", "er"):
        stem = text.removesuffix(suffix)
        if (is_whole_name or text[0].isupper()) and _SHORTEST <= len(stem) < len(text):
            yield InnerName(fold(stem), start, end, is_inflected=True)


_WELL_KNOWN = 0.45  # importance of a city of about 250,000 people, or of a medium first-level region
_KNOWN_IMPORTANCE = 0.37  # about 70,000 people: enough after a preposition
_LETTERS = {"us": "u s", "uk": "u k"}  # "U.S. Virgin Islands" has four words
_SHORTEST_KEY = 2  # letters: "concerto in D"
_SELDOM_BY_CHANCE = 3  # words that spell a name: "Barrow in Furness"
_SURE_KINDS = frozenset(("continent", "country", "sea", "named_region", "island", "river_basin"))
_DOUBTED_KINDS = frozenset(("city", "region", "country"))
_DOTTED_ABBREVIATION = re.compile(r"(?<!\w)(?:[A-Z]\.){2,4}")
_CERTAIN = 0.8  # of a tagger: the most questions right, and precision as without it
_POSTAL_COUNTRIES = ("US", "CA", "AU")


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A name at these character offsets (end exclusive) and its possible places, best first.

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
    gazetteer_name: GazetteerName


class NameMatcher:
    """Finds names of the gazetteer. One text takes well under a millisecond once the gazetteer is loaded.

    ``tagger`` judges cities and regions for which the rules have no evidence; it rejects none that have it.
    """

    def __init__(self, gazetteer: Gazetteer, tagger: PlaceTagger | None = None) -> None:
        self._gazetteer = gazetteer
        self._tagger = tagger

    def find(self, text: str, language: str | None = None, max_matches: int | None = None) -> list[NameMatch]:
        """Matches in text order, without overlaps; only the first ``max_matches`` if given.

        In German (``de``) capitals are no evidence, and names are also searched inside words (if the word alone is
        evidence, also for an unknown language).
        """
        tokens = TextWords(text, capitals_mean_names=language != "de")
        matches: list[NameMatch] = []
        position = 0
        while position < len(tokens.words) and (max_matches is None or len(matches) < max_matches):
            match = self._match_at(tokens, position)
            if match is None and language in ("de", None):
                match = self._place_inside_word(tokens, position, allow_inflected=language == "de")
            if match is None:
                position += 1
            else:
                matches.append(match)
                position = match.last + 1
        return matches

    def _match_at(self, tokens: TextWords, first: int) -> NameMatch | None:
        """The longest acceptable name that starts with this word; an abbreviation precedes a name of the same
        length.
        """
        abbreviation, name = self._abbreviation(tokens, first), self._name(tokens, first)
        longer = abbreviation is None or (name is not None and name.last > abbreviation.last)
        return name if longer else abbreviation

    def _name(self, tokens: TextWords, first: int) -> NameMatch | None:
        for length, name in self._spelt(tokens, first):
            match = _Span(first, first + length - 1, name)
            in_state = self._in_state(tokens, match)
            if in_state is not None:
                return in_state
            if self._accepted(tokens, match):
                return _match(tokens, match)
        return None

    def _spelt(self, tokens: TextWords, first: int) -> Iterator[tuple[int, GazetteerName]]:
        """Every name that starts with this word, with its number of words, longest first."""
        folded = tokens.words[first].folded
        letters = _LETTERS.get(folded)
        max_words = tokens.longest_possible_name(
            first, max(1, *map(self._gazetteer.longest, (folded, "u" if letters else folded)))
        )
        words = [word.folded for word in tokens.words[first : first + max_words]]
        keys = list(accumulate(words, lambda start, word: f"{start} {word}"))
        for length in range(max_words, 0, -1):
            name = self._gazetteer.named(keys[length - 1])
            if name is None and length > 1 and letters is not None:
                name = self._gazetteer.named(" ".join([letters, *words[1:length]]))
            if name is None and length == 1 and tokens.after_preposition_of_sea(first):
                name = self._gazetteer.named(f"oceano {folded}")
            if name is not None and len(keys[length - 1]) >= _SHORTEST_KEY:
                yield length, self._with_ocean(keys[length - 1], name)

    def _with_ocean(self, key: str, name: GazetteerName) -> GazetteerName:
        """Before a city or region with the name of an ocean, the ocean: "nel Pacifico"."""
        if name.places[0].kind not in ("city", "region"):
            return name
        ocean = self._gazetteer.named(f"oceano {key}")
        return name if ocean is None else replace(name, places=(*ocean.places, *name.places))

    def _is_ocean_after_article(self, tokens: TextWords, span: _Span) -> bool:
        """Whether "del Atlántico" is the ocean, and no department."""
        folded = [word.folded for word in tokens.words[span.first : span.last + 1]]
        return len(folded) > 1 and folded[0] in SMALL and self._gazetteer.named(f"oceano {folded[-1]}") is not None

    def _place_inside_word(self, tokens: TextWords, number: int, *, allow_inflected: bool) -> NameMatch | None:
        """A name inside a German word (Norditalien, Nordseeküste; Berlins only with ``allow_inflected``)."""
        for inner_name in inner_names(tokens.words[number]):
            if inner_name.is_inflected and not allow_inflected:
                continue
            gazetteer_name = self._gazetteer.named(inner_name.key)
            if gazetteer_name is not None and _is_acceptable(inner_name, gazetteer_name):
                return replace(
                    _match(tokens, _Span(number, number, gazetteer_name)), start=inner_name.start, end=inner_name.end
                )
        return None

    def _in_state(self, tokens: TextWords, span: _Span) -> NameMatch | None:
        """A city with its state's short code, which is included in the match: "Boulder, CO", "Victoria BC"."""
        next_word = span.last + 1
        if next_word >= len(tokens.words) or tokens.between(span.last) not in (", ", ",", " "):
            return None
        if tokens.between(span.last) == " " and (tokens.is_upper_case or not tokens.starts_with_capital(span.first)):
            return None  # "soil moisture OK"
        for country in _POSTAL_COUNTRIES:
            state = self._gazetteer.abbreviation(f"{country}-{tokens.words[next_word].text}")
            places_inside = [place for place in span.gazetteer_name.places if state and _holds(state.places[0], place)]
            if places_inside:
                return _match(tokens, _Span(span.first, next_word, GazetteerName(tuple(places_inside))))
        return None

    def _is_in_other_state(self, tokens: TextWords, span: _Span) -> bool:
        """Whether a state's short code follows, and the known little place of that name is elsewhere: "Walden, CO"."""
        if not _is_little_known(span.gazetteer_name.places[0]) or span.last + 1 >= len(tokens.words):
            return False
        code = tokens.words[span.last + 1].text
        return tokens.between(span.last) in (", ", ",") and self._gazetteer.abbreviation(f"US-{code}") is not None

    def _abbreviation(self, tokens: TextWords, first: int) -> NameMatch | None:
        word = tokens.words[first]
        dotted_match = _DOTTED_ABBREVIATION.match(tokens.text, word.start)
        short_form = dotted_match[0] if dotted_match else word.text
        gazetteer_name = self._gazetteer.abbreviation(short_form)
        if (
            gazetteer_name is None
            or tokens.begins_territory(first)
            or (tokens.is_upper_case and not tokens.after_preposition(first))
        ):
            return None
        last = first
        while last + 1 < len(tokens.words) and tokens.words[last + 1].start < word.start + len(short_form):
            last += 1
        return _match(tokens, _Span(first, last, gazetteer_name))

    def _accepted(self, tokens: TextWords, span: _Span) -> bool:
        best = span.gazetteer_name.places[0]
        if best.kind in _DOUBTED_KINDS and tokens.is_other_name(span.first, span.last):
            return False
        if tokens.is_direction(span.first, span.last) or self._is_ocean_after_article(tokens, span):
            return False  # "settentrionale" is a direction, not Zambia's Northern Province
        is_qualified = self._is_qualified(tokens, span)
        if not is_qualified and (self._begins_other_name(tokens, span) or self._is_in_other_state(tokens, span)):
            return False
        capital = tokens.capital(span.first, span.last)
        if span.last - span.first >= _SELDOM_BY_CHANCE - 1:
            return True
        is_all_text = len(tokens.words) == span.last - span.first + 1
        # In "Raman lidar" it is as likely a person's name.
        lone_capital = (is_all_text or not _is_little_known(best)) and tokens.is_lone_capital(
            span.first, span.last, best.kind, may_be_surname=span.gazetteer_name.is_word
        )
        if span.gazetteer_name.is_word:
            is_evident = span.gazetteer_name.needs_capital_only and lone_capital
            return is_evident or self._word_is_place(tokens, span, capital)
        if span.gazetteer_name.is_adjective:
            is_plain_style = tokens.style == "plain" or span.gazetteer_name.is_small
            return capital or is_plain_style or tokens.starts_sentence(span.first)
        if best.kind in _SURE_KINDS or lone_capital or is_qualified:
            return True
        after_preposition = tokens.after_preposition(span.first)
        if best.importance < _WELL_KNOWN:
            is_known = best.importance >= _KNOWN_IMPORTANCE and tokens.may_be_name(span.first)
            return (after_preposition and (capital or is_known)) or self._is_tagged(tokens, span)
        evident = capital or after_preposition or span.last > span.first or is_all_text
        return evident or tokens.style == "plain" or best.importance >= 0.5 or self._is_tagged(tokens, span)

    def _is_tagged(self, tokens: TextWords, span: _Span) -> bool:
        if self._tagger is None:
            return False
        start, end = tokens.words[span.first].start, tokens.words[span.last].end
        return self._tagger.place_certainty(tokens.text, start, end) >= _CERTAIN

    def _begins_other_name(self, tokens: TextWords, span: _Span) -> bool:
        best = span.gazetteer_name.places[0]
        is_ambiguous = _is_ambiguous(span.gazetteer_name)
        return tokens.begins_other_name(span.first, span.last, best.kind, is_ambiguous=is_ambiguous) or (
            _is_little_known(best) and tokens.begins_site(span.last)
        )

    def _word_is_place(self, tokens: TextWords, span: _Span, capital: bool) -> bool:
        if not capital:
            is_name_like = tokens.words[span.first].text[0].isupper() or tokens.style == "plain"
            return is_name_like and self._is_qualified(tokens, span)
        if span.gazetteer_name.is_adjective:
            return True
        return tokens.after_preposition(span.first, strict=True) or self._is_qualified(tokens, span)

    def _is_qualified(self, tokens: TextWords, span: _Span) -> bool:
        """Whether the country or region of one of its places follows: "Mobile, Alabama", "Barrow Alaska"."""
        next_word = span.last + 1
        if next_word >= len(tokens.words) or tokens.between(span.last) not in (", ", ",", " "):
            return False
        for _, name in self._spelt(tokens, next_word):
            if name.is_adjective:
                continue
            if any(_holds(outer, inner) for outer in name.places for inner in span.gazetteer_name.places):
                return True
        state_of_code = self._gazetteer.abbreviation(tokens.words[next_word].text)
        return state_of_code is not None and any(
            _holds(state_of_code.places[0], inner) for inner in span.gazetteer_name.places
        )


def _is_acceptable(inner: InnerName, name: GazetteerName) -> bool:
    """An inflected name must be a large place and not also a word; any other may be any place except a city."""
    best = name.places[0]
    if inner.is_inflected:
        return best.importance >= _WELL_KNOWN and not (name.is_word or name.is_adjective)
    return best.kind != "city"


def _is_little_known(place: Place) -> bool:
    """Whether only a list of the world's towns has it: neither our own list nor the catalogue."""
    return place.kind == "city" and place.source == "geonames" and place.importance < _KNOWN_IMPORTANCE


def _is_ambiguous(name: GazetteerName) -> bool:
    """Whether two large places share the name, as Georgia."""
    large = [place for place in name.places if place.kind in ("country", "region")]
    return len(large) > 1 and large[0].country != large[1].country


def _holds(outer: Place, inner: Place) -> bool:
    """Whether a country or region contains a smaller place."""
    if outer.kind not in ("country", "region") or inner.kind not in ("city", "region"):
        return False
    if outer.country != inner.country or outer.bbox == inner.bbox:
        return False
    return is_centre_inside(inner.bbox, outer.bbox) and outer.bbox.width_deg > inner.bbox.width_deg


def _match(tokens: TextWords, span: _Span) -> NameMatch:
    """A small first word before a capital is no part of a town's name: "los Andes", "Los Andes"."""
    first, last = tokens.words[span.first], tokens.words[span.last]
    places = span.gazetteer_name.places
    if first.folded in SMALL and first.text.islower() and not last.text.islower():
        places = tuple(place for place in places if place.kind != "city") or places
    return NameMatch(
        start=first.start,
        end=last.end,
        first=span.first,
        last=span.last,
        places=places,
        is_adjective=span.gazetteer_name.is_adjective,
        after_preposition=tokens.after_preposition(span.first),
        capital=tokens.capital(span.first, span.last),
    )
