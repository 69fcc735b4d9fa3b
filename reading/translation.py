"""Reads the terms of the field in German, French, Spanish, Italian and Portuguese, and says them in English.

The names are those of ``translations.tsv``, our own table, and of the vocabularies. Words that neither has keep their
form: most are names. A word of the table with a hyphen before it is only the end of German compounds
(*Kohlendioxidfluss*).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.resources import files

from reading.concepts import Concept
from reading.gazetteer import NameWord, words
from reading.sentences import EMPTY_WORDS, JOINING_WORDS, LANGUAGES, SMALL_WORDS, word_set
from reading.time_words import MONTHS

_ENGLISH, _GERMAN = "en", "de"
_FOREIGN = tuple(code for code in LANGUAGES if code != _ENGLISH)
_LONGEST = 300  # characters; a longer text is not a question
_SHORTEST, _SURE = 5, 7  # letters of a foreign word alone, and of one beside words that nobody knows
_SHORTEST_PART, _SHORTEST_COMPOUND, _MOST_PARTS = 3, 7, 4  # letters of German compounds
_LINKS = ("", "s", "es", "n", "en", "er", "e")  # between the parts of a German compound
_ENDINGS = {
    "de": ("ern", "en", "er", "em", "es", "e", "n", "s"),
    "fr": ("ees", "ee", "es", "s", "x", "e"),
    "es": ("es", "as", "os", "a", "o", "e"),
    "it": ("a", "e", "i", "o"),
    "pt": ("oes", "ao", "es", "as", "os", "a", "o", "e"),
}
_SHORTEST_STEM = 4
_VOWELS = frozenset("aeiou")
# What follows is said first in English: "température du sol"; in German only a genitive, "Temperatur des Bodens".
_OF = word_set("de du des d del di da dei dell della delle dello degli do das dos l la le les el los las")
_OF_GERMAN = word_set("der des von vom")
_ENGLISH_ONLY = word_set("the of and with from for by at is are were what how which over between this that")
_PLURALS = (("es", ""), ("es", "is"), ("ies", "y"))  # of English, beside those that only add an "s"
_INSIDE = (".", "-", "_", "/")  # signs inside a name: PM2.5
_OWN_SMALL_WORDS = {
    code: frozenset(word for word in SMALL_WORDS[code] - SMALL_WORDS[_ENGLISH] if len(word) > 1) for code in _FOREIGN
}
"""Of each language, those that English has not."""
_REMEMBERED_STEMS = 8_192


@dataclass(frozen=True, slots=True)
class Translation:
    """Words of a text at these character offsets (end exclusive), and the same in English.

    ``words``: how many. ``is_foreign``: not written so in English too.
    """

    start: int
    end: int
    english: str
    words: int
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class ForeignText:
    """A text in another language than English. ``translations``: what is not written so in English too."""

    language: str
    translations: tuple[Translation, ...]
    translator: Translator

    def in_english(self, part: str) -> str:
        """A part of the text, without small words, in the order of English."""
        return self.translator.in_english(part, self.language)


@dataclass(frozen=True)
class Lexicon:
    """The names of one language in English, by folded name (``names``) and by stem, if a stem has one meaning.

    ``longest``: the most words of a name, by the stem of its first word.
    """

    language: str
    names: Mapping[str, str]
    stems: Mapping[str, str]
    longest: Mapping[str, int]

    @classmethod
    def of(cls, language: str, names: Mapping[str, str]) -> Lexicon:
        meanings: defaultdict[str, set[str]] = defaultdict(set)
        longest: dict[str, int] = {}
        for name, meaning in names.items():
            parts = name.split()
            meanings[_stem_key(parts, language)].add(meaning)
            first = _stem(parts[0], language)
            longest[first] = max(len(parts), longest.get(first, 0))
        stems = {stem: next(iter(found)) for stem, found in meanings.items() if len(found) == 1}
        return cls(language, names, stems, longest)

    def completed(self, names: Mapping[str, str]) -> Lexicon:
        """With the names that it does not know yet."""
        new = {name: meaning for name, meaning in names.items() if self.meaning(name.split()) is None}
        return Lexicon.of(self.language, {**self.names, **new}) if new else self

    def meaning(self, folded: Sequence[str]) -> str | None:
        """Of these folded words together. A stem of several meanings, or without an ending, says nothing."""
        key = " ".join(folded)
        if (meaning := self.names.get(key)) is not None:
            return meaning
        stem = _stem_key(folded, self.language)
        return self.names.get(stem) or self.stems.get(stem) if stem != key else None

    @cached_property
    def words(self) -> frozenset[str]:
        """Of all names, folded."""
        return _words_of(self.names)

    def exact_names(self, text: str, found: Sequence[Translation]) -> int:
        """How many are names as they are written here, not only by their stems."""
        return sum(_key(text[translation.start : translation.end]) in self.names for translation in found)

    def compound(self, word: str, most: int = _MOST_PARTS) -> list[str] | None:
        """The parts of a German compound in English, the fewest of them."""
        whole = self.meaning([f"-{word}"]) or self.meaning([word])
        if whole is not None:
            return [whole]
        best: list[str] | None = None
        for length in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1) if most > 1 else ():
            if (first := self._first_part(word[:length])) is not None:
                others = self.compound(word[length:], (most if best is None else len(best) - 1) - 1)
                best = best if others is None else [first, *others]
        return best

    def _first_part(self, word: str) -> str | None:
        """A part before another one, with or without the letters that link them."""
        for link in _LINKS:
            name = word.removesuffix(link)
            if word.endswith(link) and len(name) >= _SHORTEST_PART and name in self.names:
                return self.names[name]
        return self.stems.get(word) if len(word) >= _SHORTEST_STEM else None


@dataclass(frozen=True)
class Translator:
    """``english``: the folded words of the English names. Immutable and thread-safe."""

    lexicons: Mapping[str, Lexicon]
    english: frozenset[str]

    @classmethod
    def of(cls, concepts: Iterable[Concept]) -> Translator:
        """Of several meanings of a name, the first counts; the table before the concepts, whose names are looser."""
        own, names = _own_translator(), _names_by_language(_of_concepts(concepts))
        lexicons = {code: lexicon.completed(names[code]) for code, lexicon in own.lexicons.items()}
        return cls(lexicons, own.english | _words_of(names[_ENGLISH]))

    def has_word(self, folded: str, language: str | None) -> bool:
        """Whether a name in English or in this language has the word."""
        lexicon = self.lexicons.get(language or _ENGLISH)
        return folded in self.english or (lexicon is not None and folded in lexicon.words)

    def read(self, text: str, detected: str | None = None) -> ForeignText | None:
        """The text in the language whose words of the field it has; None if it has none or may be English.

        ``detected``: the language by its letters, which decides if the words are few.
        """
        if len(text) > _LONGEST:
            return None
        text_words = words(text)
        letters = [word for word in text_words if word.text.isalpha()]
        is_code = len(letters) == 1 and letters[0].text.isupper()  # METEO-10
        if is_code or not _ENGLISH_ONLY.isdisjoint([word.folded for word in text_words]):
            return None
        typed = [word.text for word in text_words]
        small = {code: len([word for word in typed if word in _OWN_SMALL_WORDS[code]]) for code in _FOREIGN}
        by_language = {code: self._found(text, text_words, code) for code in _FOREIGN}
        if not any(small.values()) and not any(by_language.values()):
            return None  # as most English questions, without a comparison of languages
        best = min(
            _FOREIGN,
            key=lambda code: (
                -_weight(by_language[code]),
                -small[code],
                -len(SMALL_WORDS[code].intersection(typed)),  # also those that English has: "no inverno"
                -self.lexicons[code].exact_names(text, by_language[code]),
                code != detected,
            ),
        )
        found = by_language[best]
        if not self._is_foreign(text_words, found, is_detected=detected == best, has_small=small[best] > 0):
            return None
        return ForeignText(best, tuple(translation for translation in found if translation.is_foreign), self)

    def find(self, text: str, language: str) -> list[Translation]:
        """What is known in that language, in text order: the longest name at each word."""
        return self._found(text, words(text), language)

    def _found(self, text: str, text_words: Sequence[NameWord], language: str) -> list[Translation]:
        found, position, lexicon = [], 0, self.lexicons[language]
        while position < len(text_words):
            translation = self._entry_at(text, text_words, position, lexicon)
            found += [translation] if translation else []
            position += translation.words if translation else 1
        return found

    def in_english(self, text: str, language: str) -> str:
        """The text without small words, what is known in English, in the order of English."""
        of = _OF_GERMAN if language == _GERMAN else _OF
        runs: list[list[list[str]]] = [[[]]]  # runs of segments, which "of" joins
        for sign, part, is_known in self._parts(text, language):
            is_small = not is_known and part.lower() in EMPTY_WORDS
            if is_small and part.lower() in of:
                runs[-1].append([])
            elif is_small:
                runs.append([[]])
            elif sign in _INSIDE and not is_known and runs[-1][-1]:
                runs[-1][-1][-1] += f"{sign}{part}"
            else:
                runs += [[[]]] if sign.strip(" \t\n'’-") else []
                runs[-1][-1].append(part)
        return " ".join(part for run in runs for part in _reordered(run, language))

    def _parts(self, text: str, language: str) -> Iterator[tuple[str, str, bool]]:
        """The signs before each word or known name, what it is in English, and whether it is known."""
        by_start = {translation.start: translation for translation in self.find(text, language)}
        end = 0
        for word in words(text):
            if word.start >= end:
                translation = by_start.get(word.start)
                yield text[end : word.start], translation.english if translation else word.text, translation is not None
                end = translation.end if translation else word.end

    def _entry_at(
        self, text: str, text_words: Sequence[NameWord], position: int, lexicon: Lexicon
    ) -> Translation | None:
        first = text_words[position]
        if first.text.isupper() and len(first.text) > 1 and not text.isupper():
            return None  # a name: WALE
        longest = lexicon.longest.get(_stem(first.folded, lexicon.language), 0)
        for length in range(min(longest, len(text_words) - position), 0, -1):
            run = text_words[position : position + length]
            if length > 1 and run[-1].text.lower() in JOINING_WORDS - SMALL_WORDS[lexicon.language]:
                continue  # "Temperatur auf" is not French
            meaning = lexicon.meaning([word.folded for word in run])
            is_whole = not any(sign in text[first.start : run[-1].end] for sign in ",;:/()")
            if meaning is not None and is_whole and (length > 1 or not _is_small(first)):
                is_foreign = not all(
                    _is_small(word) or self._is_english(word.text.lower()) or _is_spelt_alike(word.text) for word in run
                )
                return Translation(first.start, run[-1].end, meaning, length, is_foreign)
        is_compound = lexicon.language == _GERMAN and len(first.text) >= _SHORTEST_COMPOUND
        if is_compound and not self._is_english_compound(first.folded):
            parts = lexicon.compound(first.folded)
            return None if parts is None else Translation(first.start, first.end, " ".join(parts), 1, True)
        return None

    def _is_foreign(
        self, text_words: Sequence[NameWord], found: Sequence[Translation], *, is_detected: bool, has_small: bool
    ) -> bool:
        """Whether enough words are foreign: beside unknown words they need more letters, or other signs of a language,
        and beside English words both its small words and its letters.
        """
        foreign = [translation for translation in found if translation.is_foreign]
        ranges = [(translation.start, translation.end) for translation in found]
        letters = [word for word in text_words if word.text.isalpha() and not _is_small(word)]
        letters = [word for word in letters if word.text.lower() not in MONTHS]
        others = [word for word in letters if not any(a <= word.start < b for a, b in ranges)]
        longest = max((translation.end - translation.start for translation in foreign), default=0)
        if any(self._is_english(word.folded) for word in others):
            return is_detected and (has_small or longest >= _SURE)
        is_accented = any(not word.text.isascii() for word in letters if word not in others)
        if is_detected or has_small or is_accented:
            return longest > 0
        small_letters = [word for word in letters if word.text.islower()]
        in_small_letters = any(word.start == translation.start for word in small_letters for translation in foreign)
        if in_small_letters and all(word.text[0].isupper() for word in others):
            return longest >= _SHORTEST  # beside it are only names: "nieve Chile"
        if not others:  # beside small letters a capital is as likely a name: "Moore tornado"
            return longest >= (_SURE if small_letters else _SHORTEST)
        is_sure = longest >= _SURE or len(foreign) > 1
        return is_sure and len(others) <= sum(translation.words for translation in found)

    def _is_english_compound(self, word: str) -> bool:
        """Whether it is one English word, or two joined: *ozonesondes*."""
        splits = range(_SHORTEST_STEM, len(word) - _SHORTEST_STEM + 1)
        return self._is_english(word) or any(
            self._is_english(word[at:]) and self._is_english(word[:at]) for at in splits
        )

    def _is_english(self, word: str) -> bool:
        singulars = (word, word.removesuffix("s"), *(f"{word.removesuffix(plural)}{end}" for plural, end in _PLURALS))
        return any(form in self.english for form in singulars)


def _is_spelt_alike(word: str) -> bool:
    """Whether English probably has the same word: a Latin noun without an accent: *dispersion*, no *Konvektion*."""
    return word.isascii() and word.lower().endswith(("sion", "tion")) and "k" not in word.lower()


def _weight(found: Sequence[Translation]) -> int:
    return sum([translation.words for translation in found if translation.is_foreign])


def _is_small(word: NameWord) -> bool:
    return word.text.lower() in EMPTY_WORDS or len(word.text) == 1


def _reordered(run: list[list[str]], language: str) -> Iterator[str]:
    for segment in reversed(run):
        yield from segment if language == _GERMAN else reversed(segment)


def _of_concepts(concepts: Iterable[Concept]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The English name of each concept, and its names by language."""
    for concept in concepts:
        labels = [(label.language or _ENGLISH, label.text) for label in concept.labels]
        english = next((text for code, text in labels if code == _ENGLISH), None)
        if english is not None:
            yield english, labels


