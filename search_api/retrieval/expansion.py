"""Clauses for the other names of the terms in a question: they add a little, and let in what says it otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reading.vocabulary.concept import Label
from search_api.retrieval.filters import Clause
from search_api.understanding.interpretation import TermFound

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
_SYNONYM_WEIGHT = 0.3
_NARROWER_WEIGHT = 0.1
_RECORD_BOOSTS: Mapping[str, float] = {"title": 3.0, "keywords.term": 2.0, "abstract": 1.0}
_PASSAGE_BOOSTS: Mapping[str, float] = {"text": 1.0}


@dataclass(frozen=True, slots=True)
class Expansion:
    """``clauses`` score beside the question's own words. ``every`` matches where each term occurs by any of its names.

    ``every`` is None where there is no term; the question's other words (``beside``) must then occur besides.
    """

    clauses: tuple[Clause, ...] = ()
    every: Clause | None = None
    beside: str = ""


NO_EXPANSION = Expansion()


def records_expansion(terms: Sequence[TermFound], beside: str, language: str | None) -> Expansion:
    """For the fields of a record, in the language of each name."""
    return _expansion(terms, beside, language, _RECORD_BOOSTS)


def passages_expansion(terms: Sequence[TermFound], beside: str, language: str | None) -> Expansion:
    """For the text of passages."""
    return _expansion(terms, beside, language, _PASSAGE_BOOSTS)


def _expansion(terms: Sequence[TermFound], beside: str, language: str | None, boosts: Mapping[str, float]) -> Expansion:
    by_place: dict[tuple[int, int], list[TermFound]] = {}
    for term in terms:
        by_place.setdefault((term.found.start, term.found.end), []).append(term)
    if not by_place:
        return NO_EXPANSION
    clauses = []
    every = []
    for known in by_place.values():
        synonyms = _once(label for term in known for label in term.synonyms)
        narrower = _once(label for term in known for label in term.narrower)
        weighed = [_phrase(label, boosts, _SYNONYM_WEIGHT) for label in synonyms]
        weighed += [_phrase(label, boosts, _NARROWER_WEIGHT) for label in narrower]
        # One concept counts once, by its best name: a record that lists all its names is not better for it.
        clauses.append({"dis_max": {"queries": weighed}})
        itself = Label(known[0].found.text, language)
        every.append(_any([_words(itself, boosts), *(_phrase(label, boosts, 1.0) for label in synonyms)]))
    return Expansion(tuple(clauses), {"bool": {"filter": every}}, beside)


def _once(labels: Iterable[Label]) -> list[Label]:
    return list({(label.text.lower(), label.language): label for label in labels}.values())


def _any(clauses: Sequence[Clause]) -> Clause:
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _phrase(label: Label, boosts: Mapping[str, float], weight: float) -> Clause:
    return {
        "multi_match": {
            "query": label.text,
            "type": "phrase",
            "fields": _fields(boosts, label.language),
            "boost": weight,
        }
    }


def _words(label: Label, boosts: Mapping[str, float]) -> Clause:
    fields = _fields(boosts, label.language)
    return {"multi_match": {"query": label.text, "type": "cross_fields", "operator": "and", "fields": fields}}


def _fields(boosts: Mapping[str, float], language: str | None) -> list[str]:
    suffix = f".{language or 'en'}" if (language or "en") in LANGUAGES else ""
    return [f"{field}{suffix}^{boost:g}" for field, boost in boosts.items()]
