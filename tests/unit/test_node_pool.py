"""Threads that look for a node while others take nodes out and bring them back."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from elastic_transport import NodeConfig, RoundRobinSelector, Urllib3HttpNode

from es_gateway.nodes import LockedNodePool

_NODES = [NodeConfig("http", f"192.0.2.{number}", 9200) for number in range(1, 21)]


def test_no_thread_sees_the_nodes_half_changed() -> None:
    pool = LockedNodePool(_NODES, Urllib3HttpNode, node_selector_class=RoundRobinSelector)

    def looks(_thread: int) -> int:
        return sum(pool.get().config in _NODES for _ in range(2_000))

    def changes(thread: int) -> None:
        node = pool.all()[thread]
        for _ in range(1_000):
            pool.mark_dead(node, _now=0.0)
            pool.mark_live(node)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            changing = [threads.submit(changes, number) for number in range(4)]
            found = [threads.submit(looks, number) for number in range(4)]
            assert [one.result() for one in found] == [2_000] * 4
            for one in changing:
                one.result()
    finally:
        sys.setswitchinterval(before)


def test_a_single_node_is_always_chosen() -> None:
    pool = LockedNodePool(_NODES[:1], Urllib3HttpNode)
    for _ in range(3):
        pool.mark_dead(pool.get())
    assert pool.get().config == _NODES[0]