def _own_table() -> tuple[tuple[str, list[tuple[str, str]]], ...]:
    """As ``_of_concepts``."""
    header, *lines = files(__package__).joinpath("translations.tsv").read_text(encoding="utf-8").splitlines()
    codes, rows = header.split("\t"), [line.split("\t") for line in lines]
    return tuple(
        (row[0], [(code, name) for code, cell in zip(codes, row, strict=True) for name in cell.split(";")])
        for row in rows
    )


def _names_by_language(rows: Iterable[tuple[str, list[tuple[str, str]]]]) -> dict[str, dict[str, str]]:
    """The English of each folded name, by language; the names of English with their accents too."""
    names: dict[str, dict[str, str]] = {code: {} for code in LANGUAGES}
    for meaning, labels in rows:
        for code, label in labels:
            if code in names and (key := _key(label)):
                names[code].setdefault(key, meaning)
        names[_ENGLISH].setdefault(meaning.lower(), meaning)
    return names


def _words_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(word for name in names for word in name.split())


@cache
def _own_translator() -> Translator:
    names = _names_by_language(_own_table())
    return Translator({code: Lexicon.of(code, names[code]) for code in _FOREIGN}, _words_of(names[_ENGLISH]))


def is_term_of_field(word: str) -> bool:
    """Whether our own table has it as English: dust, radar."""
    return word.lower() in _own_translator().english


def _key(label: str) -> str:
    key = " ".join(word.folded for word in words(label))
    return f"-{key}" if key and label.startswith("-") else key


def _stem_key(folded: Sequence[str], language: str) -> str:
    """Articles do not count: "température de la mer" is "température mer"."""
    meaningful = [word for word in folded if word not in JOINING_WORDS or len(folded) == 1]
    return " ".join(_stem(word, language) for word in meaningful)


@lru_cache(_REMEMBERED_STEMS)
def _stem(word: str, language: str) -> str:
    """Without its endings; a short word loses only the "s" of its plural."""
    for ending in _ENDINGS[language]:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return _stem(word.removesuffix(ending), language)
    return word.removesuffix("s") if len(word) >= _SHORTEST_STEM and word[-2] in _VOWELS else word
