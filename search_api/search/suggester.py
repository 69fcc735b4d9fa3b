"""Suggestions while a question is typed: titles, keywords and names of the index, and places."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

from rapidfuzz import process
from rapidfuzz.distance import OSA

from core.geo import Place
from core.json_types import Json, JsonMapping
from core.names import folded_phrase, name_key
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all, with_current_index
from search_api.search.request import PERSON
from search_api.search.retrieval.clauses import fits_pattern, lucene_escaped
from search_api.search.retrieval.facets import PEOPLE, WRITTEN, contact_values
from search_api.search.retrieval.serving import ServingResolver

_LOOKED_AT = 60


@dataclass(frozen=True, slots=True)
class TitleSuggestion:
    """A record whose title completes the typed text."""

    id: str
    source: str
    title: str


@dataclass(frozen=True, slots=True)
class KeywordSuggestion:
    """A keyword (folded) and its number of records."""

    term: str
    count: int


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Each list best first."""

    titles: Sequence[TitleSuggestion] = ()
    keywords: Sequence[KeywordSuggestion] = ()
    places: Sequence[Place] = ()
    names: Sequence[NameSuggestion] = ()


def index_suggestions(client: Elasticsearch, index: str, typed: str, limit: int) -> Suggestions:
    """Without places. If nothing matches exactly, searches again with typing errors allowed."""
    text = folded_phrase(typed)
    if not text or not fits_pattern(text):
        return Suggestions()
    bodies = [_titles_body(text, limit, fuzzy=False), _keywords_body(text, limit), names_body(typed, limit)]
    titles, keywords, names = search_all(client, [part for body in bodies for part in ({"index": index}, body)])
    suggestions = Suggestions(_titles(titles), _keywords(keywords), names=names_in(names, limit))
    if suggestions.titles or suggestions.keywords or suggestions.names or slips_allowed(text) == 0:
        return suggestions
    titles, keywords = search_all(
        client,
        [{"index": index}, _titles_body(text, limit, fuzzy=True), {"index": index}, _misspelt_body(text)],
    )
    return Suggestions(_titles(titles), _similar_keywords(_keywords(keywords), text, limit))


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
    pattern = lucene_escaped(text)
    terms = {"field": "keywords.exact", "size": limit, "include": f"(.*[ >,/(\\-])?{pattern}.*"}
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [{"match_bool_prefix": {"keywords.term": {"query": last}}}]}},
        "aggs": {"terms": {"terms": terms}},
    }


def _misspelt_body(text: str) -> Json:
    fuzzy_match = {"match": {"keywords.term": {"query": text, "operator": "and", **_FUZZY}}}
    terms = {"field": "keywords.exact", "size": _LOOKED_AT}
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [fuzzy_match]}},
        "aggs": {"terms": {"terms": terms}},
    }


def _titles(answer: JsonMapping) -> list[TitleSuggestion]:
    sources = [hit["_source"] for hit in answer["hits"]["hits"]]
    return [TitleSuggestion(source["id"], source["source"], source["title"]) for source in sources]


def _keywords(answer: JsonMapping) -> list[KeywordSuggestion]:
    return [KeywordSuggestion(str(b["key"]), b["doc_count"]) for b in answer["aggregations"]["terms"]["buckets"]]


def _similar_keywords(keywords: Sequence[KeywordSuggestion], text: str, limit: int) -> list[KeywordSuggestion]:
    """The similar keywords among those of records with a similar one."""
    max_slips = slips_allowed(text)
    slipped_keywords = [
        (slip_count, keyword)
        for keyword in keywords
        if (slip_count := slips_in(text, folded_phrase(keyword.term), max_slips)) is not None
    ]
    return [keyword for _, keyword in sorted(slipped_keywords, key=lambda pair: (pair[0], -pair[1].count))][:limit]


