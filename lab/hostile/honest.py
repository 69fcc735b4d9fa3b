"""Searchers who mean no harm, and the probes of whoever runs the service."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import httpx

from lab.load.clients import ApiConnection, SearchReply

_PROBE_EVERY_S = 0.5
_PROBE_TIMEOUT_S = 3.0
_THINK_S = 0.5
_TOPICS = ("rainfall", "glacier mass", "soil moisture", "river discharge", "sea level", "land cover", "snow depth")
_PLACES = (
    "in the Alps",
    "in Kenya",
    "of the Baltic Sea",
    "in Bolivia",
    "since 1990",
    "in summer 2003",
    "in the tropics",
)


def questions() -> list[str]:
    return [f"{topic} {place}" for place in _PLACES for topic in _TOPICS]


@dataclass
class ProbeLog:
    """Of ``/healthz`` and ``/readyz``: how many were asked, which failed, how long the slowest took."""

    asked: int = 0
    failed: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


def searching(url: str, searchers: int, seconds: float) -> list[SearchReply]:
    """Every searcher, each from an address of its own, asks, reads half a second and asks again."""
    with ThreadPoolExecutor(searchers, thread_name_prefix="honest") as pool:
        running: list[Future[list[SearchReply]]] = [
            pool.submit(_search, url, number, time.monotonic() + seconds) for number in range(searchers)
        ]
        return [reply for one in running for reply in one.result()]


def _search(url: str, number: int, ends: float) -> list[SearchReply]:
    replies = []
    time.sleep(_THINK_S * number / 10)  # nobody begins at the same moment
    with closing(ApiConnection.at(url, 1, source=f"127.0.0.{100 + number}")) as api:
        for question in _from(questions(), number):
            replies.append(api.reply_to({"q": question})[0])
            if time.monotonic() + _THINK_S > ends:
                return replies
            time.sleep(_THINK_S)
    return replies


def _from(asked: Sequence[str], number: int) -> Iterator[str]:
    place = number * 5 % len(asked)
    return itertools.cycle([*asked[place:], *asked[:place]])


@contextmanager
def probing(url: str) -> Iterator[ProbeLog]:
    """Asks by a connection of its own each time, as a kubelet does."""
    found, stop = ProbeLog(), threading.Event()
    thread = threading.Thread(target=_probe, args=(url, found, stop), name="probes", daemon=True)
    thread.start()
    try:
        yield found
    finally:
        stop.set()
        thread.join()


def _probe(url: str, found: ProbeLog, stop: threading.Event) -> None:
    while not stop.wait(_PROBE_EVERY_S):
        for path in ("/healthz", "/readyz"):
            begun = time.monotonic()
            wrong = trouble(url + path)
            found.asked += 1
            found.slowest_s = max(found.slowest_s, time.monotonic() - begun)
            if wrong is not None:
                found.failed.append(f"{path}: {wrong}")


def trouble(address: str) -> str | None:
    """What is wrong with a probe's answer; None where it is 200 within three seconds."""
    try:
        status = httpx.get(address, timeout=_PROBE_TIMEOUT_S).status_code
    except httpx.HTTPError as error:
        return type(error).__name__
    return None if status == httpx.codes.OK else str(status)
