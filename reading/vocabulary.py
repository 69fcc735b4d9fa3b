"""Finds terms of vocabularies in a text: the longest name wins, singular and plural are equal."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

from reading.concepts import Concept, Label, NamedVocabulary
from reading.gazetteer import NameWord, fold, words
from reading.sentences import EMPTY_WORDS, Range
from reading.translation import Translator

OWN_VOCABULARY = "sonde"
"""Name of the vocabulary that is part of Sonde."""

_MOST_CONCEPTS = 3  # per name and vocabulary; a name for more concepts is too general
_MOST_WORDS = 6
_SOFT = re.compile(r"[ \t\n\u00a0‐–'’-]+")
_BEFORE_DIGIT = re.compile(r"(?<=[^\W\d_])[ \t-]+(?=\d)")
_LETTERS_OR_DIGITS = re.compile(r"[^\W\d_]+|\d+")
_REMEMBERED_KEYS = 8_192
"""Of names: questions ask for the same terms, whose names in all languages are compared with each other."""
_SHORTEST_FOREIGN = 5  # letters of a single word that counts as a name in a language other than the text's


@dataclass(frozen=True, slots=True)
class TermMention:
    """A name of a concept at these character offsets (end exclusive).

    ``synonyms`` are the concept's other names in all languages, ``narrower`` the preferred names of narrower concepts;
    ``confidence`` 0..1 is lower for a name that is not the preferred one, or belongs to several concepts.
    """

    text: str
    start: int
    end: int
    vocabulary: str
    uri: str
    synonyms: tuple[Label, ...]
    narrower: tuple[Label, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class _Entry:
    vocabulary: str
    concept: Concept
    label: Label
    preferred: bool


@dataclass(frozen=True)
class Vocabulary:
    """Concepts of any number of vocabularies in one index. Immutable and thread-safe."""

    concepts: dict[tuple[str, str], Concept] = field(default_factory=dict)  # (vocabulary, URI)
    entries: dict[str, tuple[_Entry, ...]] = field(default_factory=dict)  # by term key
    longest: dict[str, int] = field(default_factory=dict)  # first word of a key -> words of the longest such key

    @classmethod
    def of(cls, vocabularies: Iterable[NamedVocabulary]) -> Vocabulary:
        """Earlier vocabularies come first if several have the same name."""
        concepts: dict[tuple[str, str], Concept] = {}
        entries: defaultdict[str, list[_Entry]] = defaultdict(list)
        for vocabulary in vocabularies:
            for concept in vocabulary.concepts:
                concepts[vocabulary.name, concept.uri] = concept
                for key, entry in _entries(vocabulary.name, concept):
                    entries[key].append(entry)
        longest_by_word: dict[str, int] = {}
        for key in entries:
            first, length = key.partition(" ")[0], 1 + key.count(" ")
            longest_by_word[first] = max(length, longest_by_word.get(first, 0))
        return cls(concepts, {key: tuple(rows) for key, rows in entries.items()}, longest_by_word)

    @cached_property
    def translator(self) -> Translator:
        """Says names of other languages in English."""
        return Translator.of(self.concepts.values())

    def preceded_by(self, first: NamedVocabulary) -> Vocabulary:
        """The same after another one. Copies the tables and reads no name of these again: .05 s for 150,000 names."""
        tables_of_first = Vocabulary.of([first])
        entries = {
            key: (*entries_of_key, *self.entries.get(key, ()))
            for key, entries_of_key in tables_of_first.entries.items()
        }
        longest_by_word = {
            word: max(length, self.longest.get(word, 0)) for word, length in tables_of_first.longest.items()
        }
        return Vocabulary(
            {**self.concepts, **tables_of_first.concepts},
            {**self.entries, **entries},
            {**self.longest, **longest_by_word},
        )

    def find(
        self, text: str, free_ranges: Sequence[Range], language: str | None = None, max_mentions: int | None = None
    ) -> list[TermMention]:
        """Terms completely inside ``free_ranges``, in text order; several vocabularies can have the same term.

        Only the first ``max_mentions`` if given. ``language`` (ISO 639-1): only names in this language and English are
        read; None if unknown.
        """
        terms: list[TermMention] = []
        all_words = words(text)
        starts, ends = [word.start for word in all_words], [word.end for word in all_words]
        for first, last in free_ranges:
            range_start, end = bisect_left(starts, first), bisect_right(ends, last)
            while range_start < end and (max_mentions is None or len(terms) < max_mentions):
                length, mentions = self._mentions_at(
                    text, all_words[range_start : min(end, range_start + _MOST_WORDS)], language
                )
                terms += mentions
                range_start += length
        return terms[:max_mentions]

    def _mentions_at(
        self, text: str, next_words: list[NameWord], language: str | None
    ) -> tuple[int, list[TermMention]]:
        """The number of words to advance, and the meanings of the longest name that starts with the first word."""
        keys = [_singular(word.folded) for word in next_words]
        for length in range(min(self.longest.get(keys[0], 0), len(keys)), 0, -1):
            last = next_words[length - 1]
            matched_text = text[next_words[0].start : last.end]
            marks = _marks(text, next_words[:length])
            entries_by_concept: dict[tuple[str, str], _Entry] = {}  # one for each concept
            for entry in self.entries.get(" ".join(keys[:length]), ()):
                if _is_plausible(entry, matched_text, language) and _has_marks(entry.label.text, marks):
                    entries_by_concept.setdefault((entry.vocabulary, entry.concept.uri), entry)
            if entries_by_concept:
                end = last.end + (
                    text[last.end : last.end + 1] == ")" and "(" in matched_text and ")" not in matched_text
                )
                start = next_words[0].start
                return length, self._mentions(text[start:end], (start, end), entries_by_concept.values())
        return 1, []

    def _mentions(self, matched_text: str, place: Range, known: Iterable[_Entry]) -> list[TermMention]:
        by_vocabulary: defaultdict[str, list[_Entry]] = defaultdict(list)
        for entry in known:
            by_vocabulary[entry.vocabulary].append(entry)
        return [
            mention
            for entries in by_vocabulary.values()
            if len(entries) <= _MOST_CONCEPTS
            for mention in [self._mention(matched_text, place, entry, len(entries)) for entry in entries]
            if mention.synonyms or mention.narrower
        ]

    def _mention(self, matched_text: str, place: Range, entry: _Entry, shared_count: int) -> TermMention:
        matched_key = term_key(matched_text)
        names = tuple([label for label in entry.concept.labels if term_key(label.text) != matched_key])
        narrower_concepts = [self.concepts.get((entry.vocabulary, uri)) for uri in entry.concept.narrower]
        narrower = tuple([label for concept in narrower_concepts if concept for label in _preferred_labels(concept)])
        confidence = (0.9 if entry.preferred else 0.8) - 0.15 * (shared_count - 1)
        return TermMention(
            matched_text, *place, entry.vocabulary, entry.concept.uri, names, narrower, round(confidence, 2)
        )


@lru_cache(_REMEMBERED_KEYS)
def term_key(text: str) -> str:
    """The common form of a term's spellings: folded words in the singular."""
    return _key(words(text))