class Suggester:
    """Stateless except for the gazetteer's tables, so threads may share it."""

    def __init__(
        self, client: Elasticsearch, resolver: ServingResolver, places: PlaceSuggester, *, finds_people: bool = True
    ) -> None:
        self._client = client
        self._resolver = resolver
        self._places = places
        self._finds_people = finds_people

    def suggest(self, typed: str, limit: int) -> Suggestions:
        """At most ``limit`` of each kind. Raises Unavailable."""
        suggestions, contacts = with_current_index(
            self._resolver,
            lambda serving: (
                index_suggestions(self._client, serving.records.index, typed, limit),
                contact_suggestions(self._client, serving.records.index, typed, limit, finds_people=self._finds_people),
            ),
        )
        names = (*suggestions.names, *contacts)[:limit]
        return replace(suggestions, places=self._places.suggest(typed, limit), names=names)


NameKind = Literal["short_name", "platform", "instrument", "project", "organisation", "person"]
_PRODUCT_KINDS: tuple[NameKind, ...] = ("short_name", "platform", "instrument", "project")

_LEAST = 2  # letters and digits
_LONGEST = 60
_BETWEEN = "[^a-z0-9]*"


@dataclass(frozen=True, slots=True)
class NameSuggestion:
    """A name, what it is of, and how many records have it."""

    name: str
    kind: NameKind
    count: int


def names_body(typed: str, limit: int) -> Json:
    """``mod11 l2`` finds ``mod11_l2``: between the typed letters, any separators may occur."""
    key = name_key(typed)
    if not _LEAST <= len(key) <= _LONGEST or not key.isascii():
        return {"size": 0, "track_total_hits": False, "query": {"match_none": {}}}
    goes_on = f"{_BETWEEN}{_BETWEEN.join(key)}.*"
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [{"prefix": {"names.keys": key}}]}},
        "aggs": {
            kind: {"terms": {"field": f"names.{kind}s", "size": limit, "include": goes_on}} for kind in _PRODUCT_KINDS
        },
    }


def names_in(answer: JsonMapping, limit: int) -> list[NameSuggestion]:
    """Those of products first, then the more frequent."""
    names = [
        NameSuggestion(str(bucket["key"]), kind, bucket["doc_count"])
        for kind in _PRODUCT_KINDS
        for bucket in answer.get("aggregations", {}).get(kind, {"buckets": ()})["buckets"]
    ]
    sorted_entries = sorted(names, key=lambda name: (name.kind != "short_name", -name.count, name.name))
    return list({name.name: name for name in reversed(sorted_entries)}.values())[::-1][:limit]


_LEAST_CONTACT = 3  # letters
_MOST_SAMPLED = 300  # records whose contacts are read


def contact_suggestions(
    client: Elasticsearch, index: str, typed: str, limit: int, *, finds_people: bool
) -> list[NameSuggestion]:
    """Organisations and people of records with a word that begins like the last typed one."""
    text = folded_phrase(typed)
    if len(name_key(text)) < _LEAST_CONTACT or not fits_pattern(text):
        return []
    kinds: dict[NameKind, tuple[str, str]] = {"organisation": ("contacts.organisation", "contacts.organisation.exact")}
    if finds_people:
        kinds["person"] = ("contacts.name", PERSON)
    searches: list[Json] = []
    for field, counted in kinds.values():
        terms = {"field": counted, "size": 2 * limit, "include": f"(.*[ ,/(\\-])?{lucene_escaped(text)}.*"}
        searches += [
            {"index": index},
            {
                "size": 0,
                "track_total_hits": False,
                "query": {"match_phrase_prefix": {field: {"query": text, "max_expansions": 200}}},
                "runtime_mappings": PEOPLE if counted == PERSON else {},
                "aggs": {
                    "some": {
                        "sampler": {"shard_size": _MOST_SAMPLED},
                        "aggs": {"terms": {"terms": terms, "aggs": WRITTEN}},
                    },
                },
            },
        ]
    names = [
        NameSuggestion(value.label, kind, value.count)
        for kind, answer in zip(kinds, search_all(client, searches), strict=True)
        for value in contact_values(answer["aggregations"]["some"]["terms"]["buckets"], people=kind == PERSON)
    ]
    return sorted(names, key=lambda name: (-name.count, name.name))[:limit]


