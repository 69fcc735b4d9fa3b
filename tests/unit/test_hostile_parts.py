"""What is said of an attack, and that attackers are bounded and go nowhere but this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from lab.hostile.attacks import Attack, UnfinishedRequest, attacks
from lab.hostile.course import ADDRESS, AttackOutcome, AttackTerms, attack_apart, attacking, run_attacks

ALONE = AttackOutcome("nobody", "alone", 100, 0, 0, 0, 100.0, 300.0, 40, (), 0.1, 0, {}, 0)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (ALONE, []),
        (replace(ALONE, p50_ms=199.0, p95_ms=599.0), []),
        (replace(ALONE, p50_ms=201.0), ["p50 2.0 times the usual"]),
        (replace(ALONE, p95_ms=900.0), ["p95 3.0 times the usual"]),
        (replace(ALONE, refused=2), ["2 refused"]),
        (replace(ALONE, failed=1, probes_failed=("/healthz: ReadTimeout",)), ["1 failed", "1 probes failed"]),
        (replace(ALONE, answered=0, p50_ms=0.0, p95_ms=0.0), ["nobody was answered"]),
        (replace(ALONE, attack_failed=3), ["3 of 5xx"]),
        (replace(ALONE, degraded=50), []),
    ],
)
def test_the_verdict_of_an_attack(outcome: AttackOutcome, said: list[str]) -> None:
    assert outcome.wrong(ALONE, 2.0) == said


def test_without_a_ratio_any_answer_will_do() -> None:
    assert replace(ALONE, p50_ms=9e9).wrong(ALONE, None) == []


def test_attacks_go_to_this_machine_alone() -> None:
    with pytest.raises(ValueError, match="nowhere else"):
        next(run_attacks("http://192.0.2.1:80", attacks(""), AttackTerms()))


@pytest.fixture
def deaf() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A server that takes connections, remembers from where, and closes each after its first bytes."""
    seen: list[tuple[str, bytes]] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            while True:
                try:
                    wire, (host, _) = server.accept()
                except OSError:
                    return
                with wire:
                    seen.append((host, wire.recv(10)))

        threading.Thread(target=take, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", seen
        server.shutdown(socket.SHUT_RDWR)


def test_a_flood_ends_with_its_block_and_comes_from_one_address(deaf: tuple[str, list[tuple[str, bytes]]]) -> None:
    url, seen = deaf
    with attacking(url, Attack("a", "b", (b"GET / HTTP/1.1\r\n\r\n",), attackers=2)) as came:
        while came.sent < 10:
            pass
    assert {host for host, _ in seen} == {ADDRESS}
    ended = came.sent
    assert set(came.answers) == {"no answer"}
    assert came.sent == ended


def test_attackers_of_a_process_of_their_own_say_what_they_met(deaf: tuple[str, list[tuple[str, bytes]]]) -> None:
    url, seen = deaf
    with attack_apart(url, Attack("a", "b", (b"GET / HTTP/1.1\r\n\r\n",), attackers=1)) as came:
        while len(seen) < 3:
            pass
    assert came.answers["no answer"] >= 2


def test_what_is_held_is_opened_again_when_the_server_closes_it(deaf: tuple[str, list[tuple[str, bytes]]]) -> None:
    url, seen = deaf
    with attacking(url, Attack("a", "b", unfinished=UnfinishedRequest(b"GET", b"X", every_s=0.01, sockets=3))) as came:
        while came.answers["closed"] < 7:
            pass
    assert len(seen) > 6
    assert all(said.startswith(b"GET") for _, said in seen)


def test_every_attack_is_a_few_whole_requests_or_one_that_never_ends() -> None:
    for attack in attacks("key"):
        assert (attack.unfinished is None) == bool(attack.wires)
        assert all(b"\r\n\r\n" in wire for wire in attack.wires)
