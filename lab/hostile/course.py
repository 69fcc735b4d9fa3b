"""Each attack beside honest searchers, measured against the same searchers alone, and what is said of it."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from core.json_types import Json
from lab.benchmarks.timing import Spread
from lab.hostile.attacks import Attack
from lab.hostile.honest import ProbeLog, probing, searching, trouble
from lab.hostile.sending import AttackTally, attacking_apart
from lab.load.clients import SearchReply

_WARM_UP_S = 5.0
_BEGINS_S = 1.0
_RECOVERS_S = 60.0


@dataclass(frozen=True, slots=True)
class AttackTerms:
    """``ratio``: how many times their usual time honest searchers may wait; None where any answer will do."""

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
        said = [f"{self.refused} refused"] if self.refused else []
        said += [f"{self.failed} failed"] if self.failed else []
        said += ["nobody was answered"] if not self.answered else []
        said += [f"{len(self.probes_failed)} probes failed"] if self.probes_failed else []
        said += [f"{self.attack_failed} of 5xx"] if self.attack_failed else []
        for name, now, before in (("p50", self.p50_ms, alone.p50_ms), ("p95", self.p95_ms, alone.p95_ms)):
            if ratio is not None and before and now > ratio * before:
                said.append(f"{name} {now / before:.1f} times the usual")
        return said

    def as_json(self) -> Json:
        return asdict(self)


NOBODY = Attack("nobody", "honest searchers alone")


def run_attacks(
    url: str, chosen: Sequence[Attack], terms: AttackTerms, probes_url: str | None = None
) -> Iterator[AttackOutcome]:
    """First the searchers alone, then each attack. Raises ValueError where the address is not this machine's."""
    if not ipaddress.ip_address(urlsplit(url).hostname or "").is_loopback:
        raise ValueError(f"{url} is not an address of this machine; attacks go nowhere else")
    probed = probes_url or url
    searching(url, terms.searchers, min(_WARM_UP_S, terms.seconds))
    with probing(probed) as probes:
        replies = searching(url, terms.searchers, terms.seconds)
    yield _outcome(NOBODY, replies, probes, AttackTally())
    for attack in chosen:
        with probing(probed) as probes, attacking_apart(url, attack) as came:
            time.sleep(min(_BEGINS_S, terms.seconds))
            replies = searching(url, terms.searchers, terms.seconds)
        yield _outcome(attack, replies, probes, came)
        _recovered(probed)


def _recovered(url: str) -> None:
    """What one attack left behind is not the next one's doing."""
    until = time.monotonic() + _RECOVERS_S
    while trouble(f"{url}/healthz") is not None and time.monotonic() < until:
        time.sleep(0.5)


def _outcome(attack: Attack, replies: Sequence[SearchReply], probes: ProbeLog, came: AttackTally) -> AttackOutcome:
    good = [reply for reply in replies if reply.status == 200]
    refused = sum(reply.refused for reply in replies)
    times = Spread.of([reply.took_ms for reply in good]) if good else None
    return AttackOutcome(
        attack.name,
        attack.told,
        len(good),
        refused,
        len(replies) - len(good) - refused,
        sum(reply.degraded for reply in good),
        times.p50 if times else 0.0,
        times.p95 if times else 0.0,
        probes.asked,
        tuple(probes.failed),
        probes.slowest_s,
        came.sent,
        dict(came.answers),
        came.failed,
    )
