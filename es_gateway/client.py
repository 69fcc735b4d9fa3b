"""The client of Elasticsearch: the official one, with our error types. A process makes one and shares it.

The parts of a process have their own timeouts (``client.options(request_timeout=...)``) and retry behaviour
(``RetryingElasticsearch.over(client)``) on the same connections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import elasticsearch
import structlog
from elastic_transport import BaseNode, HttpHeaders, ObjectApiResponse, TransportError
from elastic_transport.client_utils import DEFAULT
from elasticsearch import ApiError
from opentelemetry import trace

from core.deadlines import without_deadline
from core.json_types import Json, JsonMapping
from es_gateway.errors import BadRequest, ServerFailed, WritesBlocked, translated
from es_gateway.fast_json import SERIALIZERS
from es_gateway.retry import retry
from es_gateway.short_way import search_headers, searched
from es_gateway.steady_nodes import SteadyNodes

log = structlog.get_logger(__name__)

Answer = ObjectApiResponse
"""The response: its body and metadata."""

_NOT_REPEATED = frozenset({"indices.create", "indices.update_aliases"})
"""A repetition of these fails."""
_BULK_TIMEOUT_S = 120.0
_OPTIONS = (
    "_headers", "_request_timeout", "_ignore_status", "_max_retries", "_retry_on_timeout", "_retry_on_status",
)  # fmt: skip


class Elasticsearch(elasticsearch.Elasticsearch):
    """Raises only the errors of es_gateway.errors."""

    _search_headers: HttpHeaders | None = None

    def perform_request(
        self,
        method: str,
        path: str,
        *,
        params: JsonMapping | None = None,
        headers: Mapping[str, str] | None = None,
        body: object | None = None,
        endpoint_id: str | None = None,
        path_parts: JsonMapping | None = None,
    ) -> Any:
        try:
            if endpoint_id == "msearch" and not params and not self._is_traced:
                return self._short_way(path, body)
            return super().perform_request(
                method,
                path,
                params=params,
                headers=headers,
                body=body,
                endpoint_id=endpoint_id,
                path_parts=path_parts,
            )
        except (ApiError, TransportError) as error:
            named = translated(error)
            if isinstance(named, BadRequest | ServerFailed | WritesBlocked):
                log.warning("elasticsearch.refused", endpoint=endpoint_id, type=named.type, reason=named.reason[:500])
            raise named from error

    @property
    def _is_traced(self) -> bool:
        """Whether somebody collects the official client's spans."""
        return self._otel.enabled and not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)

    def _short_way(self, path: str, searches: object) -> ObjectApiResponse[Json]:
        most = self.transport.max_retries if self._max_retries is DEFAULT else self._max_retries
        headers = self._search_headers = self._search_headers or search_headers(self._headers)
        return searched(
            self.transport, path, searches, headers, timeout_s=self._request_timeout, most_retries=int(most)
        )

    def __enter__(self) -> Self:
        return self

    @classmethod
    def over(cls, client: elasticsearch.Elasticsearch) -> Self:
        """A client of this class on the connections of another one, with its login and options."""
        other = cls(_transport=client.transport)
        for name in _OPTIONS:
            setattr(other, name, getattr(client, name))
        return other


class UnhurriedElasticsearch(Elasticsearch):
    """Ignores the deadline of the surrounding request: a write must finish."""

    def perform_request(self, method: str, path: str, **request: Any) -> Any:
        with without_deadline():
            return super().perform_request(method, path, **request)


class RetryingElasticsearch(UnhurriedElasticsearch):
    """Retries requests that may succeed later: six attempts in some 15 seconds. For work that nobody waits for.

    Every request is safe to repeat as Sonde sends it, except the two that create an index or move an alias.
    """

    def perform_request(self, method: str, path: str, *, endpoint_id: str | None = None, **request: Any) -> Any:
        def once() -> Any:
            return super(RetryingElasticsearch, self).perform_request(method, path, endpoint_id=endpoint_id, **request)

        return once() if endpoint_id in _NOT_REPEATED else retry(once)


def retrying(client: elasticsearch.Elasticsearch) -> RetryingElasticsearch:
    """For bulk work: long requests, with retries."""
    return RetryingElasticsearch.over(client).options(request_timeout=_BULK_TIMEOUT_S, max_retries=0)


@dataclass(frozen=True, slots=True)
class Connection:
    """The address and login of Elasticsearch. ``urls``: the nodes; one that cannot be reached is skipped."""

    urls: Sequence[str]
    basic_auth: tuple[str, str] | None = None
    api_key: str | None = None
    ca_certs: str | None = None
    timeout_s: float = 4.0


def connected(connection: Connection, *, node: type[BaseNode] | None = None) -> Elasticsearch:
    """The client of this process. Each call fails within its time; retries go only to another node.

    ``node``: a class that also measures, or that obeys the deadline of a request.
    """
    more: Json = {"ca_certs": connection.ca_certs} if connection.ca_certs else {}
    if node is not None:
        more["node_class"] = node
    return Elasticsearch(
        list(connection.urls),
        basic_auth=connection.basic_auth,
        api_key=connection.api_key,
        request_timeout=connection.timeout_s,
        max_retries=len(connection.urls) - 1,
        retry_on_timeout=False,
        retry_on_status=(),
        serializers=SERIALIZERS,
        node_pool_class=SteadyNodes,
        **more,
    )
