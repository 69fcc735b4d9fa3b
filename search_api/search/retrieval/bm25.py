"""The lexical arm: BM25F over title, keywords and abstract in the question's language, and a plain folded reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.json_types import Json
from reading.concepts import Label
from search_api.search.ranking.config import Boosts, WordWeights
from search_api.search.retrieval.clauses import Clause, any_of, boosted
from search_api.search.understanding.interpretation import QueryTerm
from search_api.search.understanding.topic import without_small_words


@dataclass(frozen=True, slots=True)
class Expansion:
    """``clauses`` add to the score of the question's own words. ``all_terms`` matches if any name of each term occurs.

    ``all_terms`` is None if there is no term; the question's other words (``other_words``) must then also occur.
    """

    clauses: tuple[Clause, ...] = ()
    all_terms: Clause | None = None
    other_words: str = ""


NO_EXPANSION = Expansion()


def records_query(
    weights: WordWeights,
    fields: Boosts,
    thematic: str,
    named: str,
    language: str | None,
    identifiers: tuple[str, ...] = (),
    expansion: Expansion = NO_EXPANSION,
) -> Clause:
    """Scores records: ``thematic`` words must match somewhere, ``named`` (place and time words) only add.

    ``fields``: where. One field is searched by a ``match``, which skips what cannot be among the best; several by
    ``combined_fields``, which reads every record with one of the words.
    ``expansion``: other names of its terms, which add a little and match records without the words themselves.
    ``identifiers`` match exactly and put their record on top. With neither words nor identifiers nothing matches.
    """
    clause = _words(_Reading(weights, fields, language), thematic, named, expansion)
    if not identifiers:
        return clause
    exact: Clause = {
        "constant_score": {"filter": {"terms": {"identifiers": list(identifiers)}}, "boost": weights.identifier}
    }
    return any_of(exact, clause)


def every_word_query(
    weights: WordWeights,
    fields: Boosts,
    thematic: str,
    language: str | None,
    identifiers: tuple[str, ...] = (),
    expansion: Expansion = NO_EXPANSION,
) -> Clause:
    """A filter for records with enough of the words, or with an identifier."""
    alternatives = [_every_word(_Reading(weights, fields, language), thematic, expansion)] if thematic else []
    if identifiers:
        alternatives.append({"terms": {"identifiers": list(identifiers)}})
    return any_of(*alternatives) if alternatives else {"match_none": {}}


def passages_query(
    weights: WordWeights, thematic: str, named: str, language: str | None, expansion: Expansion = NO_EXPANSION
) -> Clause:
    """The same over the text of passages."""
    return _words(_Reading(weights, weights.passage_fields, language), thematic, named, expansion)


def cited_query(weights: WordWeights, question: str, language: str | None) -> Clause:
    """Scores the passages to cite: the whole question over text and headings."""
    reading = _Reading(weights, weights.citation_fields, language)
    return any_of(*_both_readings(reading, question))


def scoring(query: Clause) -> Clause:
    """The same scores without the condition: a record without the topic's words keeps the score of the place."""
    parts = query.get("bool", {})
    return {"bool": {"should": [*parts["must"], *parts["should"]]}} if parts.keys() == {"must", "should"} else query


@dataclass(frozen=True, slots=True)
class _Reading:
    """Fields in the question's language and in the plain folded form.

    The plain form matches words that the language's analyser would miss (names, other languages). Its weight is small,
    so that BM25F in the question's language decides the order.
    """

    weights: WordWeights
    boosts: Boosts
    language: str | None

    @property
    def fields(self) -> list[str]:
        return boosted(self.boosts, self.language or "en")

    @property
    def plain(self) -> list[str]:
        return boosted(self.boosts, None)


def _words(reading: _Reading, thematic: str, named: str, expansion: Expansion) -> Clause:
    text = thematic or named
    if not text:
        return {"match_none": {}}
    clause: Clause = {
        "bool": {"should": [*_both_readings(reading, text), *expansion.clauses], "minimum_should_match": 1}
    }
    optional = _both_readings(reading, named, reading.weights.place_and_time) if thematic and named else []
    return {"bool": {"must": [clause], "should": optional}} if optional else clause


def _both_readings(reading: _Reading, text: str, weight: float = 1.0) -> list[Clause]:
    """BM25F in the question's language and in the plain reading, whose analyser would keep small words ("de", "to")."""
    content_words = without_small_words(text)
    return [
        _scored_clause(text, reading.fields, weight),
        _scored_clause(content_words, reading.plain, weight * reading.weights.any_language),
    ]


