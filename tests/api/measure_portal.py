"""Figures of the portals' calls: ``python -m tests.api.measure_portal URL PREFIX`` on an index that is there already.

Nothing is written. ``PREFIX`` is an index prefix with many records (the 10,875 of NCAR, say). Each figure stands beside
what was asked for; exit code 1 where one is not reached. The page is measured where Debian's chromium is.
"""

from __future__ import annotations

import logging
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

import structlog
from flask.testing import FlaskClient

from es_gateway.client import Elasticsearch
from sonde.ops.capacity import freeze_loaded_objects
from tests.browser.chromium import chromium
from tests.browser.measure import sizes_kb, soon
from tests.live import serving
from tests.service import Service

QUESTIONS = (
    "sea surface temperature",
    "rainfall",
    "ozone",
    "soil moisture",
    "clouds",
    "radar reflectivity",
    "snow depth",
)
TYPED = ("rainf", "sea surf", "temparature", "germ", "zambai", "precipitaton", "reanal", "soil m", "ozo", "aircr")


def milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000.0


def crawl(http: FlaskClient) -> Iterator[str]:
    address: str | None = "/collections/all/items?limit=1000"
    while address is not None:
        page = http.get(address).get_json()
        yield from (feature["id"] for feature in page["features"])
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        address = following[0].removeprefix("http://localhost") if following else None


@dataclass(frozen=True, slots=True)
class Figure:
    """``most`` or ``least`` is what was asked for; ``more`` is told beside it."""

    what: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    more: str = ""

    @property
    def holds(self) -> bool:
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)

    def __str__(self) -> str:
        return f"{self.what:34} {self.value:>9.1f} {self.unit:10} {self._asked():28} {self.more}".rstrip()

    def _asked(self) -> str:
        if self.most is None and self.least is None:
            return ""
        wanted = f"<= {self.most:g}" if self.most is not None else f">= {self.least:g}"
        return f"asked {wanted}: {'holds' if self.holds else 'NOT REACHED'}"


def timed(what: str, took_ms: list[float], most: float) -> Figure:
    p95 = sorted(took_ms)[int(len(took_ms) * 0.95)]
    return Figure(what, statistics.median(took_ms), "ms", most=most, more=f"p95 {p95:.1f}, {len(took_ms)} calls")


def crawled(http: FlaskClient) -> tuple[Figure, list[str]]:
    """The median of three crawls, and the ids; raises AssertionError where a record came twice."""
    rates = []
    for _ in range(3):
        started = time.perf_counter()
        ids = list(crawl(http))
        rates.append(len(ids) / (time.perf_counter() - started))
        assert len(ids) == len(set(ids)), "a record came twice"
    told = ", ".join(f"{rate:.0f}" for rate in rates)
    return Figure("crawl by next links", statistics.median(rates), "records/s", least=1000, more=f"runs: {told}"), ids


def measure(http: FlaskClient) -> Iterator[Figure]:
    for address in ("/suggest?q=warm", "/search?q=warm&facets=all", "/collections/all/items?limit=100"):
        http.get(address)
    freeze_loaded_objects()  # as the process does that serves
    rate, ids = crawled(http)
    yield Figure("records", len(ids), "")
    yield rate
    chosen = random.Random(8).sample(ids, min(200, len(ids)))
    by_id = [milliseconds(partial(http.get, f"/collections/all/items/{id}")) for id in chosen]
    yield timed("record by id, p50", by_id, 10)
    asked = [f"/search?q={q}&rerank=false" for _ in range(6) for q in QUESTIONS]
    facets = [
        milliseconds(partial(http.get, f"{address}&facets=all")) - milliseconds(partial(http.get, address))
        for address in asked
    ]
    yield timed("all facets add, p50", facets[len(QUESTIONS) :], 30)
    typed = [milliseconds(partial(http.get, f"/suggest?q={text}")) for _ in range(10) for text in TYPED]
    yield timed("suggest, p50", typed, 20)


def measure_page(service: Service) -> Iterator[Figure]:
    with serving(service.app) as address:
        found = soon(f"{address}/", runs=7)
    yield Figure("page: first contentful paint", found.first_paint_ms, "ms", most=1000)
    yield Figure("page: the field takes a question", found.field_ms, "ms", most=2000)
    yield Figure("page: hits of an opened search", found.hits_ms, "ms")
    bundle = sum(size for name, size in sizes_kb().items() if not name.startswith("world-"))
    yield Figure("page: bundle without map data", bundle, "KB gzip", most=400)


def main(url: str, prefix: str) -> int:
    logging.disable(logging.WARNING)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    service = Service(Elasticsearch(url, request_timeout=60), url, prefix)
    sys.stdout.write(f"load before: {os.getloadavg()[0]:.1f}\n")
    figures = []
    for figure in chain(measure(service.http), measure_page(service) if chromium() else ()):
        figures.append(figure)
        sys.stdout.write(f"{figure}\n")
        sys.stdout.flush()
    sys.stdout.write(f"load after: {os.getloadavg()[0]:.1f}\n")
    return 0 if all(figure.holds for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