def _key(run: Iterable[NameWord]) -> str:
    return " ".join([_singular(word.folded) for word in run])


def _singular(word: str) -> str:
    """By the plurals of English and the Romance languages; ``gas`` and ``species`` are unchanged."""
    if len(word) > 4 and word.endswith("ies") and word != "species":
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "ies")):
        return word[:-1]
    return word


def _entries(vocabulary: str, concept: Concept) -> Iterator[tuple[str, _Entry]]:
    """With their keys; of two names of a concept in one language with the same key, the first."""
    preferred_labels = {(label.text, label.language) for label in _preferred_labels(concept)}
    keys_found: set[tuple[str, str | None]] = set()
    for label in concept.labels:
        entry = _Entry(vocabulary, concept, label, (label.text, label.language) in preferred_labels)
        for _, run in _spellings(label.text):
            key = _key(run)
            if key and key.count(" ") < _MOST_WORDS and (key, label.language) not in keys_found:
                keys_found.add((key, label.language))
                yield key, entry


def _preferred_labels(concept: Concept) -> list[Label]:
    """The first name of each language."""
    first: dict[str | None, Label] = {}
    for label in concept.labels:
        first.setdefault(label.language, label)
    return list(first.values())


def _is_plausible(entry: _Entry, matched_text: str, language: str | None) -> bool:
    """Whether the name is in the text's language, and an abbreviation has capitals ("ET", never "et")."""
    label = entry.label
    is_too_short = matched_text.lower() in EMPTY_WORDS or (label.text.isupper() and len(label.text) <= 2)
    if is_too_short and not (matched_text == label.text and matched_text.isupper()):
        return False
    if label.language in (None, "en", language):
        return True
    return language is None and (" " in matched_text or len(matched_text) >= _SHORTEST_FOREIGN)


