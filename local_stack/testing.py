"""A real server for the length of a ``with``: what tests and throw-away work need."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_stack.accounts import node_folder, unprivileged_account
from local_stack.elasticsearch import elasticsearch_part
from local_stack.part import External, Reporter, StackPart, ignore_event
from local_stack.ports import free_port
from local_stack.settings import DEFAULT_VERSION, NodeConfig, StackConfig, ValkeyConfig, default_cache
from local_stack.supervisor import Supervisor
from local_stack.valkey import broker_part

# Half the processor time until it answers; slower afterwards, which a few hundred documents do not notice.
QUICK_START = ("-XX:TieredStopAtLevel=1",)


@contextmanager
def elasticsearch_node(
    folder: Path,
    port: int | None = None,
    *,
    heap: str = "512m",
    cache: Path | None = None,
    version: str = DEFAULT_VERSION,
    home: Path | None = None,
    jvm_options: tuple[str, ...] = QUICK_START,
    report: Reporter = ignore_event,
) -> Iterator[str]:
    """The address of an Elasticsearch that lives as long as the ``with``; any free port where none is named.

    Give no ``jvm_options`` where speed is measured. Logs stay in ``folder/logs``, the data do not.
    Raises StackError where it does not come up.
    """
    settings = NodeConfig(
        http_port=port or free_port(),
        transport_port=free_port(),
        heap=heap,
        version=version,
        home=home,
        jvm_options=jvm_options,
    )
    with running_node(folder, settings, cache, report) as url:
        yield url


@contextmanager
def running_node(
    folder: Path, settings: NodeConfig, cache: Path | None = None, report: Reporter = ignore_event
) -> Iterator[str]:
    """As ``elasticsearch_node``, with all settings of a node."""
    stack = StackConfig(folder, os.environ, cache or default_cache(), elasticsearch=settings)
    try:
        with _run_part(elasticsearch_part(stack), folder, report):
            yield stack.elasticsearch_url
    finally:
        shutil.rmtree(node_folder(folder, unprivileged_account(settings.run_as)), ignore_errors=True)


@contextmanager
def valkey_server(folder: Path, port: int | None = None) -> Iterator[str]:
    """The address (``redis://...``) of a Valkey that lives as long as the ``with``; any free port where none is named.

    If it is stopped and started again on the same folder, its data are still there.
    """
    stack = StackConfig(folder, {}, broker=ValkeyConfig(port=port or free_port()))
    with _run_part(broker_part(stack), folder, ignore_event):
        yield stack.broker_url


@contextmanager
def _run_part(part: StackPart | External, folder: Path, report: Reporter) -> Iterator[None]:
    supervisor = Supervisor(folder)
    try:
        supervisor.ensure(part, report)
        yield
    finally:
        supervisor.stop(part.name, grace_s=15.0)
