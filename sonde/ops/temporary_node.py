"""An Elasticsearch for temporary indices: the running one, else a temporary one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from core.errors import SondeError
from local_stack.errors import StackError
from local_stack.testing import elasticsearch_node
from sonde.settings import Settings

_ASK_TIMEOUT_S = 3.0


@contextmanager
def temporary_node(settings: Settings, report: Callable[[str], None]) -> Iterator[Settings]:
    """Settings whose Elasticsearch answers.

    A server named in the settings, or the running stack's, is used as it is. Otherwise a node is started and ended with
    the ``with``. Raises SondeError if it does not start.
    """
    if settings.elasticsearch.url is not None or _answers(settings.elasticsearch_url):
        yield settings
        return
    report("No Elasticsearch runs here; starting one for this command alone.")
    with tempfile.TemporaryDirectory(prefix="sonde-node-") as folder:
        node = elasticsearch_node(
            Path(folder),
            heap=settings.elasticsearch.heap,
            cache=settings.stack.cache,
            home=settings.elasticsearch.home,
            jvm_options=(),
        )
        with _stack_errors(), node as url:
            elasticsearch = settings.elasticsearch.model_copy(update={"url": url})
            yield settings.model_copy(update={"elasticsearch": elasticsearch})


def _answers(url: str) -> bool:
    try:
        answer = httpx.get(url, timeout=_ASK_TIMEOUT_S, trust_env=False)
        return answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR
    except httpx.HTTPError:
        return False


@contextmanager
def _stack_errors() -> Iterator[None]:
    try:
        yield
    except StackError as error:
        raise SondeError(str(error)) from error
