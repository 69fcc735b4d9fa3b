"""Words that exist although a catalogue may have none of them: they are no typing errors."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from reading.acronyms import own_acronyms
from reading.gazetteer import fold, words
from reading.sentences import EMPTY_WORDS, SMALL_WORDS
from reading.translation import Translator
from reading.vocabulary import term_key


def is_real_word(word: str, language: str | None, translator: Translator) -> bool:
    """Whether our own lists or a loaded vocabulary have the word, in English or in the question's language.

    Small words count in each language: *hors* is no *hours*.
    """
    forms = (fold(word), term_key(word))
    return any(form in _own_words() or translator.has_word(form, language) for form in forms)


@cache
def _own_words() -> frozenset[str]:
    """Folded; the terms of the field in the singular."""
    lines = files(__package__).joinpath("real_words.txt").read_text(encoding="utf-8").splitlines()
    terms = [word for line in lines if not line.startswith("#") for word in line.split()]
    expansions = [word.folded for sense in own_acronyms().senses for word in words(sense.expansion)]
    small_words = [fold(word) for word in EMPTY_WORDS.union(*SMALL_WORDS.values())]
    return frozenset([*map(term_key, [*terms, *expansions]), *expansions, *small_words])
