"""The same questions in each server's words, asked by clients that wait only for their answers."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from urllib.parse import urlencode

import httpcore

from core.errors import SondeError
from core.json_types import Json
from lab.measures import Spread
from lab.peers.servers import INDEX

TOPICS = (
    "precipitation",
    "ocean temperature",
    "aerosol",
    "soil moisture",
    "sea ice",
    "wind profile",
    "ozone",
    "radar reflectivity",
    "greenhouse gas",
    "lightning",
)
_LIMIT = 10
_WIDTH_DEG, _HEIGHT_DEG = 60.0, 30.0
_TIMEOUTS = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), 60.0)}


@dataclass(frozen=True, slots=True)
class PeerQuestion:
    """A topic and a box of 60 by 30 degrees; ten hits."""

    topic: str
    west: float
    south: float

    @property
    def bbox(self) -> str:
        return f"{self.west:g},{self.south:g},{self.west + _WIDTH_DEG:g},{self.south + _HEIGHT_DEG:g}"


def questions(first: int = 0) -> Iterator[PeerQuestion]:
    """Endless and the same in each run; the box moves, so that few questions are asked twice."""
    for number in count(first):
        yield PeerQuestion(TOPICS[number % len(TOPICS)], -170.0 + (number * 41) % 270, -70.0 + (number * 17) % 110)


@dataclass(frozen=True, slots=True)
class HttpQuestion:
    path: str
    body: bytes | None = None


Words = Callable[[PeerQuestion], HttpQuestion]


def elasticsearch_words(question: PeerQuestion) -> HttpQuestion:
    north, east = question.south + _HEIGHT_DEG, question.west + _WIDTH_DEG
    envelope = {"type": "envelope", "coordinates": [[question.west, north], [east, question.south]]}
    fields = ["properties.title", "properties.description"]
    body: Json = {
        "size": _LIMIT,
        "query": {
            "bool": {
                "must": {"multi_match": {"query": question.topic, "fields": fields}},
                "filter": {"geo_shape": {"geometry": {"shape": envelope, "relation": "intersects"}}},
            }
        },
    }
    return HttpQuestion(f"/{INDEX}/_search", json.dumps(body).encode())


def pygeoapi_words(question: PeerQuestion) -> HttpQuestion:
    return _get("/collections/records/items", question, {"f": "json"})


def stac_words(question: PeerQuestion) -> HttpQuestion:
    return _get("/search", question, {"collections": "records"})


def sonde_words(parameters: Mapping[str, str]) -> Words:
    return lambda question: _get("/search", question, parameters)


def _get(path: str, question: PeerQuestion, parameters: Mapping[str, str]) -> HttpQuestion:
    return HttpQuestion(
        f"{path}?{urlencode({**parameters, 'limit': str(_LIMIT), 'q': question.topic, 'bbox': question.bbox})}"
    )


@dataclass(frozen=True, slots=True)
class PeerFigures:
    """One server at one number of clients; ``per_second`` and ``latency_ms`` are of answers with status 200."""

    server: str
    clients: int
    per_second: float
    latency_ms: Spread | None
    failed: int


def measure(
    server: str, url: str, words: Words, clients: int, seconds: float, headers: Mapping[str, str]
) -> PeerFigures:
    """Each client asks the next question as soon as it has an answer, for that long."""
    numbers = count(0, 1_000)
    with ThreadPoolExecutor(clients) as pool:
        started_s = time.perf_counter()

        def client(first: int) -> list[tuple[float, bool]]:
            replies = []
            with httpcore.ConnectionPool(max_connections=1) as connections:
                for question in questions(first):
                    replies.append(_ask(connections, url, words(question), headers))
                    if time.perf_counter() - started_s >= seconds:
                        break
            return replies

        futures = [pool.submit(client, next(numbers)) for _ in range(clients)]
        replies = [reply for future in futures for reply in future.result()]
        took = time.perf_counter() - started_s
    good_ms = [took_ms for took_ms, right in replies if right]
    spread = Spread.of(good_ms) if good_ms else None
    return PeerFigures(server, clients, len(good_ms) / took, spread, len(replies) - len(good_ms))


def hits(url: str, words: Words, headers: Mapping[str, str], count: int = 20) -> float:
    """The mean number of hits of the first questions. Raises SondeError if a server finds nothing at all."""
    total = 0
    with httpcore.ConnectionPool() as connections:
        for question in itertools.islice(questions(), count):
            answer = _answer(connections, url, words(question), headers)
            content = json.loads(answer.content) if answer.status == 200 else {}
            total += len(content["hits"]["hits"] if "hits" in content else content.get("features", ()))
    if not total:
        raise SondeError(f"{url} finds nothing: these figures would mean nothing.")
    return total / count


def _ask(
    connections: httpcore.ConnectionPool, url: str, question: HttpQuestion, headers: Mapping[str, str]
) -> tuple[float, bool]:
    """Milliseconds, and whether it was answered with 200."""
    started_s = time.perf_counter()
    try:
        answer = _answer(connections, url, question, headers)
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
        return (time.perf_counter() - started_s) * 1000.0, False
    return (time.perf_counter() - started_s) * 1000.0, answer.status == 200


def _answer(
    connections: httpcore.ConnectionPool, url: str, question: HttpQuestion, headers: Mapping[str, str]
) -> httpcore.Response:
    request_headers: dict[bytes | str, bytes | str] = {"accept": "application/json"}
    request_headers.update(headers)
    if question.body is not None:
        request_headers["content-type"] = "application/json"
    method = "GET" if question.body is None else "POST"
    return connections.request(
        method, f"{url}{question.path}", headers=request_headers, content=question.body, extensions=_TIMEOUTS
    )
