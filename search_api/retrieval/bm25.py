"""The lexical arm: BM25F over title, keywords and abstract in the question's language, and a plain folded reading."""

from __future__ import annotations

from collections.abc import Sequence

from search_api.retrieval.expansion import NO_EXPANSION, Expansion
from search_api.retrieval.filters import Clause

ALL_WORDS = "all_words"
"""Name of the clause that matches where enough of the question's words occur; read back as a matched query."""

NAMED_IN_TITLE, NAMED = "named_in_title", "named"
"""Names of the clauses that match where a record names the asked place: read back as matched queries too."""

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
_RECORD_BOOSTS = {"title": 3.0, "alternate_titles": 1.5, "keywords.term": 2.0, "abstract": 1.0}
_PASSAGE_BOOSTS = {"text": 1.0}
_PLAIN_WEIGHT = 0.3
_NAMED_WEIGHT = 0.5
_IDENTIFIER_WEIGHT = 100.0
_ENOUGH_WORDS = "3<75%"
"""Up to three words: all of them. Of more, three quarters: who asks in a sentence also says "how" and "caused"."""


def records_query(
    thematic: str,
    named: str,
    language: str | None,
    identifiers: tuple[str, ...] = (),
    expansion: Expansion = NO_EXPANSION,
    places: Sequence[str] = (),
) -> Clause:
    """What scores records: ``thematic`` words must match somewhere, ``named`` (place and time words) only add.

    Beside it ``places`` (names of the asked ones) score nothing, but say which records name them.

    ``expansion``: other names of its terms, which add a little and let in records without the words themselves.
    ``identifiers`` match exactly and put their record on top. With neither words nor identifiers nothing matches.
    """
    clause = _words(thematic, named, language, _RECORD_BOOSTS, expansion, _naming(places))
    if not identifiers:
        return clause
    exact: Clause = {
        "constant_score": {
            "filter": {"terms": {"identifiers": list(identifiers)}},
            "boost": _IDENTIFIER_WEIGHT,
            "_name": ALL_WORDS,
        }
    }
    return {"bool": {"should": [exact, clause], "minimum_should_match": 1}}


def every_word_query(
    thematic: str, language: str | None, identifiers: tuple[str, ...] = (), expansion: Expansion = NO_EXPANSION
) -> Clause:
    """The records that hold enough of the words, or bear an identifier, as a filter: what ``ALL_WORDS`` tells of."""
    fields, plain = _fields(_RECORD_BOOSTS, language or "en"), _fields(_RECORD_BOOSTS, None)
    either = [_every_word(thematic, fields, plain, expansion)]
    if identifiers:
        either.append({"terms": {"identifiers": list(identifiers)}})
    return {"bool": {"should": either, "minimum_should_match": 1}}


def passages_query(thematic: str, named: str, language: str | None, expansion: Expansion = NO_EXPANSION) -> Clause:
    """The same over the text of passages."""
    return _words(thematic, named, language, _PASSAGE_BOOSTS, expansion)


def scoring(query: Clause) -> Clause:
    """The same scores without the condition: a record with none of the topic's words still has those of the place."""
    parts = query.get("bool", {})
    return {"bool": {"should": [*parts["must"], *parts["should"]]}} if parts.keys() == {"must", "should"} else query


def without_tellings(query: Clause) -> Clause:
    """The same scores without the clauses that score nothing and only tell which records they match."""
    if "bool" not in query:
        return query
    parts = dict(query["bool"])
    for name in ("must", "should"):
        if name in parts:
            parts[name] = [without_tellings(one) for one in parts[name] if not _tells(one)]
    return {"bool": parts}


def _tells(clause: Clause) -> bool:
    return bool(clause.get("constant_score", {}).get("boost") == 0.0)


def _words(
    thematic: str,
    named: str,
    language: str | None,
    boosts: dict[str, float],
    expansion: Expansion,
    telling: Sequence[Clause] = (),
) -> Clause:
    text = thematic or named
    if not text:
        return {"match_none": {}}
    fields, plain = _fields(boosts, language or "en"), _fields(boosts, None)
    # The plain reading lets in words that the language's analyser would not meet (names, other languages); its weight
    # is small, so that BM25F in the question's language decides the order.
    words: list[Clause] = [
        {"combined_fields": {"query": text, "fields": fields}},
        {"combined_fields": {"query": text, "fields": plain, "boost": _PLAIN_WEIGHT}},
        {"constant_score": {"filter": _every_word(text, fields, plain, expansion), "boost": 0.0, "_name": ALL_WORDS}},
        *expansion.clauses,
    ]
    clause: Clause = {"bool": {"should": words, "minimum_should_match": 1}}
    also: list[Clause] = [
        {"combined_fields": {"query": named, "fields": fields, "boost": _NAMED_WEIGHT}},
        {"combined_fields": {"query": named, "fields": plain, "boost": _NAMED_WEIGHT * _PLAIN_WEIGHT}},
    ]
    beside = [*(also if thematic and named else []), *telling]
    return {"bool": {"must": [clause], "should": beside}} if beside else clause


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


def _fields(boosts: dict[str, float], language: str | None) -> list[str]:
    suffix = f".{language}" if language in LANGUAGES else ""
    return [f"{field}{suffix}^{boost:g}" for field, boost in boosts.items()]


def _every_word(text: str, fields: list[str], plain: list[str], expansion: Expansion) -> Clause:
    """Every word of the text, or every term by any of its names and the words beside them."""
    either = _all_of(text, fields, plain)
    if expansion.every is not None:
        beside = [{"bool": {"should": _all_of(expansion.beside, fields, plain)}}] if expansion.beside else []
        either.append({"bool": {"filter": [expansion.every, *beside]}})
    return {"bool": {"should": either, "minimum_should_match": 1}}


def _all_of(text: str, fields: list[str], plain: list[str]) -> list[Clause]:
    return [
        {"combined_fields": {"query": text, "fields": names, "minimum_should_match": _ENOUGH_WORDS}}
        for names in (fields, plain)
    ]
