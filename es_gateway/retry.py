"""The only short retries against Elasticsearch: seconds, with jitter, for temporary errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from es_gateway.errors import NotReachable, Overloaded

T = TypeVar("T")

ATTEMPTS = 6
WAIT = wait_random_exponential(multiplier=0.5, max=15)  # full jitter: 0..0.5, 0..1, 0..2 ... seconds


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed later."""
    return isinstance(error, NotReachable | Overloaded)


def retry(call: Callable[[], T]) -> T:
    """The result of ``call``, which must be safe to repeat; raises its error after the last attempt."""
    retrying = Retrying(
        retry=retry_if_exception(is_passing), wait=WAIT, stop=stop_after_attempt(ATTEMPTS), reraise=True
    )
    return retrying(call)
