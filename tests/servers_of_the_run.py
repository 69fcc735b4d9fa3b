"""One Elasticsearch and one Valkey for a whole run, also where pytest-xdist runs it in several processes.

Several processes get the servers of the one that started them: two nodes would cost each other's processor and memory.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from local_stack.testing import elasticsearch_node, valkey_server

_ELASTICSEARCH, _BROKER = "elasticsearch_url", "broker_url"
_started = ExitStack()
_addresses: dict[str, str] = {}


@contextmanager
def elasticsearch_of_the_run(config: pytest.Config, folder: Path) -> Iterator[str]:
    """``SONDE_ELASTICSEARCH__URL`` where it is set, the node that the processes share, or one made now."""
    given = os.environ.get("SONDE_ELASTICSEARCH__URL") or _shared(config).get(_ELASTICSEARCH)
    if given:
        yield given
        return
    with elasticsearch_node(folder, environment=os.environ, heap="1g") as url:
        yield url


@contextmanager
def broker_of_the_run(config: pytest.Config, folder: Path) -> Iterator[str]:
    """As ``elasticsearch_of_the_run``, with ``SONDE_BROKER__URL``."""
    given = os.environ.get("SONDE_BROKER__URL") or _shared(config).get(_BROKER)
    if given:
        yield given
        return
    with valkey_server(folder) as url:
        yield url


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Called by pytest-xdist in the process that starts the others, once for each."""
    if not _addresses:
        folder = Path(_started.enter_context(tempfile.TemporaryDirectory(prefix="sonde-tests-")))
        folder.chmod(0o755)  # the node runs as an ordinary account
        _addresses[_ELASTICSEARCH] = _started.enter_context(elasticsearch_of_the_run(node.config, folder / "node"))
        _addresses[_BROKER] = _started.enter_context(broker_of_the_run(node.config, folder / "valkey"))
    node.workerinput.update(_addresses)


def pytest_unconfigure() -> None:
    _started.close()


def _shared(config: pytest.Config) -> dict[str, str]:
    given: dict[str, str] = getattr(config, "workerinput", {})
    return given
