"""The one owner of short retries against Elasticsearch: seconds, with jitter, for what passes by itself.

The client's own retries are switched off where the harvest uses it (``patient_client``), and a worker's task
begins again only after this has given up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from elastic_transport import ConnectionError as TransportConnectionError
from elastic_transport import ConnectionTimeout
from elasticsearch import ApiError, Elasticsearch
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from core.errors import Unavailable

T = TypeVar("T")

PASSING = frozenset({429, 503})
"""HTTP states that mean "later": too many requests, not available now."""

ATTEMPTS = 6
WAIT = wait_random_exponential(multiplier=0.5, max=15)  # full jitter: 0..0.5, 0..1, 0..2 ... seconds
_REQUEST_TIMEOUT_S = 120.0


def patient_client(client: Elasticsearch) -> Elasticsearch:
    """The same connection for bulk work: long requests, no retries of its own."""
    return client.options(request_timeout=_REQUEST_TIMEOUT_S, max_retries=0, retry_on_timeout=False)


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, ApiError):
        return error.status_code in PASSING
    return isinstance(error, (TransportConnectionError, ConnectionTimeout))


def patiently(call: Callable[[], T]) -> T:
    """The result of ``call``, which must be safe to repeat. Raises core.errors.Unavailable when patience ends."""
    retrying = Retrying(
        retry=retry_if_exception(is_passing), wait=WAIT, stop=stop_after_attempt(ATTEMPTS), reraise=True
    )
    try:
        return retrying(call)
    except (ApiError, TransportConnectionError, ConnectionTimeout) as error:
        if not is_passing(error):
            raise
        raise Unavailable(f"Elasticsearch does not answer ({error}). Try again when it does.") from error
