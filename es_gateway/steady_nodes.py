"""A pool of Elasticsearch nodes for many threads, without an occasional failure of the client's own pool."""

from __future__ import annotations

import threading
from typing import Any

from elastic_transport import BaseNode, NodePool


class SteadyNodes(NodePool):
    """Only one thread at a time chooses or removes a node.

    elastic_transport iterates over the living nodes without a lock. If another thread marks one as dead at that moment,
    a RuntimeError ("dictionary changed size during iteration") leaves the client, and no caller expects it. Found by
    `sonde chaos cluster --break cut`. With a single node there is nothing to choose.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._one_at_a_time = threading.Lock()
        super().__init__(*args, **kwargs)
        self._only = self.all()[0] if len(self) == 1 else None

    def get(self) -> BaseNode:
        if self._only is not None:
            return self._only
        with self._one_at_a_time:
            return super().get()

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        if self._only is not None:
            return
        with self._one_at_a_time:
            super().mark_dead(node, _now)

    def mark_live(self, node: BaseNode) -> None:
        if self._only is not None:
            return
        with self._one_at_a_time:
            super().mark_live(node)
