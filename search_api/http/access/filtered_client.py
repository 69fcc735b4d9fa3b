"""The Elasticsearch client of the API: it returns only what the current caller may see.

The filter is at the transport, below every method of the client, so no view can bypass it and new views need no extra
code. Outside a request the caller is unknown, and only public records are visible.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from flask import g, has_request_context

from core.json_types import Json, JsonMapping
from es_gateway.client import Answer, Elasticsearch
from es_gateway.errors import DocumentMissing, IndexGone
from search_api.http.access.visibility import (
    FIELD,
    counting_body,
    filtered_body,
    may_see,
    suggested_terms,
    without_hidden_terms,
)

# One index without a pattern: a list or a wildcard could include another index.
_OF_RECORDS = re.compile(r"([a-z0-9-]+)-(records|passages|natives|ledger)(-next|-\d{6})?")
_OTHERS = re.compile(
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


class NotFiltered(AssertionError):
    """A request that this client cannot filter: a bug in Sonde, not an error of the caller."""


def groups_seen() -> frozenset[str]:
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
        if _OF_RECORDS.fullmatch(index) is None:
            raise NotFiltered(f"{endpoint_id} of {index or 'every index'}")
        if endpoint_id == "search":
            return self._searched(send, index, body)
        if endpoint_id == "count":
            return send(body={"query": filtered_body(body, groups_seen())["query"]})
        if endpoint_id == "get":
            return self._got(send, index, unquote(str((path_parts or {})["id"])), dict(params or {}))
        raise NotFiltered(f"{endpoint_id} of {index}")

    def _msearch(self, send: Any, index: str, searches: list[Json]) -> Any:
        groups, filtered = groups_seen(), []
        for header, body in zip(searches[::2], searches[1::2], strict=True):
            named = str(header.get("index", index))
            if _OF_RECORDS.fullmatch(named):
                filtered += [header, _body(body, groups)]
            elif _OTHERS.fullmatch(named):
                filtered += [header, body]
            else:
                raise NotFiltered(f"a search of {named or 'every index'}")
        response = send(body=filtered)
        answers = response.body["responses"]
        for position, (header, body) in enumerate(zip(searches[::2], searches[1::2], strict=True)):
            if "suggest" in body and "suggest" in answers[position]:
                answers[position] = self._without_hidden(str(header.get("index", index)), body, answers[position])
        return response

    def _searched(self, send: Any, index: str, body: Json | None) -> Any:
        response = send(body=_body(body, groups_seen()))
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
            body=counting_body(terms, groups_seen()),
            endpoint_id="search",
            path_parts={"index": index},
        )
        return without_hidden_terms(body, answer, counted.body)

    def _got(self, send: Any, index: str, id: str, params: Json) -> Any:
        chosen = params.get("_source_includes")
        if chosen is not None:
            params["_source_includes"] = [*([chosen] if isinstance(chosen, str) else chosen), FIELD]
        response = send(params=params)
        found: Json = response.body
        if not found.get("found") or self._is_seen(index, id, found):
            return response
        hidden = {"_index": found["_index"], "_id": found["_id"], "found": False}
        if 404 in self._ignored():
            return Answer(body=hidden, meta=response.meta)
        raise DocumentMissing("Elasticsearch does not have what was asked for (404).", status=404)

    def _is_seen(self, index: str, id: str, found: Json) -> bool:
        """An original has no groups; it is visible with its record."""
        named = _OF_RECORDS.fullmatch(index)
        if named is None or "_source" not in found:
            raise NotFiltered(f"get of {index} without its source")
        if named[2] != "natives":
            return may_see(found["_source"], groups_seen())
        try:
            return bool(self.get(index=f"{named[1]}-records", id=id, source_includes=[FIELD]).body.get("found"))
        except (DocumentMissing, IndexGone):
            return False

    def _ignored(self) -> tuple[int, ...]:
        """Status codes given to ``options(ignore_status=...)``."""
        given = self._ignore_status
        return tuple(given) if isinstance(given, tuple | list | set | frozenset) else ()


def _passes(endpoint: str, index: str) -> bool:
    """Requests that return no records, and requests to indices without records."""
    if _OTHERS.fullmatch(index) or endpoint in _WITHOUT_DOCUMENTS:
        return True
    return not index and (endpoint.startswith("cluster.") or endpoint in ("info", "ping"))


def _body(body: Json | None, groups: frozenset[str]) -> Json:
    try:
        return filtered_body(body, groups)
    except ValueError as error:
        raise NotFiltered(str(error)) from None
