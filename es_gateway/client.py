"""The client of Elasticsearch: the official one, with our error types. A process makes one and shares it.

The parts of a process have their own timeouts (``client.options(request_timeout=...)``) and retry behaviour
(``RetryingElasticsearch.over(client)``) on the same connections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import elasticsearch
import orjson
import structlog
from elastic_transport import BaseNode, ObjectApiResponse, TransportError
from elasticsearch import ApiError
from elasticsearch.serializer import JsonSerializer, NdjsonSerializer
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from core.deadlines import without_deadline
from core.json_types import Json, JsonMapping
from es_gateway.errors import BadRequest, NotReachable, Overloaded, ServerFailed, WritesBlocked, translate_error
from es_gateway.nodes import LockedNodePool

_JSON_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS
_LINE_OPTIONS = _JSON_OPTIONS | orjson.OPT_APPEND_NEWLINE


class FastJson(JsonSerializer):
    """Like the client's own serializer; falls back to it for what orjson refuses (half a surrogate pair)."""

    mimetype: ClassVar[str] = "application/json"

    def json_dumps(self, data: object) -> bytes:
        try:
            return orjson.dumps(data, default=self.default, option=_JSON_OPTIONS)
        except TypeError:
            return super().json_dumps(data)

    def json_loads(self, data: bytes) -> Any:
        return orjson.loads(data)


class FastNdjson(NdjsonSerializer):
    """The same for the lines of ``_bulk`` and ``_msearch``."""

    mimetype: ClassVar[str] = "application/x-ndjson"

    def dumps(self, data: object) -> bytes:
        """The parts of an ``_msearch`` in one go; other lines by the client's own loop."""
        if type(data) is list and set(map(type, data)) == {dict}:
            try:
                return b"".join([orjson.dumps(part, default=JSON.default, option=_LINE_OPTIONS) for part in data])
            except TypeError:
                pass  # half a surrogate pair
        return super().dumps(data)

    def json_dumps(self, data: object) -> bytes:
        return JSON.json_dumps(data)

    def json_loads(self, data: bytes) -> Any:
        return JSON.json_loads(data)


JSON = FastJson()
SERIALIZERS = {FastJson.mimetype: JSON, FastNdjson.mimetype: FastNdjson()}
"""For ``Elasticsearch(serializers=...)``."""


log = structlog.get_logger(__name__)

T = TypeVar("T")

Answer = ObjectApiResponse
"""The response: its body and metadata."""

ATTEMPTS = 6
WAIT = wait_random_exponential(multiplier=0.5, max=15)  # full jitter: 0..0.5, 0..1, 0..2 ... seconds
_NOT_REPEATED = frozenset({"indices.create", "indices.update_aliases"})
"""A repetition of these fails."""
_BULK_TIMEOUT_S = 120.0
_OPTIONS = (
    "_headers", "_request_timeout", "_ignore_status", "_max_retries", "_retry_on_timeout", "_retry_on_status",
)  # fmt: skip


class Elasticsearch(elasticsearch.Elasticsearch):
    """Raises only the errors of es_gateway.errors."""

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
            translation = translate_error(error)
            if isinstance(translation, BadRequest | ServerFailed | WritesBlocked):
                log.warning(
                    "elasticsearch.refused",
                    endpoint=endpoint_id,
                    type=translation.type,
                    reason=translation.reason[:500],
                )
            raise translation from error

    def __enter__(self) -> Self:
        return self

    @classmethod
    def over(cls, client: elasticsearch.Elasticsearch) -> Self:
        """A client of this class on the connections of another one, with its login and options."""
        wrapper = cls(_transport=client.transport)
        for name in _OPTIONS:
            setattr(wrapper, name, getattr(client, name))
        return wrapper


class NoDeadlineElasticsearch(Elasticsearch):
    """Ignores the deadline of the surrounding request: a write must finish."""

    def perform_request(self, method: str, path: str, **request: Any) -> Any:
        with without_deadline():
            return super().perform_request(method, path, **request)


class RetryingElasticsearch(NoDeadlineElasticsearch):
    """Retries requests that may succeed later: six attempts in some 15 seconds. For work that nobody waits for.

    Every request is safe to repeat as Sonde sends it, except the two that create an index or move an alias.
    """

    def perform_request(self, method: str, path: str, *, endpoint_id: str | None = None, **request: Any) -> Any:
        def once() -> Any:
            return super(RetryingElasticsearch, self).perform_request(method, path, endpoint_id=endpoint_id, **request)

        return once() if endpoint_id in _NOT_REPEATED else retry(once)


def retry(call: Callable[[], T]) -> T:
    """The result of ``call``, which must be safe to repeat; raises its error after the last attempt.

    These are the only short retries against Elasticsearch: seconds, with jitter, for temporary errors.
    """
    attempts = Retrying(
        retry=retry_if_exception_type((NotReachable, Overloaded)),
        wait=WAIT,
        stop=stop_after_attempt(ATTEMPTS),
        reraise=True,
    )
    return attempts(call)


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
    options: Json = {"ca_certs": connection.ca_certs} if connection.ca_certs else {}
    if node is not None:
        options["node_class"] = node
    return Elasticsearch(
        list(connection.urls),
        basic_auth=connection.basic_auth,
        api_key=connection.api_key,
        request_timeout=connection.timeout_s,
        max_retries=len(connection.urls) - 1,
        retry_on_timeout=False,
        retry_on_status=(),
        serializers=SERIALIZERS,
        node_pool_class=LockedNodePool,
        **options,
    )
