"""Figures of docs/standards.md: ``python -m tests.api.measure_portal URL PREFIX`` on an index that is there already.

Nothing is written. ``PREFIX`` is an index prefix with many records (the 10,875 of NCAR, say).
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator

from elasticsearch import Elasticsearch
from flask.testing import FlaskClient

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


def middle(took: list[float]) -> dict[str, float]:
    return {"p50_ms": round(statistics.median(took), 1), "p95_ms": round(sorted(took)[int(len(took) * 0.95)], 1)}


def crawl(http: FlaskClient) -> Iterator[str]:
    address: str | None = "/collections/all/items?limit=1000"
    while address is not None:
        page = http.get(address).get_json()
        yield from (feature["id"] for feature in page["features"])
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        address = following[0].removeprefix("http://localhost") if following else None


def measure(http: FlaskClient) -> dict[str, object]:
    http.get("/suggest?q=warm")
    started = time.perf_counter()
    ids = list(crawl(http))
    seconds = time.perf_counter() - started
    chosen = random.Random(8).sample(ids, min(200, len(ids)))
    facets = [
        http.get(f"/search?q={q}&rerank=false&facets=all").get_json()["sonde:took_ms"]["facets"]
        for _ in range(4)
        for q in QUESTIONS
    ]
    return {
        "records": len(ids),
        "twice": len(ids) - len(set(ids)),
        "crawl_records_per_s": round(len(ids) / seconds),
        "item": middle([milliseconds(lambda i=i: http.get(f"/collections/all/items/{i}")) for i in chosen]),  # type: ignore[misc]
        "facets": middle(facets[len(QUESTIONS) :]),
        "suggest": middle([milliseconds(lambda t=t: http.get(f"/suggest?q={t}")) for _ in range(5) for t in TYPED]),  # type: ignore[misc]
    }


if __name__ == "__main__":
    url, prefix = sys.argv[1:]
    service = Service(Elasticsearch(url, request_timeout=60), url, prefix)
    sys.stdout.write(json.dumps(measure(service.http), indent=2) + "\n")