def _marks(text: str, run: Sequence[NameWord]) -> list[str]:
    """What is between the words, without spaces, hyphens and apostrophes."""
    return [_SOFT.sub("", text[left.end : right.start]) for left, right in pairwise(run)]


def _has_marks(label: str, marks: Sequence[str]) -> bool:
    """Whether a mark between the words is in the name too: "2,4-D" and "NO2 (tropospheric)", not "air, quality"."""
    return not any(marks) or any(
        len(run) == len(marks) + 1
        and all(not mark or mark == label_mark for mark, label_mark in zip(marks, _marks(spelling, run), strict=True))
        for spelling, run in _spellings(label)
    )


def _spellings(label: str) -> Iterator[tuple[str, list[NameWord]]]:
    """Its words; with digits apart from letters (``PM 2.5``), and without a space before them (``Nino3.4``)."""
    yield label, words(label)
    if any(character.isdigit() for character in label):
        split_words = [
            NameWord(match[0], fold(match[0]), *match.span()) for match in _LETTERS_OR_DIGITS.finditer(label)
        ]
        yield label, split_words
        without_space = _BEFORE_DIGIT.sub("", label)
        yield without_space, words(without_space)


@cache
def own_vocabulary() -> NamedVocabulary:
    """The small vocabulary that is part of Sonde (``environment.ttl``); parsed once."""
    from reading.concepts import read_files  # rdflib takes a third of a second to import

    with resources.as_file(resources.files(__package__).joinpath("environment.ttl")) as path:
        return NamedVocabulary(OWN_VOCABULARY, read_files([Path(path)]))


@cache
def only_own_vocabulary() -> Vocabulary:
    """Only Sonde's own vocabulary."""
    return Vocabulary.of([own_vocabulary()])


MOST_SYNONYMS = 10
MOST_NARROWER = 8


def names_to_add(term: TermMention, language: str | None) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Synonyms and narrower names, without duplicates and without names that contain the term itself.

    Names in the question's language and in English come first (catalogues are mostly English), then one of each other
    language. Narrower names are used only in the question's language and English, and only if a concept has few of
    them: a concept with fifty kinds is too general for any eight of them.
    """
    languages = {language, "en", None}
    labels = [label for label in term.synonyms if label.language in languages]
    foreign = {label.language: label for label in reversed(term.synonyms) if label.language not in languages}
    foreign_labels = sorted(foreign.values(), key=lambda label: (label.language or "", label.text))
    synonyms = _names_beside([*labels, *foreign_labels], term_key(term.text))
    narrower = _names_beside([label for label in term.narrower if label.language in languages], term_key(term.text))
    return tuple(synonyms[:MOST_SYNONYMS]), tuple(narrower) if len(narrower) <= MOST_NARROWER else ()


def _names_beside(labels: Iterable[Label], term: str) -> list[Label]:
    """Each name once; "soil moisture regime" adds nothing to "soil moisture", because it contains its words."""
    distinct: dict[str, Label] = {}
    for label in labels:
        key = term_key(label.text)
        if key and f" {term} " not in f" {key} ":
            distinct.setdefault(key, label)
    return list(distinct.values())
