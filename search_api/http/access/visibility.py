"""Restricts Elasticsearch request bodies to what a caller may see; pure.

A record or passage with ``access_groups`` is visible to callers in one of those groups; all others are public. Every
search body for the indices of records goes through ``filtered_body``, which supports the few forms that Sonde uses
and refuses the rest, so that no unknown form can bypass the filter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.json_types import Json, JsonMapping

FIELD = "access_groups"

_UNDERSTOOD = frozenset(
    (
        "_source",
        "aggs",
        "collapse",
        "docvalue_fields",
        "fields",
        "from",
        "highlight",
        "knn",
        "min_score",
        "post_filter",
        "query",
        "runtime_mappings",
        "search_after",
        "seq_no_primary_term",
        "size",
        "sort",
        "stored_fields",
        "suggest",
        "terminate_after",
        "timeout",
        "track_scores",
        "track_total_hits",
    )
)
_BEYOND_THE_QUERY = frozenset(("global", "children", "parent", "significant_terms", "significant_text"))


def visible_clause(groups: frozenset[str]) -> Json:
    """A filter that passes what callers of these groups may see."""
    open_to_all = {"bool": {"must_not": [{"exists": {"field": FIELD}}]}}
    if not groups:
        return open_to_all
    theirs = {"terms": {FIELD: sorted(groups)}}
    return {"bool": {"should": [open_to_all, theirs], "minimum_should_match": 1}}


def may_see(source: JsonMapping, groups: frozenset[str]) -> bool:
    """The same for one document that was fetched by its id."""
    needed = source.get(FIELD) or ()
    return not needed or not groups.isdisjoint([needed] if isinstance(needed, str) else needed)


def filtered_body(body: JsonMapping | None, groups: frozenset[str]) -> Json:
    """The search, limited to what is visible; scores and order are unchanged. Raises ValueError for an unknown form."""
    given = dict(body or {})
    unknown = given.keys() - _UNDERSTOOD
    if unknown or _types(given.get("aggs")) & _BEYOND_THE_QUERY:
        raise ValueError(f"a search that cannot be filtered: {sorted(unknown) or 'an aggregation beyond its query'}")
    clause = visible_clause(groups)
    if "knn" in given:
        given["knn"] = _knn(given["knn"], clause)
    if given.get("query", {}).keys() == {"knn"}:  # a filter around it would only drop hits afterwards
        given["query"] = {"knn": _knn(given["query"]["knn"], clause)}
    elif "query" in given:
        given["query"] = {"bool": {"must": [given["query"]], "filter": [clause]}}
    elif "knn" not in given:  # beside knn a query would add its own hits
        given["query"] = {"bool": {"filter": [clause]}}
    return given


def _knn(knn: Any, clause: Json) -> Any:
    if isinstance(knn, Sequence):
        return [_knn(one, clause) for one in knn]
    before = knn.get("filter", [])
    return {**knn, "filter": [*(before if isinstance(before, list) else [before]), clause]}


def _types(aggs: Any) -> set[str]:
    """The types of the aggregations and of those below them. Their names, and words that they count, are free."""
    found: set[str] = set()
    for definition in (aggs or {}).values():
        below = {"aggs", "aggregations"} & definition.keys()
        found |= definition.keys() - below
        for key in below:
            found |= _types(definition[key])
    return found


def suggested_terms(body: JsonMapping, answer: JsonMapping) -> dict[str, tuple[str, str]]:
    """Each word that a term suggester offers, as field and word under its own key: suggesters ignore filters."""
    asked: JsonMapping = body.get("suggest", {})
    found: dict[str, tuple[str, str]] = {}
    for name, entries in answer.get("suggest", {}).items():
        field = asked[name]["term"]["field"]
        for option in (option for entry in entries for option in entry["options"]):
            found[f"{field}:{option['text']}"] = (field, option["text"])
    return found


def counting_body(terms: Mapping[str, tuple[str, str]], groups: frozenset[str]) -> Json:
    """How many records that may be seen hold each word."""
    filters = {key: {"term": {field: word}} for key, (field, word) in terms.items()}
    counting = {"size": 0, "track_total_hits": False, "aggs": {"held": {"filters": {"filters": filters}}}}
    return filtered_body(counting, groups)


def without_hidden_terms(body: JsonMapping, answer: Json, counted: JsonMapping) -> Json:
    """The answer with only the offers in visible records, and the number of those records."""
    held = {key: bucket["doc_count"] for key, bucket in counted["aggregations"]["held"]["buckets"].items()}
    kept: Json = {}
    for name, entries in answer["suggest"].items():
        field = body["suggest"][name]["term"]["field"]
        kept[name] = [
            {
                **entry,
                "options": [
                    {**option, "freq": held[f"{field}:{option['text']}"]}
                    for option in entry["options"]
                    if held[f"{field}:{option['text']}"]
                ],
            }
            for entry in entries
        ]
    return {**answer, "suggest": kept}
