"""``_msearch`` without the official client's layers for each call, by the same rules for nodes and failures."""

from __future__ import annotations

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout, HttpHeaders, ObjectApiResponse, Transport
from elastic_transport.client_utils import DefaultType
from elasticsearch import ApiError

from core.json_types import Json

_LINES = "application/x-ndjson"
_ALIVE = frozenset((400, 401, 402, 403, 404, 409))
"""Answers of a node that works (elastic_transport.NOT_DEAD_NODE_HTTP_STATUSES)."""
_FORMS = {
    "accept": "application/vnd.elasticsearch+json; compatible-with=8",
    "content-type": "application/vnd.elasticsearch+x-ndjson; compatible-with=8",
}


def search_headers(headers: HttpHeaders) -> HttpHeaders:
    """The client's own headers, its login among them, with the forms of an ``_msearch``."""
    both = headers.copy()
    both.update(_FORMS)
    return both


def searched(
    transport: Transport,
    target: str,
    searches: object,
    headers: HttpHeaders,
    *,
    timeout_s: DefaultType | float | None,
    most_retries: int,
) -> ObjectApiResponse[Json]:
    """The answer; another node is asked only if one cannot be reached. Raises ApiError, TransportError."""
    sent = transport.serializers.dumps(searches, mimetype=_LINES)
    for left in range(most_retries, -1, -1):
        node = transport.node_pool.get()
        try:
            reply = node.perform_request("POST", target, body=sent, headers=headers, request_timeout=timeout_s)
            break
        except ConnectionTimeout:
            transport.node_pool.mark_dead(node)
            raise
        except TransportConnectionError:
            transport.node_pool.mark_dead(node)
            if not left:
                raise
    good = 200 <= reply.meta.status < 299
    if good or reply.meta.status in _ALIVE:
        transport.node_pool.mark_live(node)
    else:
        transport.node_pool.mark_dead(node)
    body = transport.serializers.loads(reply.body, reply.meta.mimetype)
    if not good:
        raise ApiError(message=str(body), meta=reply.meta, body=body)
    return ObjectApiResponse(body=body, meta=reply.meta)
