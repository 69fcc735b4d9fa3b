"""Runs each attack while honest searchers ask, and compares with the same searchers without an attack.

Attackers are limited in number and time, and end by themselves.
"""

from __future__ import annotations

import ipaddress
import itertools
import multiprocessing
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from core.json_types import Json
from lab.hostile.attacks import Attack, UnfinishedRequest
from lab.load.clients import ApiConnection, SearchReply
from lab.malformed.sender import MalformedRequest, ask
from lab.measures import Spread
from lab.waiting import trouble

ADDRESS = "127.0.0.66"
"""All attackers come from one address of this machine, the honest searchers from others."""

MOST_REQUESTS = 20_000
_GIVES_UP_S = 10.0
_LONGEST_S = 600.0


@dataclass
class AttackTally:
    """``answers``: how often each status, or what came instead; ``failed``: 5xx, but for a 503 with Retry-After."""

    answers: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    @property
    def sent(self) -> int:
        return self.answers.total()


@contextmanager
def attack_apart(url: str, attack: Attack) -> Iterator[AttackTally]:
    """As ``attacking``, in a separate process: attackers and searchers share the machine, not an interpreter."""
    context, tally = multiprocessing.get_context("spawn"), AttackTally()
    stop, started, results = context.Event(), context.Event(), context.SimpleQueue()
    child = context.Process(target=_run_attack, args=(url, attack, stop, started, results), daemon=True)
    child.start()
    started.wait(_GIVES_UP_S)
    try:
        yield tally
    finally:
        stop.set()
        child.join(2 * _GIVES_UP_S)
        if child.exitcode is None:
            child.kill()
        elif not results.empty():
            tally.answers, tally.failed = results.get()


def _run_attack(url: str, attack: Attack, stop: Any, started: Any, results: Any) -> None:
    with attacking(url, attack) as tally:
        started.set()
        stop.wait(_LONGEST_S)
    results.put((tally.answers, tally.failed))


@contextmanager
def attacking(url: str, attack: Attack) -> Iterator[AttackTally]:
    """The attack lasts until the end of the block; then its tally is complete."""
    tally, stop = AttackTally(), threading.Event()
    number = attack.attackers if attack.unfinished is None else 1
    with ThreadPoolExecutor(number, thread_name_prefix="attacker") as pool:
        for attacker in range(number):
            if attack.unfinished is not None:
                pool.submit(_hold, url, attack.unfinished, tally, stop)
            else:
                pool.submit(_send, url, attack, attacker, tally, stop)
        try:
            yield tally
        finally:
            stop.set()


def _send(url: str, attack: Attack, first: int, tally: AttackTally, stop: threading.Event) -> None:
    place = first * len(attack.wires) // attack.attackers
    for wire in itertools.cycle([*attack.wires[place:], *attack.wires[:place]]):
        if stop.is_set() or tally.sent >= MOST_REQUESTS:
            return
        outcome = ask(url, MalformedRequest(0, "wire", wire), _GIVES_UP_S, ADDRESS)
        tally.answers[str(outcome.status) if outcome.status else outcome.verdict] += 1
        tally.failed += outcome.verdict == "failed"


def _hold(url: str, request: UnfinishedRequest, tally: AttackTally, stop: threading.Event) -> None:
    """Opens a socket again if the server closed it, once in each turn."""
    place = urlsplit(url)
    wires: list[socket.socket | None] = [None] * request.sockets
    sends_s = time.monotonic()
    while not stop.is_set():
        for number, wire in enumerate(wires):
            wires[number] = _with_one_more_byte(wire, request, tally) or _open(
                place.hostname or "", place.port or 80, request, tally
            )
        sends_s += request.every_s
        stop.wait(max(0.0, sends_s - time.monotonic()))
    for wire in wires:
        if wire is not None:
            tally.answers["still held"] += 1
            wire.close()


def _open(host: str, port: int, request: UnfinishedRequest, tally: AttackTally) -> socket.socket | None:
    try:
        wire = socket.create_connection((host, port), timeout=1.0, source_address=(ADDRESS, 0))
        wire.sendall(request.opening)
    except OSError:
        tally.answers["not taken"] += 1
        return None
    wire.setblocking(False)
    return wire


def _with_one_more_byte(
    wire: socket.socket | None, request: UnfinishedRequest, tally: AttackTally
) -> socket.socket | None:
    """The socket with one byte more sent, or None if the server answered or closed it."""
    if wire is None:
        return None
    with suppress(BlockingIOError):
        try:
            answer = wire.recv(64)
        except BlockingIOError:
            wire.send(request.drip)
            return wire
        except OSError:
            answer = b""
        tally.answers[answer[9:12].decode("latin-1") if answer.startswith(b"HTTP/") else "closed"] += 1
        wire.close()
        return None
    return wire


_PROBE_EVERY_S = 0.5
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
    with closing(ApiConnection.at(url, source=f"127.0.0.{100 + number}")) as api:
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
    description: str
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

    def wrong(self, baseline: AttackOutcome, ratio: float | None) -> list[str]:
        """What did not hold; empty where everything did."""
        problems = [f"{self.refused} refused"] if self.refused else []
        problems += [f"{self.failed} failed"] if self.failed else []
        problems += ["nobody was answered"] if not self.answered else []
        problems += [f"{len(self.probes_failed)} probes failed"] if self.probes_failed else []
        problems += [f"{self.attack_failed} of 5xx"] if self.attack_failed else []
        for name, value, usual in (("p50", self.p50_ms, baseline.p50_ms), ("p95", self.p95_ms, baseline.p95_ms)):
            if ratio is not None and usual and value > ratio * usual:
                problems.append(f"{name} {value / usual:.1f} times the usual")
        return problems

    def as_json(self) -> Json:
        return asdict(self)


def run_attacks(
    url: str, attacks_to_run: Sequence[Attack], terms: AttackTerms, probes_url: str | None = None
) -> Iterator[AttackOutcome]:
    """First the searchers alone, then each attack. Raises ValueError if the address is not this machine's."""
    if not ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback:
        raise ValueError(f"{url} is not an address of this machine; attacks go nowhere else")
    probed = probes_url or url
    run_searchers(url, terms.searchers, min(_WARM_UP_S, terms.seconds))
    with probe(probed) as probes:
        replies = run_searchers(url, terms.searchers, terms.seconds)
    yield _outcome(NOBODY, replies, probes, AttackTally())
    for attack in attacks_to_run:
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
    answered_replies = [reply for reply in replies if reply.status == 200]
    refused = sum(reply.refused for reply in replies)
    times = Spread.of([reply.took_ms for reply in answered_replies]) if answered_replies else None
    return AttackOutcome(
        attack.name,
        attack.description,
        len(answered_replies),
        refused,
        len(replies) - len(answered_replies) - refused,
        sum(reply.degraded for reply in answered_replies),
        times.p50 if times else 0.0,
        times.p95 if times else 0.0,
        probes.asked,
        tuple(probes.failed),
        probes.slowest_s,
        tally.sent,
        dict(tally.answers),
        tally.failed,
    )
