"""Questions on a text's own topic that it does not answer: another year, place or variable, another unit or time step,
or a condition that it excludes. Questions with a time step, a unit or an exclusion are made with an answer too, so
that the form alone tells nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.geo import BBox
from core.timespan import TimeSpan
from reading.gazetteer import Gazetteer
from reading.places import PlaceReader
from training.corpora import CorpusDocument
from training.examples import Example, LabelledPair
from training.hard_negatives import disjoint, words

_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d(?=s?\b)")
_NEAREST_YEARS, _FARTHEST_YEARS = 3, 40  # from the text's own period
_TRIES = 12
_STEPS = ("hourly", "daily", "weekly", "monthly", "annual")
_UNIT_FAMILIES = (("km", "m", "cm", "mm"), ("hPa", "kPa"), ("degrees", "minutes"), ("kg", "g"), ("hours", "days"))
_MEASURE = re.compile(rf"(?<![\w.])(\d+(?:\.\d+)?)[ -]?({'|'.join(unit for f in _UNIT_FAMILIES for unit in f)})\b")
_MOST_TOPIC_WORDS = 8
_SHORTEST_TOPIC = 4


@dataclass(frozen=True, slots=True)
class OtherTexts:
    """What the other texts of a catalogue are about: names of places with their boxes, keywords, the last year."""

    places: tuple[tuple[str, BBox], ...]
    topics: tuple[str, ...]
    last_year: int


class UnanswerableTwins:
    """Makes the pairs of a catalogue's examples; the seed and the example's id decide the draws."""

    def __init__(
        self,
        examples: Sequence[Example],
        documents: Iterable[CorpusDocument],
        seed: int = 0,
        reader: PlaceReader | None = None,
    ) -> None:
        """``documents``: those that the examples were made of, for their periods and boxes; may be empty."""
        self._seed = seed
        self._reader = reader or PlaceReader(Gazetteer())
        self._documents = {document.id: document for document in documents}
        self._examples = examples
        self._other_texts = self._read_other_texts()

    def pairs(self) -> list[LabelledPair]:
        """The twin of each question (with another year, place or variable), if it has one; then for each text the
        questions with a time step, a unit or an exclusion, with and without an answer.
        """
        pairs = [pair for example in self._examples for pair in self._twins(example)]
        by_text = {example.positive.id: example for example in reversed(self._examples)}
        return [*pairs, *(pair for example in by_text.values() for pair in self._forms(example))]

    def _read_other_texts(self) -> OtherTexts:
        places: dict[str, BBox] = {}
        for example in self._examples:
            for mention in self._reader.read(example.question):
                places.setdefault(mention.text, mention.place.bbox)
        labels = {label for example in self._examples for label in example.positive.labels}
        topics = {label for label in labels if len(label) >= _SHORTEST_TOPIC and not self._is_place(label)}
        years = [int(year) for example in self._examples for year in _YEAR.findall(example.question)]
        return OtherTexts(tuple(sorted(places.items())), tuple(sorted(topics)), max(years, default=0))

    def _is_place(self, label: str) -> bool:
        return any(mention.text == label for mention in self._reader.read(label))

    def _twins(self, example: Example) -> Iterator[LabelledPair]:
        chance = self._chance(example)
        changes: dict[str, Callable[[Example, random.Random], str | None]] = {
            "another year": self._another_year,
            "another place": self._another_place,
            "another variable": self._another_variable,
        }
        for origin, change in changes.items():
            question = change(example, chance)
            if question is not None:
                yield _pair(example, question, origin, answers=False)

    def _another_year(self, example: Example, chance: random.Random) -> str | None:
        """All years of the question moved by the same number, to a time that the text neither covers nor names."""
        years = [int(year) for year in _YEAR.findall(example.question)]
        document = self._documents.get(example.positive.id)
        own_years = [*map(int, _YEAR.findall(example.positive.text)), *_years(document.times if document else ())]
        if not years or not own_years or (document is not None and any(_is_open(span) for span in document.times)):
            return None
        nearby_years = range(min(own_years) - _NEAREST_YEARS, max(own_years) + _NEAREST_YEARS + 1)
        for _ in range(_TRIES):
            shift = chance.choice((-1, 1)) * chance.randint(_NEAREST_YEARS, _FARTHEST_YEARS)
            if max(years) + shift <= self._other_texts.last_year and not any(
                year in nearby_years for year in range(min(years) + shift, max(years) + shift + 1)
            ):
                return _moved(example.question, shift)
        return None

    def _another_place(self, example: Example, chance: random.Random) -> str | None:
        """The question's first place, replaced by one that the text neither names nor touches."""
        mentions = [mention for mention in self._reader.read(example.question) if mention.source == "gazetteer"]
        if not mentions:
            return None
        mention, document = mentions[0], self._documents.get(example.positive.id)
        boxes = (mention.place.bbox, *(document.boxes if document is not None else ()))
        text = example.positive.text.casefold()
        names = [
            name
            for name, box in self._other_texts.places
            if name.casefold() not in text and all(disjoint((own_box,), (box,)) for own_box in boxes)
        ]
        if not names:
            return None
        return f"{example.question[: mention.start]}{chance.choice(names)}{example.question[mention.end :]}"

    def _another_variable(self, example: Example, chance: random.Random) -> str | None:
        """A keyword of the text in the question, replaced by one of another text that shares no word with this one."""
        labels = sorted(self._topics_of(example), key=len, reverse=True)
        names = (re.search(rf"\b{re.escape(label)}\b", example.question, re.IGNORECASE) for label in labels)
        name = next((name for name in names if name is not None), None)
        topic = self._foreign_topic(example, chance) if name is not None else None
        if name is None or topic is None:
            return None
        return f"{example.question[: name.start()]}{topic}{example.question[name.end() :]}"

    def _topics_of(self, example: Example) -> list[str]:
        """The labels of its text that are no places."""
        return [label for label in example.positive.labels if label in self._other_texts.topics]

    def _foreign_topic(self, example: Example, chance: random.Random) -> str | None:
        own_words = {
            *words(example.positive.text),
            *(word for label in example.positive.labels for word in words(label)),
        }
        topics = self._other_texts.topics
        for topic in chance.sample(topics, min(_TRIES, len(topics))):
            if own_words.isdisjoint(words(topic)):
                return topic
        return None

    def _forms(self, example: Example) -> Iterator[LabelledPair]:
        """A time step, a unit and an exclusion, each once with an answer and once without."""
        chance = self._chance(example)
        topic = self._topic(example, chance)
        if topic is None:
            return
        for origin, right, wrong in (
            ("another time step", *_time_steps(example, topic, chance)),
            ("another unit", *_units(example, topic, chance)),
            ("excluded", *self._exclusions(example, topic, chance)),
        ):
            if right and wrong:
                yield _pair(example, right, origin, answers=True)
                yield _pair(example, wrong, origin, answers=False)

    def _topic(self, example: Example, chance: random.Random) -> str | None:
        """A keyword of the text, else its first line if that is short enough to be a title."""
        if topics := self._topics_of(example):
            return chance.choice(topics)
        title = example.positive.text.partition("\n")[0]
        return title if len(title.split()) <= _MOST_TOPIC_WORDS else None

    def _exclusions(self, example: Example, topic: str, chance: random.Random) -> tuple[str, str]:
        foreign = self._foreign_topic(example, chance)
        own_topics = [label for label in self._topics_of(example) if label != topic]
        if foreign is None or not own_topics:
            return "", ""
        word = chance.choice(("without", "not", "excluding"))
        return f"{topic} {word} {foreign}", f"{topic} {word} {chance.choice(own_topics)}"

    def _chance(self, example: Example) -> random.Random:
        return random.Random(f"{self._seed}:{example.id}")  # noqa: S311 # nosec B311 - a draw to be repeated


