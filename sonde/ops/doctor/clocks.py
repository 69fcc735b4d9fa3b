"""Compares this machine's clock with those of Elasticsearch's nodes, the broker, the workers and the API.

Clocks are seconds since 1970, by the name of who has them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

from es_gateway.client import Elasticsearch
from net.exchange import HttpAnswer
from sonde.ops.doctor.finding import State, span

_MOST_S = 5.0


def node_clocks(client: Elasticsearch) -> dict[str, float]:
    """Raises as the client does."""
    nodes = client.nodes.stats(metric="fs", filter_path="nodes.*.name,nodes.*.timestamp").body.get("nodes", {})
    return {f"Elasticsearch's node {node['name']}": node["timestamp"] / 1000 for node in nodes.values()}


def api_clock(answer: HttpAnswer | str) -> dict[str, float]:
    """Empty without an answer, or without a readable date in it."""
    date = answer.headers.get("date") if isinstance(answer, HttpAnswer) else None
    try:
        return {} if date is None else {"the API": parsedate_to_datetime(date).timestamp()}
    except ValueError:  # of a proxy
        return {}


def ahead_s(read_clocks: Callable[[], Mapping[str, float]]) -> dict[str, float]:
    """Seconds by which each clock is ahead of this machine's; 0 where it was read while the answer was awaited."""
    began_s = time.time()
    clocks = read_clocks()
    ended_s = time.time()
    return {name: min(0.0, clock_s - began_s) + max(0.0, clock_s - ended_s) for name, clock_s in clocks.items()}


def judge_clocks(clocks_ahead_s: Mapping[str, float]) -> tuple[State, str]:
    """From the seconds by which each clock is ahead of this machine's."""
    wrong = {name: seconds for name, seconds in clocks_ahead_s.items() if abs(seconds) > _MOST_S}
    if not wrong:
        return "ok", f"this machine and {len(clocks_ahead_s)} parts have the same time"
    parts = ", ".join(
        f"{name} is {span(abs(seconds))} {'ahead of' if seconds > 0 else 'behind'} this machine"
        for name, seconds in wrong.items()
    )
    return "warning", f"{parts}: set the clock that is wrong by a time server (`timedatectl set-ntp true`)"
