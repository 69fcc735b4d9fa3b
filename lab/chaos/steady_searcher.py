"""Searches at a steady rate while parts of the service fail, and records each outcome."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import httpx

Verdict = Literal["right", "degraded", "refused", "unreachable", "unmarked", "failed"]
"""``right``: as before the fault. ``degraded``: marked so. ``refused``: 503 with Retry-After, or 429. ``unreachable``:
no connection. ``unmarked``: another answer than before the fault that does not say so. ``failed``: 500 or any other.
"""
_TIE = 0.02
"""Hits whose scores (0..1) differ by at most this may change places: two samples that did were .008 apart."""
BAD: frozenset[Verdict] = frozenset(("unmarked", "failed"))


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """One search: when it was answered (seconds, monotonic), how, after how many ms; what the answer lacks, its best
    hit's id.
    """

    at: float
    verdict: Verdict
    took_ms: float
    detail: str = ""
    lacks: frozenset[str] = frozenset()
    question: str = ""
    first: str = ""

    @property
    def began(self) -> float:
        return self.at - self.took_ms / 1000.0

    @property
    def gave_up(self) -> bool:
        """Whether no answer came in time."""
        return self.detail == httpx.ReadTimeout.__name__


@dataclass
class SteadySearcher:
    """Asks ``url`` the same questions in turn.

    ``expected``: for each question, the first hit before the fault, and hits with almost the same score. Other hits may
    change places, because each new record changes how rare a word is. ``missing``: parts that were degraded before the
    fault, which are not counted.
    """

    url: str
    questions: Sequence[str]
    source: str
    expected: dict[str, frozenset[str]] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    log: list[SearchOutcome] = field(default_factory=list)

    def learn(self, timeout_s: float = 180.0) -> None:
        """Asks each question before the fault; asks again if the service, which has just started, answers that it is
        busy.

        Raises RuntimeError if that gives no complete answer within ``timeout_s``.
        """
        with httpx.Client(timeout=30) as client:
            for question in self.questions:
                answer = self._patiently(client, question, time.monotonic() + timeout_s)
                if answer.status_code != 200 or not answer.json()["features"]:
                    raise RuntimeError(f"{question!r} is not answered before any fault: {answer.text[:300]}")
                self.expected[question] = _best_ids(answer)
                self.missing |= _degraded_parts(answer)

    def learn_answers(self, timeout_s: float = 60.0) -> None:
        """Adds what leads now: with thousands of records more, words weigh otherwise than before.

        A question that is not answered whole within ``timeout_s`` (for all of them) is left as it was.
        """
        ends_at = time.monotonic() + timeout_s
        with httpx.Client(timeout=30) as client:
            for question in self.questions:
                while time.monotonic() < ends_at:
                    answer = self._patiently(client, question, ends_at)
                    if (
                        answer.status_code == 200
                        and answer.json()["features"]
                        and _degraded_parts(answer) <= self.missing
                    ):
                        self.expected[question] |= _best_ids(answer)
                        break
                    time.sleep(1.0)

    def rejudge(self, search: SearchOutcome) -> SearchOutcome:
        """An unmarked answer becomes right if its first hit is now among the expected ones (see ``learn_answers``)."""
        if search.verdict == "unmarked" and search.first in self.expected[search.question]:
            return replace(search, verdict="right", detail="")
        return search

    def _patiently(self, client: httpx.Client, question: str, ends_at: float) -> httpx.Response:
        while True:
            answer = client.get(f"{self.url}/search", params=self._parameters(question))
            if answer.status_code != 503 or time.monotonic() > ends_at:
                return answer
            time.sleep(1.0)

    @contextmanager
    def ask_steadily(self, per_second: float) -> Iterator[None]:
        """In the background for as long as the block lasts; ``log`` grows."""
        stop = threading.Event()
        # The client outlives the pool: what was asked last is still answered.
        with httpx.Client(timeout=30) as client, ThreadPoolExecutor(64, thread_name_prefix="asker") as pool:

            def pace() -> None:
                number, started_at = 0, time.monotonic()
                while not stop.wait(max(0.0, started_at + number / per_second - time.monotonic())):
                    pool.submit(self._ask, client, self.questions[number % len(self.questions)])
                    number += 1

            thread = threading.Thread(target=pace, name="pace", daemon=True)
            thread.start()
            try:
                yield
            finally:
                stop.set()
                thread.join()

    def first_right_after(self, at: float, missing_parts: frozenset[str] = frozenset()) -> float | None:
        """Seconds from ``at`` to the first answer that was right again; None if none was.

        ``missing_parts``: parts that answers lacked before the fault, and may still lack: a busy machine leaves the
        cross-encoder out in any case.
        """
        right_at_times = (
            search.at
            for search in list(self.log)
            if search.verdict in ("right", "degraded") and search.lacks <= missing_parts
        )
        times = [right_at for right_at in right_at_times if right_at > at]
        return min(times) - at if times else None

    def missing_parts(self) -> frozenset[str]:
        """The parts that any answer so far lacked, beyond those in ``missing``."""
        return frozenset(name for search in list(self.log) for name in search.lacks)

    def _ask(self, client: httpx.Client, question: str) -> None:
        started_at, lacks, first = time.monotonic(), frozenset[str](), ""
        try:
            answer = client.get(f"{self.url}/search", params=self._parameters(question))
            lacks = _degraded_parts(answer) - self.missing if answer.status_code == 200 else lacks
            first = _first(answer) if answer.status_code == 200 else first
            verdict, detail = self._judge(question, answer, lacks)
        except httpx.ConnectError:
            verdict, detail = "unreachable", ""
        except httpx.RemoteProtocolError:  # killed while it answered
            verdict, detail = "unreachable", "broken off"
        except httpx.HTTPError as error:
            verdict, detail = ("unreachable" if isinstance(error, httpx.ReadError) else "failed"), type(error).__name__
        ended_at = time.monotonic()
        self.log.append(
            SearchOutcome(ended_at, verdict, (ended_at - started_at) * 1000, detail, lacks, question, first)
        )

    def _judge(self, question: str, answer: httpx.Response, lacks: frozenset[str]) -> tuple[Verdict, str]:
        if answer.status_code == 200:
            if lacks:
                return "degraded", ", ".join(sorted(lacks))
            return (
                ("right", "")
                if _first(answer) in self.expected[question]
                else ("unmarked", f"{question}: {_first(answer)}")
            )
        if answer.status_code in (503, 429) and "Retry-After" in answer.headers:
            return "refused", str(answer.status_code)
        return "failed", f"{answer.status_code} {answer.text[:200]}"

    def _parameters(self, question: str) -> dict[str, str]:
        return {"q": question, "source": self.source, "limit": "5"}


def _first(answer: httpx.Response) -> str:
    """The id of the best hit; empty where nothing was found."""
    return next((str(feature["id"]) for feature in answer.json()["features"]), "")


def _best_ids(answer: httpx.Response) -> frozenset[str]:
    """The ids of the best hit and of those that come as near to its score as the statistics of words may move it."""
    features = answer.json()["features"]
    best = features[0].get("sonde:score", 0.0)
    near_best = (feature for feature in features[1:] if best and best - feature["sonde:score"] <= _TIE)
    return frozenset(str(feature["id"]) for feature in (features[0], *near_best))


def _degraded_parts(answer: httpx.Response) -> frozenset[str]:
    return frozenset(answer.json().get("sonde:degraded") or ())
