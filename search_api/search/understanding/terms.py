"""Which other names of a term extend a question: enough to help, few enough not to dominate."""

from __future__ import annotations

from collections.abc import Iterable

from reading.vocabulary import Label
from reading.vocabulary.vocabulary import TermMention, term_key

MOST_SYNONYMS = 10
MOST_NARROWER = 8


def widened_by(term: TermMention, language: str | None) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Synonyms and narrower names, without duplicates and without names that contain the term itself.

    Names in the question's language and in English come first (catalogues are mostly English), then one of each other
    language. Narrower names are used only in the question's language and English, and only if a concept has few of
    them: a concept with fifty kinds is too general for any eight of them.
    """
    near = {language, "en", None}
    own = [label for label in term.synonyms if label.language in near]
    foreign = {label.language: label for label in reversed(term.synonyms) if label.language not in near}
    others = sorted(foreign.values(), key=lambda label: (label.language or "", label.text))
    synonyms = _telling([*own, *others], term_key(term.text))
    narrower = _telling((label for label in term.narrower if label.language in near), term_key(term.text))
    return tuple(synonyms[:MOST_SYNONYMS]), tuple(narrower) if len(narrower) <= MOST_NARROWER else ()


def _telling(labels: Iterable[Label], term: str) -> list[Label]:
    """Each name once; "soil moisture regime" adds nothing to "soil moisture", because it contains its words."""
    kept: dict[str, Label] = {}
    for label in labels:
        key = term_key(label.text)
        if key and f" {term} " not in f" {key} ":
            kept.setdefault(key, label)
    return list(kept.values())
