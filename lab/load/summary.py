"""What the replies of one course come to: rates, percentiles, and whose time it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.benchmarks.timing import Spread
from lab.load.clients import SearchReply

_ELASTICSEARCH = frozenset(("names", "retrieve", "fetch"))
_ENCODERS = frozenset(("embed", "rerank"))


@dataclass(frozen=True, slots=True)
class Shares:
    """Of the time that clients waited for answers, 0..1, together 1.

    ``elasticsearch``: the stages that ask it, with making the requests and reading what comes; ``encoder``: embedding
    and re-ranking; ``ours``: the other stages (understanding, ranking); ``around``: no stage, so HTTP, JSON and waiting
    for a thread or a core.
    """

    elasticsearch: float
    encoder: float
    ours: float
    around: float

    @classmethod
    def of(cls, replies: Sequence[SearchReply]) -> Shares | None:
        """None where nothing was answered."""
        whole = sum(reply.took_ms for reply in replies)
        if not whole:
            return None
        spent = {"elasticsearch": 0.0, "encoder": 0.0, "ours": 0.0}
        for reply in replies:
            for stage, took_ms in reply.stages.items():
                spent[_who(stage)] += took_ms
        parts = {name: took_ms / whole for name, took_ms in spent.items()}
        return cls(**parts, around=1.0 - sum(parts.values()))


def _who(stage: str) -> str:
    if stage in _ELASTICSEARCH:
        return "elasticsearch"
    return "encoder" if stage in _ENCODERS else "ours"


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """One course at one number of clients. ``answered`` are 200; ``failed`` are neither that nor refused.

    ``per_second``, ``latency_ms`` and ``shares`` are of the answered ones; ``refusal_ms``: how long a refusal took.
    """

    course: str
    clients: int
    seconds: float
    answered: int
    refused: int
    failed: int
    degraded: int
    per_second: float
    latency_ms: Spread | None
    shares: Shares | None
    refusal_ms: Spread | None = None

    @classmethod
    def of(cls, course: str, clients: int, replies: Sequence[SearchReply], seconds: float) -> LoadSummary:
        answered = [reply for reply in replies if reply.status == 200]
        refused = [reply for reply in replies if reply.refused]
        return cls(
            course,
            clients,
            seconds,
            len(answered),
            len(refused),
            len(replies) - len(answered) - len(refused),
            sum(reply.degraded for reply in answered),
            len(answered) / seconds,
            _spread(answered),
            Shares.of(answered),
            _spread(refused),
        )


def _spread(replies: Sequence[SearchReply]) -> Spread | None:
    return Spread.of([reply.took_ms for reply in replies]) if replies else None