def _scored_clause(text: str, fields: Sequence[str], weight: float) -> Clause:
    return _match_clause(text, fields, {} if weight == 1.0 else {"boost": weight})


def _match_clause(text: str, fields: Sequence[str], more: Json) -> Clause:
    if len(fields) == 1 and fields[0].endswith("^1"):
        return {"match": {fields[0].removesuffix("^1"): {"query": text, **more}}}
    return {"combined_fields": {"query": text, "fields": list(fields), **more}}


def _every_word(reading: _Reading, text: str, expansion: Expansion) -> Clause:
    """Every word of the text, or every term by any of its names and the other words."""
    alternatives = _all_of(reading, text)
    if expansion.all_terms is not None:
        rest_clauses = [{"bool": {"should": _all_of(reading, expansion.other_words)}}] if expansion.other_words else []
        alternatives.append({"bool": {"filter": [expansion.all_terms, *rest_clauses]}})
    return any_of(*alternatives)


def _all_of(reading: _Reading, text: str) -> list[Clause]:
    """Enough of the words: up to three, all of them; of more, three quarters by default. Questions in sentences also
    contain words such as "how" and "caused".
    """
    minimum: Json = {"minimum_should_match": reading.weights.minimum_should_match}
    readings = ((text, reading.fields), (without_small_words(text), reading.plain))
    return [_match_clause(text, names, minimum) for text, names in readings]


def records_expansion(
    weights: WordWeights, fields: Boosts, terms: Sequence[QueryTerm], other_words: str, language: str | None
) -> Expansion:
    """For these fields of a record, in the language of each name."""
    return _Expanding(weights, fields, language).expansion(terms, other_words)


def passages_expansion(
    weights: WordWeights, terms: Sequence[QueryTerm], other_words: str, language: str | None
) -> Expansion:
    """For the text of passages."""
    return _Expanding(weights, weights.passage_fields, language).expansion(terms, other_words)


@dataclass(frozen=True, slots=True)
class _Expanding:
    weights: WordWeights
    boosts: Boosts
    language: str | None

    def expansion(self, terms: Sequence[QueryTerm], other_words: str) -> Expansion:
        by_place: dict[tuple[int, int], list[QueryTerm]] = {}
        for term in terms:
            by_place.setdefault((term.mention.start, term.mention.end), []).append(term)
        if not by_place:
            return NO_EXPANSION
        clauses = tuple(self._other_names(group) for group in by_place.values())
        term_clauses = [self._by_any_name(group) for group in by_place.values()]
        return Expansion(clauses, {"bool": {"filter": term_clauses}}, other_words)

    def _other_names(self, terms: Sequence[QueryTerm]) -> Clause:
        """One concept counts once, by its best name: a record with all its names is not better for it."""
        narrower = _distinct([label for term in terms for label in term.narrower])
        weighted = [
            *_phrases(_synonyms(terms), self.boosts, self.weights.synonym),
            *_phrases(narrower, self.boosts, self.weights.narrower),
        ]
        return {"dis_max": {"queries": weighted}}

    def _by_any_name(self, terms: Sequence[QueryTerm]) -> Clause:
        itself = Label(terms[0].mention.text, self.language)
        return any_of(_words_of(itself, self.boosts), *_phrases(_synonyms(terms), self.boosts, 1.0))


def _synonyms(terms: Sequence[QueryTerm]) -> list[Label]:
    return _distinct([label for term in terms for label in term.synonyms])


def _distinct(labels: Iterable[Label]) -> list[Label]:
    return list({(label.text.lower(), label.language): label for label in labels}.values())


def _phrases(labels: Sequence[Label], boosts: Boosts, weight: float) -> list[Clause]:
    """Each name in the fields of its language."""
    fields = {language: boosted(boosts, language or "en") for language in {label.language for label in labels}}
    return [
        {
            "multi_match": {
                "query": label.text,
                "type": "phrase",
                "fields": fields[label.language],
                "boost": weight,
            }
        }
        for label in labels
    ]


def _words_of(label: Label, boosts: Boosts) -> Clause:
    fields = boosted(boosts, label.language or "en")
    return {"multi_match": {"query": label.text, "type": "cross_fields", "operator": "and", "fields": fields}}
