"""Errors of requests to Elasticsearch, with our names.

The message of an error is safe for any caller. ``reason`` holds the server's own text, which may contain fields and
values: it is for logs and for the operator.
"""

from __future__ import annotations

from collections.abc import Mapping

from elastic_transport import ConnectionTimeout, TlsError, TransportError
from elasticsearch import ApiError

from core.errors import SondeError, Unavailable
from core.json_types import JsonMapping
from es_gateway import blocks

TEMPORARY = frozenset({429, 503})
"""HTTP status codes of temporary errors: too many requests, unavailable."""
_EXISTS = "resource_already_exists_exception"


class ElasticsearchError(SondeError):
    """Elasticsearch failed to execute the request. ``status`` is None if it gave no answer."""

    def __init__(self, message: str, *, status: int | None = None, type: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.type = type
        self.reason = reason


class NotReachable(ElasticsearchError, Unavailable):
    """There is no connection, or it was closed."""


class TimedOut(NotReachable):
    """No answer in time; it is unknown whether the request was executed."""


class NoTls(NotReachable):
    """The two sides do not agree on TLS."""


class Overloaded(ElasticsearchError, Unavailable):
    """Elasticsearch delays the request (429, 503): it may succeed later."""


class WritesBlocked(ElasticsearchError, Unavailable):
    """An index or the cluster is read-only, often because a disk is too full; searches continue."""


class ServerFailed(ElasticsearchError, Unavailable):
    """Elasticsearch has an internal error (any other 5xx)."""


class SearchRefused(ElasticsearchError, Unavailable):
    """One of several searches failed; ``reason`` says why."""


class IndexGone(ElasticsearchError, Unavailable):
    """There is no such index. If it came from an alias, resolve the alias again to find the current index."""


class DocumentMissing(ElasticsearchError):
    """There is no such document, alias or task (any other 404)."""


class NotPermitted(ElasticsearchError):
    """The login is unknown (401), or may not do this (403)."""


class VersionConflict(ElasticsearchError):
    """The document was changed meanwhile (409)."""


class AlreadyExists(ElasticsearchError):
    """Another process made that index a moment earlier."""


class BadRequest(ElasticsearchError):
    """Elasticsearch rejects the request (400, any other 4xx); ``type`` is its name for the cause."""


def of_search(error: JsonMapping) -> ElasticsearchError:
    """The error of one search in an ``_msearch``."""
    cause = (error.get("root_cause") or [error])[0]
    if error.get("type") == "index_not_found_exception":
        return _index_gone(str(cause.get("index", "")))
    return SearchRefused(
        "Elasticsearch could not answer this question; the log says why.",
        type=str(cause.get("type", "")),
        reason=str(cause.get("reason", "")),
    )


def translate_error(error: ApiError | TransportError) -> ElasticsearchError:
    if isinstance(error, ApiError):
        return _of_answer(error)
    kind = TimedOut if isinstance(error, ConnectionTimeout) else NoTls if isinstance(error, TlsError) else NotReachable
    name = type(error).__name__
    return kind(f"Elasticsearch does not answer: {name}.", type=name, reason=str(error))


def _of_answer(error: ApiError) -> ElasticsearchError:
    status, cause = int(error.meta.status), _cause(error.body)
    type_, reason = str(cause.get("type", "")), str(cause.get("reason", error.message))
    if type_ == "index_not_found_exception":
        return _index_gone(str(cause.get("index", "")), reason)
    if type_ == blocks.ERROR and (sentence := blocks.explain_refusal(reason)) is not None:
        return WritesBlocked(sentence, status=status, type=type_, reason=reason)
    kind, verb = (AlreadyExists, "has this index already") if type_ == _EXISTS else _kind(status)
    cause_name = f" ({status}{' ' + type_ if type_ else ''})"
    return kind(f"Elasticsearch {verb}{cause_name}.", status=status, type=type_, reason=reason)


def _kind(status: int) -> tuple[type[ElasticsearchError], str]:
    if status in TEMPORARY:
        return Overloaded, "does not answer now"
    if status >= 500:
        return ServerFailed, "failed"
    kinds: dict[int, tuple[type[ElasticsearchError], str]] = {
        401: (NotPermitted, "does not know this login"),
        403: (NotPermitted, "does not allow this"),
        404: (DocumentMissing, "does not have what was requested"),
        409: (VersionConflict, "holds a newer version"),
    }
    return kinds.get(status, (BadRequest, "does not accept the request"))


def _cause(body: object) -> JsonMapping:
    """The innermost cause in the answer."""
    error = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        return {}
    causes = error.get("root_cause")
    return causes[0] if causes else error


def _index_gone(index: str, reason: str = "") -> IndexGone:
    return IndexGone(f"The index {index} is gone.", status=404, type="index_not_found_exception", reason=reason)
