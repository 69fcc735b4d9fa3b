"""Several Elasticsearch nodes that form one cluster."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from local_stack.ports import free_port
from local_stack.settings import NodeConfig
from local_stack.testing import QUICK_START, running_node

_START_S = 600.0


@contextmanager
def elasticsearch_cluster(folder: Path, nodes: int) -> Iterator[list[str]]:
    """The addresses of the nodes of one cluster that lives as long as the ``with``; each has a folder below ``folder``.

    Raises StackError where one does not come up.
    """
    ports = {f"node-{number}": free_port() for number in range(1, nodes + 1)}
    with ExitStack() as node_stack, ThreadPoolExecutor(nodes) as pool:
        futures = [
            running_node(folder / name, NodeConfig(
                http_port=free_port(), transport_port=port, heap="512m", node=name, members=ports,
                start_timeout_s=_START_S, jvm_options=QUICK_START,
            ))
            for name, port in ports.items()
        ]  # fmt: skip
        # At once: a node answers when the others are there.
        yield list(pool.map(node_stack.enter_context, futures))
