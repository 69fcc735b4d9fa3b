"""Titles, keywords and names that complete the typed text, from the index, in one ``_msearch``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.search.suggest.names import NameFound, names_body, names_in
from search_api.search.suggest.spelled import folded, slips_allowed, slips_in

_LOOKED_AT = 60
_SPECIAL = re.compile(r"([.?+*|{}\[\]()\"\\#@&<>~^$-])")


@dataclass(frozen=True, slots=True)
class TitleFound:
    """A record whose title completes the typed text."""

    id: str
    source: str
    title: str


@dataclass(frozen=True, slots=True)
class KeywordFound:
    """A keyword (folded) and its number of records."""

    term: str
    count: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """Each list best first."""

    titles: Sequence[TitleFound] = ()
    keywords: Sequence[KeywordFound] = ()
    names: Sequence[NameFound] = ()


def indexed(client: Elasticsearch, index: str, typed: str, limit: int) -> Indexed:
    """If nothing matches exactly, searches again with typing errors allowed."""
    text = folded(typed)
    if not text:
        return Indexed()
    bodies = [_titles_body(text, limit, fuzzy=False), _keywords_body(text, limit), names_body(typed, limit)]
    titles, keywords, names = search_all(client, [part for body in bodies for part in ({"index": index}, body)])
    found = Indexed(_titles(titles), _keywords(keywords), names_in(names, limit))
    if found.titles or found.keywords or found.names or slips_allowed(text) == 0:
        return found
    titles, keywords = search_all(
        client,
        [{"index": index}, _titles_body(text, limit, fuzzy=True), {"index": index}, _misspelt_body(text)],
    )
    return Indexed(_titles(titles), _near(_keywords(keywords), text, limit))


def _titles_body(text: str, limit: int, *, fuzzy: bool) -> Json:
    goes_on: list[Json] = [
        {"match_phrase_prefix": {"title": {"query": text, "max_expansions": 50, "boost": 3}}},
        {"match_bool_prefix": {"title": {"query": text, "operator": "and"}}},
    ]
    if fuzzy:
        goes_on = [{"match": {"title": {"query": text, "operator": "and", **_FUZZY}}}]
        goes_on.append({"match_bool_prefix": {"title": {"query": text, "operator": "and", **_FUZZY}}})
    return {
        "query": {"dis_max": {"queries": goes_on}},
        "size": limit,
        "_source": ["id", "source", "title"],
        "track_total_hits": False,
    }


_FUZZY = {"fuzziness": "AUTO:4,8", "prefix_length": 1, "max_expansions": 50}


def _keywords_body(text: str, limit: int) -> Json:
    """A keyword can be a path (EARTH SCIENCE > OCEANS): the typed text can complete to any of its words."""
    last = text.split(" ")[-1]
    pattern = _SPECIAL.sub(r"\\\1", text)
    terms = {"field": "keywords.exact", "size": limit, "include": f"(.*[ >,/(\\-])?{pattern}.*"}
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [{"match_bool_prefix": {"keywords.term": {"query": last}}}]}},
        "aggs": {"terms": {"terms": terms}},
    }


def _misspelt_body(text: str) -> Json:
    near = {"match": {"keywords.term": {"query": text, "operator": "and", **_FUZZY}}}
    terms = {"field": "keywords.exact", "size": _LOOKED_AT}
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [near]}},
        "aggs": {"terms": {"terms": terms}},
    }


def _titles(answer: JsonMapping) -> list[TitleFound]:
    sources = [hit["_source"] for hit in answer["hits"]["hits"]]
    return [TitleFound(one["id"], one["source"], one["title"]) for one in sources]


def _keywords(answer: JsonMapping) -> list[KeywordFound]:
    return [KeywordFound(str(b["key"]), b["doc_count"]) for b in answer["aggregations"]["terms"]["buckets"]]


def _near(found: Sequence[KeywordFound], text: str, limit: int) -> list[KeywordFound]:
    """The similar keywords among those of records with a similar one."""
    most = slips_allowed(text)
    judged = [(slipped, one) for one in found if (slipped := slips_in(text, folded(one.term), most)) is not None]
    return [one for _, one in sorted(judged, key=lambda pair: (pair[0], -pair[1].count))][:limit]
