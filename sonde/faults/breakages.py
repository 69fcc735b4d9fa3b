"""What is broken in a trial, and how it is put right again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from sonde.faults.yard import PREFIX, Yard

Act = Callable[[Yard], None]


@dataclass(frozen=True, slots=True)
class Breakage:
    """``lasts_s``: how long it stays broken. ``needs``: why it cannot be tried in this yard, None where it can."""

    name: str
    what: str
    begin: Act
    mend: Act
    lasts_s: float = 5.0
    needs: Callable[[Yard], str | None] = lambda _yard: None


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


def _disk(full: bool) -> Act:
    """Elasticsearch's own answer to a full disk: past the flood stage an index takes no more writes."""
    percent = "1%" if full else None
    levels = {f"cluster.routing.allocation.disk.watermark.{level}": percent for level in ("low", "high", "flood_stage")}
    frozen = {"cluster.routing.allocation.disk.watermark.flood_stage.frozen": percent}

    def act(yard: Yard) -> None:
        enabled = {"cluster.routing.allocation.disk.threshold_enabled": True if full else None}
        often = {"cluster.info.update.interval": "10s" if full else None}
        yard.client.cluster.put_settings(persistent={**levels, **frozen, **enabled, **often})
        if not full:  # with the watch off again nobody else takes the block away
            yard.client.indices.put_settings(
                index=f"{PREFIX}-*", settings={"index.blocks.read_only_allow_delete": None}
            )

    return act


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


def breakages() -> tuple[Breakage, ...]:
    """Each part in turn, then the disk, the clock and the network."""
    primary, replica = _Primary(), _Replica()
    return (
        Breakage("node", "kill -9 of an Elasticsearch node", replica.begin, replica.mend),
        Breakage("primary", "kill -9 of the primary's node during bulk", primary.begin, primary.mend),
        Breakage("broker", "kill -9 of Valkey", _kill("broker"), _start("broker")),
        Breakage("worker", "kill -9 of the worker in mid-batch", _kill("worker"), _start("worker")),
        Breakage("api", "kill -9 of the API during requests", _kill("api"), _start("api"), 1.0),
        Breakage("disk", "disk full: past Elasticsearch's flood stage", _disk(True), _disk(False), 25.0),
        Breakage("clock", "our processes' clock jumps two hours ahead", _clock("+7200"), _clock("+0"), 10.0, _movable),
        Breakage("cut", "network to Elasticsearch cut", _cut, _mend_wires),
        Breakage("slow", "network to Elasticsearch slow: .4 s each way", _slow, _mend_wires, 10.0),
    )
