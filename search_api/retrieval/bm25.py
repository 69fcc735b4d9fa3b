"""The lexical arm: BM25F over title, keywords and abstract in the question's language, and a plain folded reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from search_api.ranking.words import Boosts, WordWeights
from search_api.retrieval.expansion import NO_EXPANSION, Expansion
from search_api.retrieval.filters import Clause
from search_api.retrieval.language_fields import boosted
from search_api.understanding.topic import without_small_words

ALL_WORDS = "all_words"
"""Name of the clause that matches if enough of the question's words occur; read back as a matched query."""

NAMED_IN_TITLE, NAMED = "named_in_title", "named"
"""Names of the clauses that match if a record names the asked place; read back as matched queries too."""


def records_query(
    weights: WordWeights,
    thematic: str,
    named: str,
    language: str | None,
    identifiers: tuple[str, ...] = (),
    expansion: Expansion = NO_EXPANSION,
    places: Sequence[str] = (),
) -> Clause:
    """Scores records: ``thematic`` words must match somewhere, ``named`` (place and time words) only add.

    ``places`` (names of the asked places) have no score, but show which records name them.

    ``expansion``: other names of its terms, which add a little and match records without the words themselves.
    ``identifiers`` match exactly and put their record on top. With neither words nor identifiers nothing matches.
    """
    clause = _words(_Reading(weights, weights.record_fields, language), thematic, named, expansion, _naming(places))
    if not identifiers:
        return clause
    exact: Clause = {
        "constant_score": {
            "filter": {"terms": {"identifiers": list(identifiers)}},
            "boost": weights.identifier,
            "_name": ALL_WORDS,
        }
    }
    return {"bool": {"should": [exact, clause], "minimum_should_match": 1}}


def every_word_query(
    weights: WordWeights,
    thematic: str,
    language: str | None,
    identifiers: tuple[str, ...] = (),
    expansion: Expansion = NO_EXPANSION,
) -> Clause:
    """A filter for records with enough of the words, or with an identifier: the condition of ``ALL_WORDS``."""
    either = [_every_word(_Reading(weights, weights.record_fields, language), thematic, expansion)]
    if identifiers:
        either.append({"terms": {"identifiers": list(identifiers)}})
    return {"bool": {"should": either, "minimum_should_match": 1}}


def passages_query(
    weights: WordWeights, thematic: str, named: str, language: str | None, expansion: Expansion = NO_EXPANSION
) -> Clause:
    """The same over the text of passages."""
    return _words(_Reading(weights, weights.passage_fields, language), thematic, named, expansion)


def cited_query(weights: WordWeights, question: str, language: str | None) -> Clause:
    """Scores the passages to cite: the whole question over text and headings."""
    reading = _Reading(weights, weights.cited_fields, language)
    return {"bool": {"should": _both(reading, question), "minimum_should_match": 1}}


def scoring(query: Clause) -> Clause:
    """The same scores without the condition: a record without the topic's words keeps the score of the place."""
    parts = query.get("bool", {})
    return {"bool": {"should": [*parts["must"], *parts["should"]]}} if parts.keys() == {"must", "should"} else query


def without_tellings(query: Clause) -> Clause:
    """The same scores without the named clauses, which have no score and only report matches."""
    if "bool" not in query:
        return query
    parts = dict(query["bool"])
    for name in ("must", "should"):
        if name in parts:
            parts[name] = [without_tellings(one) for one in parts[name] if not _tells(one)]
    return {"bool": parts}


def _tells(clause: Clause) -> bool:
    return bool(clause.get("constant_score", {}).get("boost") == 0.0)


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


def _words(
    reading: _Reading, thematic: str, named: str, expansion: Expansion, telling: Sequence[Clause] = ()
) -> Clause:
    text = thematic or named
    if not text:
        return {"match_none": {}}
    words: list[Clause] = [
        *_both(reading, text),
        {"constant_score": {"filter": _every_word(reading, text, expansion), "boost": 0.0, "_name": ALL_WORDS}},
        *expansion.clauses,
    ]
    clause: Clause = {"bool": {"should": words, "minimum_should_match": 1}}
    also = _both(reading, named, reading.weights.named) if thematic and named else []
    beside = [*also, *telling]
    return {"bool": {"must": [clause], "should": beside}} if beside else clause


def _both(reading: _Reading, text: str, weight: float = 1.0) -> list[Clause]:
    """BM25F in the question's language and in the plain reading, whose analyser would keep small words ("de", "to")."""
    first: Clause = {"query": text, "fields": reading.fields}
    if weight != 1.0:
        first["boost"] = weight
    plain = {"query": without_small_words(text), "fields": reading.plain, "boost": weight * reading.weights.plain}
    return [{"combined_fields": first}, {"combined_fields": plain}]


def _naming(places: Sequence[str]) -> list[Clause]:
    title = ["title", "title.en"]
    return [
        {"constant_score": {"filter": _phrases(places, fields), "boost": 0.0, "_name": name}}
        for name, fields in ((NAMED_IN_TITLE, title), (NAMED, [*title, "keywords.term", "abstract", "abstract.en"]))
        if places
    ]


def _phrases(texts: Sequence[str], fields: Sequence[str]) -> Clause:
    each = [{"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}} for text in texts]
    return {"bool": {"should": each, "minimum_should_match": 1}}


def _every_word(reading: _Reading, text: str, expansion: Expansion) -> Clause:
    """Every word of the text, or every term by any of its names and the other words."""
    either = _all_of(reading, text)
    if expansion.every is not None:
        beside = [{"bool": {"should": _all_of(reading, expansion.beside)}}] if expansion.beside else []
        either.append({"bool": {"filter": [expansion.every, *beside]}})
    return {"bool": {"should": either, "minimum_should_match": 1}}


def _all_of(reading: _Reading, text: str) -> list[Clause]:
    """Enough of the words: up to three, all of them; of more, three quarters by default. Questions in sentences also
    contain words such as "how" and "caused".
    """
    enough = reading.weights.enough
    readings = ((text, reading.fields), (without_small_words(text), reading.plain))
    return [
        {"combined_fields": {"query": said, "fields": names, "minimum_should_match": enough}}
        for said, names in readings
    ]
