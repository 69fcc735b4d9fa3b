"""Clauses for the other names of a question's terms: they add a little, and match records with other words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reading.vocabulary import Label
from search_api.search.ranking.words import Boosts, WordWeights
from search_api.search.retrieval.filters import Clause
from search_api.search.retrieval.language_fields import boosted
from search_api.search.understanding.interpretation import TermFound


@dataclass(frozen=True, slots=True)
class Expansion:
    """``clauses`` score besides the question's own words. ``every`` matches if each term occurs by any of its names.

    ``every`` is None if there is no term; the question's other words (``beside``) must then also occur.
    """

    clauses: tuple[Clause, ...] = ()
    every: Clause | None = None
    beside: str = ""


NO_EXPANSION = Expansion()


def records_expansion(
    weights: WordWeights, fields: Boosts, terms: Sequence[TermFound], beside: str, language: str | None
) -> Expansion:
    """For these fields of a record, in the language of each name."""
    return _Expanding(weights, fields, language).expansion(terms, beside)


def passages_expansion(
    weights: WordWeights, terms: Sequence[TermFound], beside: str, language: str | None
) -> Expansion:
    """For the text of passages."""
    return _Expanding(weights, weights.passage_fields, language).expansion(terms, beside)


@dataclass(frozen=True, slots=True)
class _Expanding:
    weights: WordWeights
    boosts: Boosts
    language: str | None

    def expansion(self, terms: Sequence[TermFound], beside: str) -> Expansion:
        by_place: dict[tuple[int, int], list[TermFound]] = {}
        for term in terms:
            by_place.setdefault((term.found.start, term.found.end), []).append(term)
        if not by_place:
            return NO_EXPANSION
        clauses = tuple(self._other_names(known) for known in by_place.values())
        every = [self._by_any_name(known) for known in by_place.values()]
        return Expansion(clauses, {"bool": {"filter": every}}, beside)

    def _other_names(self, known: Sequence[TermFound]) -> Clause:
        """One concept counts once, by its best name: a record with all its names is not better for it."""
        narrower = _once(label for term in known for label in term.narrower)
        weighed = [_phrase(label, self.boosts, self.weights.synonym) for label in _synonyms(known)]
        weighed += [_phrase(label, self.boosts, self.weights.narrower) for label in narrower]
        return {"dis_max": {"queries": weighed}}

    def _by_any_name(self, known: Sequence[TermFound]) -> Clause:
        itself = Label(known[0].found.text, self.language)
        synonyms = (_phrase(label, self.boosts, 1.0) for label in _synonyms(known))
        return _any([_words(itself, self.boosts), *synonyms])


def _synonyms(known: Sequence[TermFound]) -> list[Label]:
    return _once(label for term in known for label in term.synonyms)


def _once(labels: Iterable[Label]) -> list[Label]:
    return list({(label.text.lower(), label.language): label for label in labels}.values())


def _any(clauses: Sequence[Clause]) -> Clause:
    return {"bool": {"should": list(clauses), "minimum_should_match": 1}}


def _phrase(label: Label, boosts: Boosts, weight: float) -> Clause:
    return {
        "multi_match": {
            "query": label.text,
            "type": "phrase",
            "fields": boosted(boosts, label.language or "en"),
            "boost": weight,
        }
    }


def _words(label: Label, boosts: Boosts) -> Clause:
    fields = boosted(boosts, label.language or "en")
    return {"multi_match": {"query": label.text, "type": "cross_fields", "operator": "and", "fields": fields}}
