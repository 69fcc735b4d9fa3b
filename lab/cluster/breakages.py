"""The faults of a trial, and how to repair each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from lab.cluster.chaos_cluster import PREFIX, ChaosCluster
from lab.waiting import wait_until

Act = Callable[[ChaosCluster], None]
_BLOCK = "index.blocks.read_only_allow_delete"
_LOOKS_WITHIN_S = 90.0


@dataclass(frozen=True, slots=True)
class Breakage:
    """``lasts_s``: seconds until the repair. ``needs``: why this cluster cannot try it, None if it can.

    ``at_share``: share of the records that are written when it breaks. ``takes_api``: searches get no answer until the
    repair.
    """

    name: str
    what: str
    begin: Act
    mend: Act
    lasts_s: float = 5.0
    needs: Callable[[ChaosCluster], str | None] = lambda _cluster: None
    at_share: float = 0.25
    takes_api: bool = False


def _kill(*names: str) -> Act:
    def act(cluster: ChaosCluster) -> None:
        for name in names:
            cluster.kill(name)

    return act


def _start(*names: str) -> Act:
    return lambda cluster: cluster.start(*names)


class _Primary:
    """Kills the node that holds the records' primary while bulk writes go to it."""

    def __init__(self) -> None:
        self._killed = ""

    def begin(self, cluster: ChaosCluster) -> None:
        self._killed = cluster.node_of_primary(f"{PREFIX}-records")
        cluster.kill(self._killed)

    def mend(self, cluster: ChaosCluster) -> None:
        cluster.start(self._killed)


def _replica(cluster: ChaosCluster) -> str:
    primary = cluster.node_of_primary(f"{PREFIX}-records")
    return next(name for name in cluster.nodes if name != primary)


class _Replica(_Primary):
    """Kills a node that does not hold it."""

    def begin(self, cluster: ChaosCluster) -> None:
        self._killed = _replica(cluster)
        cluster.kill(self._killed)


def _fill_disk(cluster: ChaosCluster) -> None:
    """Elasticsearch's own answer to a full disk: past the flood stage an index takes no more writes. It looks every
    ten seconds; on return it has looked."""
    _watermarks(cluster, "1%")
    wait_until(lambda: _is_blocked(cluster), _LOOKS_WITHIN_S, "Elasticsearch's block of writes")


def _free_disk(cluster: ChaosCluster) -> None:
    _watermarks(cluster, None)
    # With the watch off again nobody else takes the block away.
    cluster.client.indices.put_settings(index=f"{PREFIX}-*", settings={_BLOCK: None})


def _watermarks(cluster: ChaosCluster, percent: str | None) -> None:
    watch = "cluster.routing.allocation.disk"
    watermarks = {
        f"{watch}.watermark.{level}": percent for level in ("low", "high", "flood_stage", "flood_stage.frozen")
    }
    threshold = {f"{watch}.threshold_enabled": None if percent is None else True}
    update_interval = {"cluster.info.update.interval": None if percent is None else "10s"}
    cluster.client.cluster.put_settings(persistent={**watermarks, **threshold, **update_interval})


def _is_blocked(cluster: ChaosCluster) -> bool:
    settings = cluster.client.indices.get_settings(index=f"{PREFIX}-records", name=_BLOCK, flat_settings=True)
    return any(index["settings"].get(_BLOCK) == "true" for index in settings.values())


def _cut(cluster: ChaosCluster) -> None:
    for proxy in cluster.proxies:
        proxy.cut()


def _mend_proxies(cluster: ChaosCluster) -> None:
    for proxy in cluster.proxies:
        proxy.delay_s = 0.0
        proxy.mend()


def _slow_down_network(cluster: ChaosCluster) -> None:
    for proxy in cluster.proxies:
        proxy.delay_s = 0.4


def _clock(offset: str) -> Act:
    def act(cluster: ChaosCluster) -> None:
        if cluster.clock is not None:
            with contextlib.suppress(FileNotFoundError):
                cluster.clock.write_text(offset, "utf-8")

    return act


def _movable(cluster: ChaosCluster) -> str | None:
    return None if cluster.clock is not None else "the clock of our processes cannot be moved here"


def _several(cluster: ChaosCluster) -> str | None:
    return None if len(cluster.nodes) > 1 else "one node is all there is"


def mend_all(cluster: ChaosCluster) -> None:
    """Disk, clock and network as they were, every part up, every shard with its copy (or a minute waited for it): a
    node that is killed while the other has not caught up would be another breakage. Raises StackError if a part does
    not come up.
    """
    _mend_proxies(cluster)
    _clock("+0")(cluster)
    cluster.start(*cluster.nodes, "broker")
    _free_disk(cluster)
    cluster.start("worker", "beat", "api")
    status = "green" if len(cluster.nodes) > 1 else "yellow"
    cluster.client.options(ignore_status=408, request_timeout=90).cluster.health(wait_for_status=status, timeout="60s")


def breakages() -> tuple[Breakage, ...]:
    """Each part in turn, then the disk, the clock and the network."""
    primary, replica = _Primary(), _Replica()
    return (
        Breakage("node", "kill -9 of an Elasticsearch node", replica.begin, replica.mend, needs=_several),
        Breakage("primary", "kill -9 of the primary's node during bulk", primary.begin, primary.mend),
        Breakage("broker", "kill -9 of Valkey", _kill("broker"), _start("broker")),
        Breakage("worker", "kill -9 of the worker in mid-batch", _kill("worker"), _start("worker")),
        Breakage("api", "kill -9 of the API during requests", _kill("api"), _start("api"), 1.0, takes_api=True),
        Breakage("disk", "disk full: past Elasticsearch's flood stage", _fill_disk, _free_disk, 15.0, at_share=0.1),
        Breakage("clock", "our processes' clock jumps two hours ahead", _clock("+7200"), _clock("+0"), 10.0, _movable),
        Breakage("cut", "network to Elasticsearch cut", _cut, _mend_proxies),
        Breakage("slow", "network to Elasticsearch slow: .4 s each way", _slow_down_network, _mend_proxies, 10.0),
    )
