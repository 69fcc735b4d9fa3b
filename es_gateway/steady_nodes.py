"""The pool of Elasticsearch's nodes for many threads: the client's own fails a request now and then."""

from __future__ import annotations

import threading
from typing import Any

from elastic_transport import BaseNode, NodePool


class SteadyNodes(NodePool):
    """One thread at a time looks for a node or takes one out.

    elastic_transport walks over the living nodes without a lock; where another thread marks one dead in that moment, a
    RuntimeError ("dictionary changed size during iteration") leaves the client, which no caller expects. Found by
    `sonde chaos cluster --break cut`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._one_at_a_time = threading.Lock()
        super().__init__(*args, **kwargs)

    def get(self) -> BaseNode:
        with self._one_at_a_time:
            return super().get()

    def mark_dead(self, node: BaseNode, _now: float | None = None) -> None:
        with self._one_at_a_time:
            super().mark_dead(node, _now)

    def mark_live(self, node: BaseNode) -> None:
        with self._one_at_a_time:
            super().mark_live(node)
