"""One Elasticsearch and one Valkey for a whole run, also where pytest-xdist runs it in several processes.

Several processes get the servers of the one that started them: two nodes would cost each other's processor and memory.
They collect the tests while Elasticsearch starts. It keeps its data in memory where there is room: it writes them to
the disk at each of the thousands of indices that tests make and delete, which would take most of their time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from local_stack.elasticsearch import trouble
from local_stack.ports import free_port
from local_stack.settings import DEFAULT_VERSION
from local_stack.testing import elasticsearch_node, valkey_server

VERSION = os.environ.get("SONDE_ELASTICSEARCH__VERSION", DEFAULT_VERSION)
"""Of the run's Elasticsearch."""

_ELASTICSEARCH, _BROKER = "elasticsearch_url", "broker_url"
_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
_START_S = 240.0
_started = ExitStack()
_starting: list[Future[str]] = []
_addresses: dict[str, str] = {}


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """A folder that lives as long as the ``with``; on the disk where the memory has no room. Every account may read."""
    room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    with tempfile.TemporaryDirectory(prefix="sonde-tests-", dir=_MEMORY if room else None) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the node runs as an ordinary account
        yield folder


@contextmanager
def elasticsearch_of_the_run(config: pytest.Config) -> Iterator[str]:
    """``SONDE_ELASTICSEARCH__URL`` where it is set, the node that the processes share, or one made now."""
    if given := os.environ.get("SONDE_ELASTICSEARCH__URL"):
        yield given
    elif shared := _shared(config).get(_ELASTICSEARCH):
        _await(shared)
        yield shared
    else:
        with _node(free_port()) as url:
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
    """Called by pytest-xdist in the process that starts the others, once for each. Unit tests need no servers."""
    units_only = all(Path(one).is_relative_to("tests/unit") for one in node.config.args)
    if not _addresses and not units_only:
        folder = Path(_started.enter_context(tempfile.TemporaryDirectory(prefix="sonde-tests-")))
        _addresses[_BROKER] = _started.enter_context(broker_of_the_run(node.config, folder))
        if "SONDE_ELASTICSEARCH__URL" not in os.environ:
            port = free_port()
            _addresses[_ELASTICSEARCH] = f"http://127.0.0.1:{port}"
            _starting.append(ThreadPoolExecutor(1).submit(_started.enter_context, _node(port)))
    node.workerinput.update(_addresses)


def pytest_unconfigure() -> None:
    for start in _starting:
        start.exception()  # a node that is still starting is stopped like any other
    _started.close()


@contextmanager
def _node(port: int) -> Iterator[str]:
    with folder_in_memory() as folder, elasticsearch_node(folder, port, heap="1g", version=VERSION) as url:
        yield url


def _await(url: str) -> None:
    end = time.monotonic() + _START_S
    while (wrong := trouble(url)) is not None:
        assert time.monotonic() < end, f"the Elasticsearch of the run, {url}, {wrong}"
        time.sleep(0.2)


def _shared(config: pytest.Config) -> dict[str, str]:
    given: dict[str, str] = getattr(config, "workerinput", {})
    return given
