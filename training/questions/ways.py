"""The ways of making questions for a training, and all questions that they make from documents.

The questions from records use titles, keywords, sentences, places (by their usual name in the embedded gazetteer) and
periods.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from core.geo import BBox, Place
from core.ports import Embedder, LanguageModel, Vectors
from core.timespan import TimeSpan
from reading.gazetteer import Gazetteer
from training.corpora import CorpusDocument, PseudoQuestion, distinct, last_part
from training.examples import TrainingError
from training.questions.language_model import by_language_model

_KINDS = ("continent", "country", "sea", "named_region", "island", "river_basin")
_LEAST_OVERLAP = 0.4  # intersection over union from which a box gets a place's name
_TOO_WIDE_DEG = 300.0  # nobody asks for the whole world by name
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
_FEWEST_WORDS, _MOST_WORDS = 5, 40  # of a sentence that can be a question
_MOST_KEYWORDS = 3
_FEWEST_RECORDS = 2  # other ways make questions from a keyword of only one record
_COMMON = 0.15  # share of the records: a keyword in more of them (*dataset*) does not distinguish anything
_SHORTEST_KEYWORD = 3
_FIRST_YEAR = 1000  # nobody types 0800 to 0900


class BoxNames:
    """Names of boxes; the gazetteer is read on first use."""

    def __init__(self, gazetteer: Gazetteer | None = None) -> None:
        self._gazetteer = gazetteer or Gazetteer()

    def of(self, box: BBox) -> str | None:
        """The place whose box is most similar, else the only country around it, or at sea the only sea.

        None if there is none. A point in the boxes of two countries gets neither, because boxes are larger than
        countries.
        """
        if box.width_deg > _TOO_WIDE_DEG:
            return None
        intersection, box_area = self._shared(box), _area(box)
        union = self._areas + box_area - intersection
        overlap = np.where(union > 0.0, intersection / np.where(union > 0.0, union, 1.0), 0.0)
        best = int(np.argmax(overlap))
        if overlap[best] >= _LEAST_OVERLAP:
            return self._places[best].name
        countries, seas = (self._around(box, kind) for kind in ("country", "sea"))
        names = countries or seas
        return self._places[names[0]].name if len(names) == 1 else None

    def is_place(self, term: str) -> bool:
        return bool(self._gazetteer.lookup(term))

    def _around(self, box: BBox, kind: str) -> list[int]:
        return [row for row, place in enumerate(self._places) if place.kind == kind and _inside(box, place.bbox)]

    def _shared(self, box: BBox) -> NDArray[np.float64]:
        """(n,) square degrees that each place shares with the box, on either side of the antimeridian."""
        west, south, east, north = self._edges
        high = np.clip(np.minimum(north, box.north) - np.maximum(south, box.south), 0.0, None)
        wide = sum(
            np.clip(np.minimum(east, box.unrolled_east + shift) - np.maximum(west, box.west + shift), 0.0, None)
            for shift in (-360.0, 0.0, 360.0)
        )
        return np.asarray(wide * high, dtype=np.float64)

    @cached_property
    def _places(self) -> list[Place]:
        """Each named place once, by its name."""
        places: dict[str, Place] = {}
        for key in self._gazetteer.keys():  # noqa: SIM118 - no mapping
            entry = self._gazetteer.named(key)
            for place in entry.places if entry is not None else ():
                if place.kind in _KINDS and not place.estimated:
                    places.setdefault(place.name, place)
        return [places[name] for name in sorted(places)]

    @cached_property
    def _edges(self) -> tuple[NDArray[np.float64], ...]:
        boxes = [place.bbox for place in self._places]
        edges = np.array([(box.west, box.south, box.unrolled_east, box.north) for box in boxes], dtype=np.float64)
        return tuple(edges.reshape(-1, 4).T)

    @cached_property
    def _areas(self) -> NDArray[np.float64]:
        return np.array([_area(place.bbox) for place in self._places], dtype=np.float64)


def _area(box: BBox) -> float:
    return box.width_deg * box.height_deg


def _inside(box: BBox, place: BBox) -> bool:
    inside = any(
        place.west <= box.west + shift and box.unrolled_east + shift <= place.unrolled_east
        for shift in (-360.0, 0.0, 360.0)
    )
    return inside and place.south <= box.south and box.north <= place.north


def by_title(documents: Iterable[CorpusDocument]) -> Iterator[PseudoQuestion]:
    """The title as a question for the text without it."""
    for document in documents:
        if len(document.title.split()) > 1 or (document.title and document.kind == "concepts"):
            yield PseudoQuestion(document.title, document.text, "title", document)


def by_keywords(documents: Iterable[CorpusDocument], seed: int = 0) -> Iterator[PseudoQuestion]:
    """One to three of its keywords as a question for title and text; drawn by the seed and the document's id."""
    for document in documents:
        if document.keywords:
            chance = _random_of(seed, document)
            count = chance.randint(1, min(_MOST_KEYWORDS, len(document.keywords)))
            keywords = [last_part(term) for term in chance.sample(document.keywords, count)]
            yield PseudoQuestion(" ".join(keywords), document.title_and_text, "keywords", document)


