"""The base layer that pages show now: of a WMTS its capabilities are read beside the requests, and read again daily."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from core.errors import SondeError
from net.exchange import Outgoing
from net.gate import Gate
from search_api.page.base_layer.tiles import BaseLayer, Named, quad_grids, within_zooms
from search_api.page.base_layer.wmts import NotDrawable, read_wmts

log = structlog.get_logger(__name__)

_KEPT_S = 86_400.0
_AGAIN_S = 300.0
_MOST_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Zooms:
    """Of the map: 0 shows the world in 512 pixels."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class WmtsLayer:
    """A layer of a WMTS by its capabilities; ``matrix_set`` None takes the first that the map can draw."""

    capabilities: str
    layer: str
    matrix_set: str | None = None


def xyz_layer(named: Named, template: str, zooms: Zooms) -> BaseLayer:
    return BaseLayer(named, template, quad_grids(zooms.least, zooms.most))


def wmts_layer(named: Named, wmts: WmtsLayer, zooms: Zooms, gate: Gate) -> BaseLayer:
    """Asks the host. Raises NotDrawable, Refused, Unavailable and BadStatus."""
    answer = gate.request(Outgoing(wmts.capabilities, max_bytes=_MOST_BYTES)).expect_ok()
    template, grids = read_wmts(answer.content, answer.url, wmts.layer, wmts.matrix_set)
    kept = within_zooms(grids, zooms.least, zooms.most)
    if not kept:
        raise NotDrawable(f"has no tiles between the zooms {zooms.least} and {zooms.most}")
    return BaseLayer(named, template, kept)


@dataclass(slots=True)
class LiveBaseLayer:
    """Thread-safe. No request waits for the other host: until it has answered, pages have no base layer."""

    read: Callable[[], BaseLayer]
    now: Callable[[], float] = time.monotonic
    _known: BaseLayer | None = field(default=None, init=False)
    _next: float = field(default=float("-inf"), init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def current(self) -> BaseLayer | None:
        with self._lock:
            due = self.now() >= self._next
            if due:
                self._next = self.now() + _AGAIN_S  # other requests meanwhile do not ask too
        if due:
            threading.Thread(target=self._refresh, name="base-layer", daemon=True).start()
        return self._known

    def _refresh(self) -> None:
        try:
            self._known = self.read()
        except (NotDrawable, SondeError) as error:  # the last one stays
            log.warning("base_layer.not_read", reason=str(error))
            return
        with self._lock:
            self._next = self.now() + _KEPT_S


def no_base_layer() -> None:
    return None
