"""Attackers at work: bounded in number and time, and stopped by themselves."""

from __future__ import annotations

import itertools
import multiprocessing
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from lab.hostile.attacks import Attack, UnfinishedRequest
from lab.malformed.sender import MalformedRequest, ask

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
