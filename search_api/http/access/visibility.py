"""Limits what the API reads from Elasticsearch to what the current caller may see.

A record or passage with ``access_groups`` is visible to callers in one of those groups; all others are public. The
filter is at the transport, below every method of the client, so no view can bypass it and new views need no extra
code. It supports the few forms of searches that Sonde uses and refuses the rest. Outside a request the caller is
unknown, and only public records are visible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from flask import g, has_request_context

from core.json_types import Json, JsonMapping
from es_gateway.client import Answer, Elasticsearch
from es_gateway.errors import DocumentMissing, IndexGone

FIELD = "access_groups"

_SUPPORTED = frozenset(
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


# One index without a pattern: a list or a wildcard could include another index.
_RECORD_INDEX = re.compile(r"([a-z0-9-]+)-(records|passages|natives|ledger)(-next|-\d{6})?")
_OTHER_INDEX = re.compile(
    r"[a-z0-9-]+-(library|documents|runs|vocabulary|keys|curation|queries|searches|notices|measurements)(-next|-\d{6})?"
)
_WITHOUT_DOCUMENTS = frozenset(
    (
        "indices.get",
        "indices.get_mapping",
        "indices.exists_alias",
        "indices.exists",
        "indices.get_alias",
        "indices.stats",
    )
)
_AS_JSON = {"content-type": "application/json"}


def visible_clause(groups: frozenset[str]) -> Json:
    """A filter that passes what callers of these groups may see."""
    open_to_all = {"bool": {"must_not": [{"exists": {"field": FIELD}}]}}
    if not groups:
        return open_to_all
    theirs = {"terms": {FIELD: sorted(groups)}}
    return {"bool": {"should": [open_to_all, theirs], "minimum_should_match": 1}}


def may_see(source: JsonMapping, groups: frozenset[str]) -> bool:
    """The same for one document that was fetched by its id."""
    groups_needed = source.get(FIELD) or ()
    return not groups_needed or not groups.isdisjoint(
        [groups_needed] if isinstance(groups_needed, str) else groups_needed
    )


def filtered_body(body: JsonMapping | None, groups: frozenset[str]) -> Json:
    """The search, limited to what is visible; scores and order are unchanged. Raises ValueError for an unknown form."""
    new_body = dict(body or {})
    unknown = new_body.keys() - _SUPPORTED
    if unknown or _aggregation_types(new_body.get("aggs")) & _BEYOND_THE_QUERY:
        raise ValueError(f"a search that cannot be filtered: {sorted(unknown) or 'an aggregation beyond its query'}")
    clause = visible_clause(groups)
    if "knn" in new_body:
        new_body["knn"] = _knn_with(new_body["knn"], clause)
    if new_body.get("query", {}).keys() == {"knn"}:  # a filter around it would only drop hits afterwards
        new_body["query"] = {"knn": _knn_with(new_body["query"]["knn"], clause)}
    elif "query" in new_body:
        new_body["query"] = {"bool": {"must": [new_body["query"]], "filter": [clause]}}
    elif "knn" not in new_body:  # next to knn, a query would add its own hits
        new_body["query"] = {"bool": {"filter": [clause]}}
    return new_body


def _knn_with(knn: Any, clause: Json) -> Any:
    if isinstance(knn, Sequence):
        return [_knn_with(part, clause) for part in knn]
    before = knn.get("filter", [])
    return {**knn, "filter": [*(before if isinstance(before, list) else [before]), clause]}


def _aggregation_types(aggs: Any) -> set[str]:
    """The types of the aggregations and of those below them. Their names, and words that they count, are free."""
    types: set[str] = set()
    for definition in (aggs or {}).values():
        inner_names = {"aggs", "aggregations"} & definition.keys()
        types |= definition.keys() - inner_names
        for key in inner_names:
            types |= _aggregation_types(definition[key])
    return types


def suggested_terms(body: JsonMapping, answer: JsonMapping) -> dict[str, tuple[str, str]]:
    """Each word that a term suggester offers, as field and word under its own key: suggesters ignore filters."""
    suggesters: JsonMapping = body.get("suggest", {})
    terms: dict[str, tuple[str, str]] = {}
    for name, entries in answer.get("suggest", {}).items():
        field = suggesters[name]["term"]["field"]
        for option in (option for entry in entries for option in entry["options"]):
            terms[f"{field}:{option['text']}"] = (field, option["text"])
    return terms


def counting_body(terms: Mapping[str, tuple[str, str]], groups: frozenset[str]) -> Json:
    """How many records that may be seen hold each word."""
    filters = {key: {"term": {field: word}} for key, (field, word) in terms.items()}
    count_body = {"size": 0, "track_total_hits": False, "aggs": {"held": {"filters": {"filters": filters}}}}
    return filtered_body(count_body, groups)


def without_hidden_terms(body: JsonMapping, answer: Json, counted: JsonMapping) -> Json:
    """The answer with only the offers in visible records, and the number of those records."""
    counts = {key: bucket["doc_count"] for key, bucket in counted["aggregations"]["held"]["buckets"].items()}
    visible: Json = {}
    for name, entries in answer["suggest"].items():
        field = body["suggest"][name]["term"]["field"]
        visible[name] = [
            {
                **entry,
                "options": [
                    {**option, "freq": counts[f"{field}:{option['text']}"]}
                    for option in entry["options"]
                    if counts[f"{field}:{option['text']}"]
                ],
            }
            for entry in entries
        ]
    return {**answer, "suggest": visible}


class NotFiltered(AssertionError):
    """A request that this client cannot filter: a bug in Sonde, not an error of the caller."""


def groups_of_caller() -> frozenset[str]:
    """The groups of the current caller."""
    if not has_request_context() or "caller" not in g:
        return frozenset()
    groups: frozenset[str] = g.caller.groups
    return groups


class AccessFilteredElasticsearch(Elasticsearch):
    """Filters reads of records, passages, originals and the ledger; refuses writes to them.

    Other indices pass unfiltered. Raises NotFiltered for any other request.
    """

    def perform_request(
        self,
        method: str,
        path: str,
        *,
        params: JsonMapping | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any | None = None,
        endpoint_id: str | None = None,
        path_parts: JsonMapping | None = None,
    ) -> Any:
        def send(params: JsonMapping | None = params, body: Any | None = body) -> Any:
            return super(AccessFilteredElasticsearch, self).perform_request(
                method,
                path,
                params=params,
                headers=headers if body is None else {**_AS_JSON, **(headers or {})},  # the filter adds a body
                body=body,
                endpoint_id=endpoint_id,
                path_parts=path_parts,
            )

        index = unquote(str((path_parts or {}).get("index", "")))
        if endpoint_id == "msearch":
            return self._msearch(send, index, list(body or ()))
        if _passes(endpoint_id or "", index):
            return send()
        if _RECORD_INDEX.fullmatch(index) is None:
            raise NotFiltered(f"{endpoint_id} of {index or 'every index'}")
        if endpoint_id == "search":
            return self._search(send, index, body)
        if endpoint_id == "count":
            return send(body={"query": filtered_body(body, groups_of_caller())["query"]})
        if endpoint_id == "get":
            return self._get_visible(send, index, unquote(str((path_parts or {})["id"])), dict(params or {}))
        raise NotFiltered(f"{endpoint_id} of {index}")

    def _msearch(self, send: Any, index: str, searches: list[Json]) -> Any:
        groups, filtered_searches = groups_of_caller(), []
        for header, body in zip(searches[::2], searches[1::2], strict=True):
            name = str(header.get("index", index))
            if _RECORD_INDEX.fullmatch(name):
                filtered_searches += [header, _filtered_or_raise(body, groups)]
            elif _OTHER_INDEX.fullmatch(name):
                filtered_searches += [header, body]
            else:
                raise NotFiltered(f"a search of {name or 'every index'}")
        response = send(body=filtered_searches)
        answers = response.body["responses"]
        for position, (header, body) in enumerate(zip(searches[::2], searches[1::2], strict=True)):
            if "suggest" in body and "suggest" in answers[position]:
                answers[position] = self._without_hidden(str(header.get("index", index)), body, answers[position])
        return response

    def _search(self, send: Any, index: str, body: Json | None) -> Any:
        response = send(body=_filtered_or_raise(body, groups_of_caller()))
        if body and "suggest" in body:
            return Answer(body=self._without_hidden(index, body, response.body), meta=response.meta)
        return response

    def _without_hidden(self, index: str, body: Json, answer: Json) -> Json:
        terms = suggested_terms(body, answer)
        if not terms:
            return answer
        counted = super().perform_request(
            "POST",
            f"/{index}/_search",
            headers={"accept": "application/json", **_AS_JSON},
            body=counting_body(terms, groups_of_caller()),
            endpoint_id="search",
            path_parts={"index": index},
        )
        return without_hidden_terms(body, answer, counted.body)

    def _get_visible(self, send: Any, index: str, id: str, params: Json) -> Any:
        source_includes = params.get("_source_includes")
        if source_includes is not None:
            params["_source_includes"] = [
                *([source_includes] if isinstance(source_includes, str) else source_includes),
                FIELD,
            ]
        response = send(params=params)
        document: Json = response.body
        if not document.get("found") or self._is_seen(index, id, document):
            return response
        hidden = {"_index": document["_index"], "_id": document["_id"], "found": False}
        if 404 in self._ignored_statuses():
            return Answer(body=hidden, meta=response.meta)
        raise DocumentMissing("Elasticsearch does not have what was requested (404).", status=404)

    def _is_seen(self, index: str, id: str, document: Json) -> bool:
        """An original has no groups; it is visible with its record."""
        match = _RECORD_INDEX.fullmatch(index)
        if match is None or "_source" not in document:
            raise NotFiltered(f"get of {index} without its source")
        if match[2] != "natives":
            return may_see(document["_source"], groups_of_caller())
        try:
            return bool(self.get(index=f"{match[1]}-records", id=id, source_includes=[FIELD]).body.get("found"))
        except (DocumentMissing, IndexGone):
            return False

    def _ignored_statuses(self) -> tuple[int, ...]:
        """Status codes given to ``options(ignore_status=...)``."""
        statuses = self._ignore_status
        return tuple(statuses) if isinstance(statuses, tuple | list | set | frozenset) else ()


def _passes(endpoint: str, index: str) -> bool:
    """Requests that return no records, and requests to indices without records."""
    if _OTHER_INDEX.fullmatch(index) or endpoint in _WITHOUT_DOCUMENTS:
        return True
    return not index and (endpoint.startswith("cluster.") or endpoint in ("info", "ping"))


def _filtered_or_raise(body: Json | None, groups: frozenset[str]) -> Json:
    try:
        return filtered_body(body, groups)
    except ValueError as error:
        raise NotFiltered(str(error)) from None
