"""Runs each attack while honest searchers ask, and compares with the same searchers without an attack."""

from __future__ import annotations

import ipaddress
import itertools
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

import httpx

from core.json_types import Json
from lab.hostile.attacks import Attack
from lab.hostile.sending import AttackTally, attack_apart
from lab.load.clients import ApiConnection, SearchReply
from lab.measures import Spread

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
_WARM_UP_S = 5.0
_BEGINS_S = 1.0
_RECOVERS_S = 60.0
NOBODY = Attack("nobody", "honest searchers alone")


def questions() -> list[str]:
    return [f"{topic} {place}" for place in _PLACES for topic in _TOPICS]


@dataclass
class ProbeLog:
    """Of ``/healthz`` and ``/readyz``: how many were asked, which failed, how long the slowest took."""

    asked: int = 0
    failed: list[str] = field(default_factory=list)
    slowest_s: float = 0.0


def run_searchers(url: str, searchers: int, seconds: float) -> list[SearchReply]:
    """Each searcher has another address; it asks, reads for half a second and asks again."""
    with ThreadPoolExecutor(searchers, thread_name_prefix="honest") as pool:
        futures: list[Future[list[SearchReply]]] = [
            pool.submit(_search, url, number, time.monotonic() + seconds) for number in range(searchers)
        ]
        return [reply for searcher in futures for reply in searcher.result()]


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


def _from(questions: Sequence[str], number: int) -> Iterator[str]:
    place = number * 5 % len(questions)
    return itertools.cycle([*questions[place:], *questions[:place]])


@contextmanager
def probe(url: str) -> Iterator[ProbeLog]:
    """Probes with a new connection each time, as a kubelet does."""
    probes, stop = ProbeLog(), threading.Event()
    thread = threading.Thread(target=_probe, args=(url, probes, stop), name="probes", daemon=True)
    thread.start()
    try:
        yield probes
    finally:
        stop.set()
        thread.join()


def _probe(url: str, probes: ProbeLog, stop: threading.Event) -> None:
    while not stop.wait(_PROBE_EVERY_S):
        for path in ("/healthz", "/readyz"):
            started_s = time.monotonic()
            problem = trouble(url + path)
            probes.asked += 1
            probes.slowest_s = max(probes.slowest_s, time.monotonic() - started_s)
            if problem is not None:
                probes.failed.append(f"{path}: {problem}")


def trouble(address: str) -> str | None:
    """What is wrong with a probe's answer; None if it is 200 within three seconds."""
    try:
        status = httpx.get(address, timeout=_PROBE_TIMEOUT_S).status_code
    except httpx.HTTPError as error:
        return type(error).__name__
    return None if status == httpx.codes.OK else str(status)


@dataclass(frozen=True, slots=True)
class AttackTerms:
    """``ratio``: how many times their usual time honest searchers may wait; None if any answer will do."""

    searchers: int = 10
    seconds: float = 20.0
    ratio: float | None = 2.0


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """Of honest searchers: how many were answered, refused, failed, and how soon; of the attack: what it met."""

    attack: str
    told: str
    answered: int
    refused: int
    failed: int
    degraded: int
    p50_ms: float
    p95_ms: float
    probes: int
    probes_failed: tuple[str, ...]
    slowest_probe_s: float
    sent: int
    answers: dict[str, int]
    attack_failed: int

    def wrong(self, alone: AttackOutcome, ratio: float | None) -> list[str]:
        """What did not hold; empty where everything did."""
        problems = [f"{self.refused} refused"] if self.refused else []
        problems += [f"{self.failed} failed"] if self.failed else []
        problems += ["nobody was answered"] if not self.answered else []
        problems += [f"{len(self.probes_failed)} probes failed"] if self.probes_failed else []
        problems += [f"{self.attack_failed} of 5xx"] if self.attack_failed else []
        for name, value, usual in (("p50", self.p50_ms, alone.p50_ms), ("p95", self.p95_ms, alone.p95_ms)):
            if ratio is not None and usual and value > ratio * usual:
                problems.append(f"{name} {value / usual:.1f} times the usual")
        return problems

    def as_json(self) -> Json:
        return asdict(self)


def run_attacks(
    url: str, chosen: Sequence[Attack], terms: AttackTerms, probes_url: str | None = None
) -> Iterator[AttackOutcome]:
    """First the searchers alone, then each attack. Raises ValueError if the address is not this machine's."""
    if not ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback:
        raise ValueError(f"{url} is not an address of this machine; attacks go nowhere else")
    probed = probes_url or url
    run_searchers(url, terms.searchers, min(_WARM_UP_S, terms.seconds))
    with probe(probed) as probes:
        replies = run_searchers(url, terms.searchers, terms.seconds)
    yield _outcome(NOBODY, replies, probes, AttackTally())
    for attack in chosen:
        with probe(probed) as probes, attack_apart(url, attack) as tally:
            time.sleep(min(_BEGINS_S, terms.seconds))
            replies = run_searchers(url, terms.searchers, terms.seconds)
        yield _outcome(attack, replies, probes, tally)
        _wait_for_recovery(probed)


def _wait_for_recovery(url: str) -> None:
    """Waits until the service is well again, so that the next attack is measured alone."""
    ends_s = time.monotonic() + _RECOVERS_S
    while trouble(f"{url}/healthz") is not None and time.monotonic() < ends_s:
        time.sleep(0.5)


def _outcome(attack: Attack, replies: Sequence[SearchReply], probes: ProbeLog, tally: AttackTally) -> AttackOutcome:
    good = [reply for reply in replies if reply.status == 200]
    refused = sum(reply.refused for reply in replies)
    times = Spread.of([reply.took_ms for reply in good]) if good else None
    return AttackOutcome(
        attack.name,
        attack.description,
        len(good),
        refused,
        len(replies) - len(good) - refused,
        sum(reply.degraded for reply in good),
        times.p50 if times else 0.0,
        times.p95 if times else 0.0,
        probes.asked,
        tuple(probes.failed),
        probes.slowest_s,
        tally.sent,
        dict(tally.answers),
        tally.failed,
    )