def by_sentence(documents: Iterable[CorpusDocument], seed: int = 0) -> Iterator[PseudoQuestion]:
    """One sentence as a question for the title and the other sentences (inverse cloze, Lee et al., ACL 2019)."""
    for document in documents:
        sentences = sentences_of(document.text)
        fit = [row for row, text in enumerate(sentences) if _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS]
        if len(sentences) > 1 and fit:
            row = _random_of(seed, document).choice(fit)
            other_sentences = " ".join(sentences[:row] + sentences[row + 1 :])
            yield PseudoQuestion(
                sentences[row].rstrip("."), f"{document.title}\n{other_sentences}".strip(), "sentence", document
            )


def sentences_of(text: str) -> list[str]:
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def by_shared_keywords(documents: Sequence[CorpusDocument], count: int, seed: int = 0) -> Iterator[PseudoQuestion]:
    """One keyword alone as a question for every record with it: how people search a catalogue by topic.

    Wetzel and Mäs (doi:10.3390/ijgi13110380) judge keyword queries this way. The labels
    (``Candidate.labels``) show that other records with the keyword are not negatives, so a batch can
    have dozens of them. Up to ``count`` keywords of every document, rare ones more likely: weights 1 / sqrt(number of
    records with it). Drawn by the seed and the document's id.
    """
    counts = Counter(label for document in documents for label in document.labels)
    max_records = max(_FEWEST_RECORDS, _COMMON * len(documents))
    for document in documents:
        fit = [
            label
            for label in document.labels
            if len(label) >= _SHORTEST_KEYWORD and _FEWEST_RECORDS <= counts[label] <= max_records
        ]
        chance = _random_of(seed, document)
        # The largest keys of u^(1/weight) are a weighted draw without replacement (Efraimidis and Spirakis, 2006).
        keys = {label: chance.random() ** math.sqrt(counts[label]) for label in fit}
        for label in sorted(fit, key=lambda label: -keys[label])[:count]:
            yield PseudoQuestion(label, document.title_and_text, "shared keyword", document, shared=True)