def _moved(question: str, years: int) -> str:
    return _YEAR.sub(lambda match: str(int(match[0]) + years), question)


def _time_steps(example: Example, topic: str, chance: random.Random) -> tuple[str, str]:
    text_words = set(words(example.positive.text))
    own_steps = [step for step in _STEPS if step in text_words]
    foreign = [step for step in _STEPS if step not in text_words]
    return (
        (f"{chance.choice(own_steps)} {topic}", f"{chance.choice(foreign)} {topic}")
        if own_steps and foreign
        else ("", "")
    )


def _units(example: Example, topic: str, chance: random.Random) -> tuple[str, str]:
    """A number of the text with its unit, and with another of the same kind."""
    measures = _MEASURE.findall(example.positive.text)
    if not measures:
        return "", ""
    number, unit = chance.choice(measures)
    family = next(units for units in _UNIT_FAMILIES if unit in units)
    foreign = [other for other in family if other != unit and (number, other) not in measures]
    return (f"{topic} {number} {unit}", f"{topic} {number} {chance.choice(foreign)}") if foreign else ("", "")


def _years(spans: Iterable[TimeSpan]) -> list[int]:
    edges = [edge for span in spans for edge in (span.start_iso, span.end_iso) if edge is not None]
    return [int(edge[:4]) for edge in edges if edge[0] not in "+-"]


def _is_open(span: TimeSpan) -> bool:
    return span.start_iso is None or span.end_iso is None


def _pair(example: Example, question: str, origin: str, *, answers: bool) -> LabelledPair:
    group = example.group or example.positive.id
    return LabelledPair(question, example.positive.text, answers, group, origin, example.corpus)