_MOST_LOOKED_AT = 400


class Entry(Protocol):
    """The meaning of a name; ``is_adjective`` marks a name of a people, not of a place."""

    @property
    def places(self) -> Sequence[Place]: ...
    @property
    def is_adjective(self) -> bool: ...


class PlaceNames(Protocol):
    """The parts of the gazetteer that completion needs."""

    def keys(self) -> list[str]: ...

    def named(self, key: str) -> Entry | None: ...


class PlaceSuggester:
    """Thread-safe: the tables are made once and never change."""

    def __init__(self, names: PlaceNames) -> None:
        self._names = names

    def suggest(self, typed: str, limit: int) -> list[Place]:
        """Exact matches first, then the more important places; each place once."""
        text = folded_phrase(typed)
        if not text:
            return []
        keys = self._beginning(text)
        places = self._places(dict.fromkeys(keys, 0))
        if not places:
            places = self._places(self._misspelt(text))
        sorted_entries = sorted(places, key=lambda place: (place[0], -place[1].importance, place[1].name))
        return list({(place.name, place.kind): place for _, place in sorted_entries}.values())[:limit]

    def _places(self, keys: dict[str, int]) -> list[tuple[int, Place]]:
        places = []
        for key, slip_count in keys.items():
            entry = self._names.named(key)
            if entry is not None and entry.places and not entry.is_adjective:
                places.append((slip_count, entry.places[0]))
        return places

    def _beginning(self, text: str) -> list[str]:
        start = bisect.bisect_left(self._sorted_names, text)
        end = bisect.bisect_left(self._sorted_names, text + "\uffff", lo=start)
        return self._sorted_names[start : min(end, start + _MOST_LOOKED_AT)]

    def _misspelt(self, text: str) -> dict[str, int]:
        """Names with the same first letter, because typing errors rarely affect the first one."""
        max_slips = slips_allowed(text)
        if max_slips == 0 or any(character.isdigit() for character in text):
            return {}
        start = bisect.bisect_left(self._sorted_names, text[0])
        end = bisect.bisect_left(self._sorted_names, text[0] + "\uffff", lo=start)
        keys = self._sorted_names[start:end]
        # A first check in C: the longest beginning differs by at most ``most`` letters from the best one.
        longest = [key[: len(text) + max_slips] for key in keys]
        similar_names = process.extract(
            text, longest, scorer=OSA.distance, score_cutoff=2 * max_slips, limit=_MOST_LOOKED_AT
        )
        slips_by_name = {keys[position]: slips(text, keys[position], max_slips) for _, _, position in similar_names}
        return {key: slip_count for key, slip_count in slips_by_name.items() if slip_count is not None}

    @cached_property
    def _sorted_names(self) -> list[str]:
        return sorted(self._names.keys())


def slips_allowed(typed: str) -> int:
    """0 up to three letters, 1 up to seven, 2 from eight on, as Elasticsearch's AUTO has it (3, 8)."""
    return 0 if len(typed) < 4 else 1 if len(typed) < 8 else 2


def slips(typed: str, name: str, max_slips: int) -> int | None:
    """The edit distance between ``typed`` and the best beginning of ``name``; None for more than ``max_slips``.

    An edit is a letter removed, inserted, changed, or swapped with its neighbour (optimal string alignment).
    """
    if name.startswith(typed):
        return 0
    if max_slips == 0:
        return None
    beginnings = {name[: len(typed) + shift] for shift in range(-max_slips, max_slips + 1)}
    least_distance = min(OSA.distance(typed, beginning, score_cutoff=max_slips) for beginning in beginnings)
    return least_distance if least_distance <= max_slips else None


def slips_in(typed: str, name: str, max_slips: int) -> int | None:
    """The same, also from the beginning of a later word of the name."""
    starts = [0, *(match.end() for match in re.finditer(r"[\s>,/(\-]+", name))]
    slip_counts = [count for start in starts if (count := slips(typed, name[start:], max_slips)) is not None]
    return min(slip_counts, default=None)