def by_place_and_time(documents: Iterable[CorpusDocument], names: BoxNames, seed: int = 0) -> Iterator[PseudoQuestion]:
    """A keyword that is not a place (else the title) with the name of the place, words for the period, or both: *snow
    depth in Norway 1990 to 1999*. Drawn by the seed and the document's id. A record without a place or period that has
    a name gives no question.
    """
    for document in documents:
        chance = _random_of(seed, document)
        topics = [last_part(term) for term in document.keywords if not names.is_place(last_part(term))]
        topic = chance.choice(topics) if topics else document.title
        place = names.of(chance.choice(document.boxes)) if document.boxes else None
        time_phrase = time_words(chance.choice(document.times), chance) if document.times else None
        if place is not None and time_phrase is not None:
            place, time_phrase = chance.choice([(place, None), (None, time_phrase), (place, time_phrase)])
        place_phrase = None if place is None else chance.choice([f"in {place}", place])
        if topic and (place_phrase or time_phrase):
            question = " ".join(part for part in (topic, place_phrase, time_phrase) if part)
            yield PseudoQuestion(question, document.title_and_text, "place and time", document)


def time_words(span: TimeSpan, chance: random.Random) -> str | None:
    """``since 1990``, ``in 1998``, ``in the 1990s``, ``1990 to 1999``; None without a year of four digits."""
    first, last = (_year(edge) for edge in (span.start_iso, span.end_iso))
    if first == last is None or any(year is not None and year < _FIRST_YEAR for year in (first, last)):
        return None
    if last is None:
        return f"since {first}"
    if first is None:
        return f"until {last}"
    if first == last:
        return f"in {first}"
    if first % 10 == 0 and last == first + 9:
        return f"in the {first}s"
    return chance.choice([f"{first} to {last}", f"between {first} and {last}", f"{first}-{last}"])


def _year(iso: str | None) -> int | None:
    """The year of ``1990-01-01T00:00:00Z``; 0 for a year before 0 or after 9999, which has a sign."""
    if iso is None:
        return None
    return 0 if iso[0] in "+-" else int(iso[:4])


def _random_of(seed: int, document: CorpusDocument) -> random.Random:
    return random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated


_WORD = re.compile(r"[^\W\d_][\w'-]*")
_PART = 0.6  # share of the phrases, for each question except the first
_CLAUSE = re.compile(r"[.,;:!?()\[\]\"/]|\s-\s|\n")


@dataclass(frozen=True, slots=True)
class KeyPhrases:
    """``count`` phrases of up to ``longest`` words make one question; ``diversity`` 0 (the nearest) .. 1 (the most
    different). The first ``candidates`` different phrases of a text are considered. ``questions`` per text: the first
    uses all phrases, each further one a random part of them, so that it says the same in other words.
    """

    count: int = 3
    longest: int = 3
    diversity: float = 0.5
    candidates: int = 80
    questions: int = 1


def by_key_phrases(
    documents: Sequence[CorpusDocument], embedder: Embedder, settings: KeyPhrases = KeyPhrases(), seed: int = 0
) -> Iterator[PseudoQuestion]:
    """A question for each document with at least ``count`` phrases, best first; drawn by seed and id."""
    for document in documents:
        phrases = phrases_of(document.title_and_text, settings.longest)[: settings.candidates]
        if len(phrases) >= settings.count:
            vectors = embedder.embed([document.title_and_text, *phrases], "document")
            chance = random.Random(f"{seed}:{document.id}")  # noqa: S311 # nosec B311 - a draw to be repeated
            for part in _parts(len(phrases), settings, chance):
                rows = maximal_marginal_relevance(vectors[0], vectors[1:][part], settings.count, settings.diversity)
                question = " ".join(phrases[part[row]] for row in rows)
                yield PseudoQuestion(question, document.title_and_text, "key phrases", document)


def _parts(size: int, settings: KeyPhrases, chance: random.Random) -> Iterator[list[int]]:
    """The positions of phrases available to each question, in order."""
    yield list(range(size))
    for _ in range(settings.questions - 1):
        yield sorted(chance.sample(range(size), max(settings.count, round(_PART * size))))


