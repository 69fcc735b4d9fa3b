"""What is broken in a trial, and how it is put right again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from lab.cluster.chaos_cluster import PREFIX, Yard
from lab.cluster.harvested import until

Act = Callable[[Yard], None]
_BLOCK = "index.blocks.read_only_allow_delete"
_LOOKS_WITHIN_S = 90.0


@dataclass(frozen=True, slots=True)
class Breakage:
    """``lasts_s``: how long it stays broken. ``needs``: why it cannot be tried in this yard, None where it can.

    ``at_share``: of the records, how many are written when it breaks. ``takes_api``: nobody answers searches meanwhile.
    """

    name: str
    what: str
    begin: Act
    mend: Act
    lasts_s: float = 5.0
    needs: Callable[[Yard], str | None] = lambda _yard: None
    at_share: float = 0.25
    takes_api: bool = False


def _kill(*names: str) -> Act:
    def act(yard: Yard) -> None:
        for name in names:
            yard.kill(name)

    return act


def _start(*names: str) -> Act:
    return lambda yard: yard.start(*names)


class _Primary:
    """Kills the node that holds the records' primary while bulk writes go to it."""

    def __init__(self) -> None:
        self._killed = ""

    def begin(self, yard: Yard) -> None:
        self._killed = yard.node_of_primary(f"{PREFIX}-records")
        yard.kill(self._killed)

    def mend(self, yard: Yard) -> None:
        yard.start(self._killed)


def _replica(yard: Yard) -> str:
    primary = yard.node_of_primary(f"{PREFIX}-records")
    return next(name for name in yard.nodes if name != primary)


class _Replica(_Primary):
    """Kills a node that does not hold it."""

    def begin(self, yard: Yard) -> None:
        self._killed = _replica(yard)
        yard.kill(self._killed)


def _fill_disk(yard: Yard) -> None:
    """Elasticsearch's own answer to a full disk: past the flood stage an index takes no more writes. It looks every
    ten seconds; on return it has looked."""
    _watermarks(yard, "1%")
    until(lambda: _blocked(yard), _LOOKS_WITHIN_S, "Elasticsearch's block of writes")


def _free_disk(yard: Yard) -> None:
    _watermarks(yard, None)
    # With the watch off again nobody else takes the block away.
    yard.client.indices.put_settings(index=f"{PREFIX}-*", settings={_BLOCK: None})


def _watermarks(yard: Yard, percent: str | None) -> None:
    watch = "cluster.routing.allocation.disk"
    levels = {f"{watch}.watermark.{level}": percent for level in ("low", "high", "flood_stage", "flood_stage.frozen")}
    enabled = {f"{watch}.threshold_enabled": None if percent is None else True}
    often = {"cluster.info.update.interval": None if percent is None else "10s"}
    yard.client.cluster.put_settings(persistent={**levels, **enabled, **often})


def _blocked(yard: Yard) -> bool:
    found = yard.client.indices.get_settings(index=f"{PREFIX}-records", name=_BLOCK, flat_settings=True)
    return any(one["settings"].get(_BLOCK) == "true" for one in found.values())


def _cut(yard: Yard) -> None:
    for wire in yard.wires:
        wire.cut()


def _mend_wires(yard: Yard) -> None:
    for wire in yard.wires:
        wire.delay_s = 0.0
        wire.mend()


def _slow(yard: Yard) -> None:
    for wire in yard.wires:
        wire.delay_s = 0.4


def _clock(offset: str) -> Act:
    def act(yard: Yard) -> None:
        if yard.clock is not None:
            with contextlib.suppress(FileNotFoundError):
                yard.clock.write_text(offset, "utf-8")

    return act


def _movable(yard: Yard) -> str | None:
    return None if yard.clock is not None else "the clock of our processes cannot be moved here"


def _several(yard: Yard) -> str | None:
    return None if len(yard.nodes) > 1 else "one node is all there is"


def mend_all(yard: Yard) -> None:
    """Disk, clock and network as they were, every part up, every shard with its copy (or a minute waited for it): a
    node that is killed while the other has not caught up would be another breakage. Raises StackError where a part does
    not come up.
    """
    _mend_wires(yard)
    _clock("+0")(yard)
    yard.start(*yard.nodes, "broker")
    _free_disk(yard)
    yard.start("worker", "beat", "api")
    copied = "green" if len(yard.nodes) > 1 else "yellow"
    yard.client.options(ignore_status=408, request_timeout=90).cluster.health(wait_for_status=copied, timeout="60s")


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
        Breakage("cut", "network to Elasticsearch cut", _cut, _mend_wires),
        Breakage("slow", "network to Elasticsearch slow: .4 s each way", _slow, _mend_wires, 10.0),
    )
