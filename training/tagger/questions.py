"""Makes questions with the labels of their words, in six languages."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from core.geo import Entity
from encoders.tagger import LABELS, TAGS, tokens_of
from training.tagger.names import CatalogueNames, GazetteerNames, Half, acronyms, agencies, of_half

OUTSIDE = "O"
_LABEL_BY_SLOT = {label.lower(): label for label in LABELS} | {"direction": OUTSIDE}
_SLOT = re.compile(r"\{(\w+)\}")
_BEFORE_MARK = re.compile(r" (?=[,.])")
_LANGUAGE_WEIGHTS = {"en": 6, "de": 2, "fr": 2, "es": 2, "it": 1, "pt": 1}
_CATALOGUE_SHARE = 0.5
_SURNAME_CITY_SHARE = 0.15
_PLACE_KINDS = {"city": 45, "region": 15, "country": 18, "area": 17, "adjective": 5, "feature": 8}
_CLOSED_SLOTS = frozenset(
    (
        *("in", "and", "by", "direction", "distance", "not", "format", "licence", "person", "storm", "name"),
        *("peoples", "method", "initial", "time", "digits", "month", "month_number", "n", "decade", "year", "topic"),
    )
)

Wording = Mapping[str, Mapping[str, Sequence[str]]]
Piece = tuple[str, str]
"""A text and its label."""


@dataclass(frozen=True, slots=True)
class TaggedQuestion:
    """``words`` are the tagger's tokens; ``tags`` are positions in ``TAGS``."""

    text: str
    words: tuple[str, ...]
    tags: tuple[int, ...]
    language: str

    @property
    def entities(self) -> list[Entity]:
        """The labelled spans of the text."""
        tokens, entities = tokens_of(self.text), []
        for token, tag in zip(tokens, (TAGS[tag] for tag in self.tags), strict=True):
            if tag.startswith("B-"):
                entities.append(Entity(token.text, token.start, token.end, tag[2:]))
            elif tag.startswith("I-"):
                first = entities.pop()
                entities.append(Entity(self.text[first.start : token.end], first.start, token.end, first.label))
        return entities


@cache
def wording() -> Wording:
    """``wording.yaml``."""
    content: Wording = yaml.safe_load(resources.files(__package__).joinpath("wording.yaml").read_text("utf-8"))
    return content


class QuestionMaker:
    """Draws a frame of its half and fills its slots with names and patterns of its half."""

    def __init__(
        self,
        places: GazetteerNames,
        topics: Mapping[str, Sequence[str]],
        catalogue: CatalogueNames,
        half: Half,
        seed: int,
    ) -> None:
        self._places, self._topics = places, topics
        self._chance = random.Random(f"{seed}:{half}")  # noqa: S311 # nosec B311 - a draw to be repeated
        self._frames = _frames_of(half)
        self._patterns = {language: _patterns_of(language, half) for language in _LANGUAGE_WEIGHTS}
        self._acronyms = of_half(acronyms(), half)
        self._catalogue = {
            "person": of_half(catalogue.people, half),
            "organisation": of_half((*catalogue.organisations, *agencies()), half),
        }

    def questions(self, count: int) -> list[TaggedQuestion]:
        return [self._question() for _ in range(count)]

    def _question(self) -> TaggedQuestion:
        language = self._chance.choices(list(_LANGUAGE_WEIGHTS), list(_LANGUAGE_WEIGHTS.values()))[0]
        pieces = [
            piece
            for slot in self._chance.choice(self._frames).split(" ")
            for piece in self._filled(slot.strip("{}"), language)
        ]
        return _question_of(_cased(pieces, self._chance), language)

    def _filled(self, slot: str, language: str) -> list[Piece]:
        if slot == "place":
            return [(self._place(), "PLACE")]
        if slot == "pair":
            return self._pair()
        if slot == "peoples":
            return [(self._places.named("adjective", self._chance), "PLACE")]
        known = self._catalogue.get(slot)
        if known and self._chance.random() < _CATALOGUE_SHARE:
            return [(self._chance.choice(known), _LABEL_BY_SLOT[slot])]
        return [(self._text(slot, language), _LABEL_BY_SLOT.get(slot, OUTSIDE))]

    def _place(self) -> str:
        kind = self._chance.choices(list(_PLACE_KINDS), list(_PLACE_KINDS.values()))[0]
        return self._text(kind, "en")

    def _pair(self) -> list[Piece]:
        """A city and what is around it."""
        city = self._places.city(self._chance)
        between: list[Piece] = [(",", OUTSIDE)] if self._chance.random() < 0.3 else []
        return [(city.name, "PLACE"), *between, (self._places.outer(city, self._chance), "PLACE")]

    def _text(self, slot: str, language: str) -> str:
        """A text for the slot; a pattern's own slots are filled too."""
        if slot == "city" or (slot == "surname" and self._chance.random() < _SURNAME_CITY_SHARE):
            return self._places.city(self._chance).name
        if slot == "eponym":
            return self._places.any_city(self._chance).name
        if slot in ("region", "country", "area", "adjective"):
            return self._places.named(slot, self._chance)
        if slot == "acronym":
            return "".join(self._chance.choices("ABCDEFGHILMNOPRSTUW", k=self._chance.randint(3, 5)))
        if slot == "topic":
            return self._topic(language)
        pattern = self._chance.choice(self._patterns[language][slot])
        return _SLOT.sub(lambda inner: self._text(inner[1], language), pattern)

    def _topic(self, language: str) -> str:
        lists = (self._topics[language], self._acronyms, self._patterns[language]["topic"])
        return self._chance.choice(self._chance.choices(lists, (60, 20, 20))[0])


def _frames_of(half: Half) -> list[str]:
    """Every fourth is only measured; neighbours in the file are similar, so both halves have each kind."""
    frames = wording()["shared"]["frames"]
    return [frame for number, frame in enumerate(frames) if (number % 4 == 1) is (half == "measured")]


def _patterns_of(language: str, half: Half) -> dict[str, list[str]]:
    """The language's own and those of every language; closed classes of words are whole in both halves."""
    shared, own = wording()["shared"], wording()[language]
    patterns = {}
    for slot in {*shared, *own}:
        both = [*shared.get(slot, ()), *own.get(slot, ())]
        patterns[slot] = both if slot in _CLOSED_SLOTS else of_half(both, half)
    return patterns


def _cased(pieces: Sequence[Piece], chance: random.Random) -> list[Piece]:
    """As people type: all in small letters, as written, the first letter large, or everything large."""
    way = chance.choices(("small", "written", "first", "title", "capitals"), (55, 30, 10, 4, 1))[0]
    if way == "small":
        return [(text.lower(), label) for text, label in pieces]
    if way == "title":
        return [(text.title(), label) for text, label in pieces]
    if way == "capitals":
        return [(text.upper(), label) for text, label in pieces]
    first, label = pieces[0]
    return [(first[:1].upper() + first[1:], label), *pieces[1:]] if way == "first" else list(pieces)


def _question_of(pieces: Sequence[Piece], language: str) -> TaggedQuestion:
    words: list[str] = []
    tags: list[int] = []
    for text, label in pieces:
        tokens = [token.text for token in tokens_of(text)]
        words += tokens
        if label == OUTSIDE:
            tags += [0] * len(tokens)
        else:
            tags += [TAGS.index(f"{'I' if number else 'B'}-{label}") for number in range(len(tokens))]
    text = _BEFORE_MARK.sub("", " ".join(text for text, _ in pieces))
    return TaggedQuestion(text, tuple(words), tuple(tags), language)