def phrases_of(text: str, longest: int) -> list[str]:
    """Runs of 1..``longest`` words within a clause that neither begin nor end with a stop word, in order."""
    from spacy.lang.en.stop_words import STOP_WORDS  # seconds to import, since it brings torch

    phrases: dict[str, None] = {}
    for clause in _CLAUSE.split(text.lower()):
        words = _WORD.findall(clause)
        for start in range(len(words)):
            for end in range(start + 1, min(start + longest, len(words)) + 1):
                if words[start] not in STOP_WORDS and words[end - 1] not in STOP_WORDS:
                    phrases.setdefault(" ".join(words[start:end]))
    return list(phrases)


def maximal_marginal_relevance(text: Vectors, phrases: Vectors, count: int, diversity: float) -> list[int]:
    """Rows of the phrases: argmax (1 - diversity) cos(text, p) - diversity max cos(selected, p); ties by row.

    text: (d,), phrases: (n, d), unit norm.
    """
    similarity = phrases @ text
    rows: list[int] = [int(np.argmax(similarity))] if len(phrases) else []
    while 0 < len(rows) < min(count, len(phrases)):
        redundancy = (phrases @ phrases[rows].T).max(axis=1)
        value = (1.0 - diversity) * similarity - diversity * redundancy
        value[rows] = -np.inf
        rows.append(int(np.argmax(value)))
    return rows


Way = Literal["titles", "keywords", "sentences", "key-phrases", "place-and-time", "language-model"]
WITHOUT_A_MODEL: tuple[Way, ...] = ("titles", "keywords", "sentences", "key-phrases", "place-and-time")
"""The default: all ways that need no endpoint."""


@dataclass(frozen=True, slots=True)
class QuestionSettings:
    """``quality`` 0..3: the minimum for a language model's question, in its own judgement. ``shared_keywords``: this
    many keywords of each document are also questions for all documents with them; 0: none. ``phrase_questions``: number
    of key-phrase questions per document.
    """

    ways: tuple[Way, ...] = WITHOUT_A_MODEL
    quality: int = 1
    seed: int = 0
    shared_keywords: int = 0
    phrase_questions: int = 1


@dataclass(frozen=True, slots=True)
class QuestionModels:
    """``language_model`` None: no endpoint is configured."""

    embedder: Embedder
    language_model: LanguageModel | None = None
    names: BoxNames | None = None


def ways(text: str) -> tuple[Way, ...]:
    """A comma-separated list, or ``all``. Raises TrainingError for an unknown name."""
    all_ways: tuple[Way, ...] = get_args(Way)
    names = {part.strip() for part in text.split(",") if part.strip()}
    if names == {"all"}:
        return all_ways
    if not names or names - set(all_ways):
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(all_ways)}.")
    return tuple(way for way in all_ways if way in names)


def questions(
    documents: Sequence[CorpusDocument], settings: QuestionSettings, models: QuestionModels
) -> list[PseudoQuestion]:
    """Runs every way in turn; drops questions made from several documents.

    Raises TrainingError if a language model is required and none is configured, or it fails; its answers are stored
    (``CachedLanguageModel``).
    """
    seed = settings.seed
    phrases = KeyPhrases(questions=settings.phrase_questions)
    makers: Mapping[Way, Callable[[], Iterator[PseudoQuestion]]] = {
        "titles": lambda: by_title(documents),
        "keywords": lambda: by_keywords(documents, seed),
        "sentences": lambda: by_sentence(documents, seed),
        "key-phrases": lambda: by_key_phrases(documents, models.embedder, phrases, seed),
        "place-and-time": lambda: by_place_and_time(documents, models.names or BoxNames(), seed),
        "language-model": lambda: _by_model(documents, settings, models.language_model),
    }
    by_way = chain.from_iterable(makers[way]() for way in settings.ways)
    return list(distinct(chain(by_way, by_shared_keywords(documents, settings.shared_keywords, seed))))


def _by_model(
    documents: Sequence[CorpusDocument], settings: QuestionSettings, model: LanguageModel | None
) -> Iterator[PseudoQuestion]:
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    for pair in by_language_model(documents, model, min_quality=settings.quality, seed=settings.seed):
        yield pair.question
