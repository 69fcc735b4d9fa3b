"""What the texts of the candidates say: every word of the question, or the name of the asked place.

Asked of the candidates alone, with the second request: as part of the search over the whole index it would keep
Elasticsearch from skipping records that cannot be among the best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from search_api.retrieval.filters import Clause

_ALL_WORDS, _NAMED_IN_TITLE, _NAMED = "all_words", "named_in_title", "named"
"""Names of the clauses; read back as matched queries."""


@dataclass(frozen=True, slots=True)
class Told:
    """``all_words``: the records with enough of the question's words. ``named``: how prominently they name the asked
    place, 1 in the title, .5 elsewhere; records that do not name it are absent.
    """

    all_words: frozenset[str]
    named: Mapping[str, float]


def telling_query(every_word: Clause, places: Sequence[str]) -> Clause:
    """Matches the records that say something. ``places``: names of the asked places."""
    title = ["title", "title.en"]
    told = [_named_clause(_ALL_WORDS, every_word)]
    if places:
        told.append(_named_clause(_NAMED_IN_TITLE, _phrases(places, title)))
        told.append(_named_clause(_NAMED, _phrases(places, [*title, "keywords.term", "abstract", "abstract.en"])))
    return {"bool": {"should": told, "minimum_should_match": 1}}


def telling_body(query: Clause, ids: Sequence[str]) -> Json:
    """The candidates that say something, with what."""
    return {
        "query": {"bool": {"filter": [{"ids": {"values": list(ids)}}, query]}},
        "size": len(ids),
        "stored_fields": "_none_",
        "docvalue_fields": ["id"],
        "track_total_hits": False,
    }


def counting_body(query: Clause, most: int) -> Json:
    """Counts the records that match, and stops at ``most``."""
    return {"query": {"bool": {"filter": [query]}}, "size": 0, "track_total_hits": most}


def read_told(answer: JsonMapping) -> Told:
    """The answer to ``telling_body``."""
    matched = {hit["fields"]["id"][0]: hit["matched_queries"] for hit in answer["hits"]["hits"]}
    words = frozenset(record for record, names in matched.items() if _ALL_WORDS in names)
    named = {record: 1.0 if _NAMED_IN_TITLE in names else 0.5 for record, names in matched.items() if _NAMED in names}
    return Told(words, named)


def _named_clause(name: str, clause: Clause) -> Clause:
    return {"constant_score": {"filter": clause, "_name": name}}


def _phrases(texts: Sequence[str], fields: Sequence[str]) -> Clause:
    each = [{"multi_match": {"query": text, "type": "phrase", "fields": list(fields)}} for text in texts]
    return {"bool": {"should": each, "minimum_should_match": 1}}
