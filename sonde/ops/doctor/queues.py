"""The doctor's look at the queues: for how long tasks have waited."""

from __future__ import annotations

from collections.abc import Sequence

import redis

from sonde.ops.doctor.finding import State
from sonde.settings import Settings
from workers.queue_ages import LATE_S, QueueAge, queue_ages

_ANSWER_S = 3


def waiting_tasks(settings: Settings) -> tuple[State, str]:
    """A warning names the queues whose oldest task has waited for too long."""
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
    return judged(queue_ages(broker, settings.index.prefix))


def judged(queues: Sequence[QueueAge]) -> tuple[State, str]:
    """From the state of the queues."""
    ages = {one.queue: one.age_s for one in queues if one.waiting and one.age_s is not None}
    if not ages:
        return "ok", "no task waits"
    told = ", ".join(f"in {queue} for {_span(age)}" for queue, age in ages.items())
    late = [queue for queue, age in ages.items() if age > LATE_S]
    if late:
        named = f"the worker of {late[0]}" if len(late) == 1 else f"the workers of {', '.join(late)}"
        return "warning", f"the oldest task waits {told}: look at {named}, which is dead or held up by a long task"
    return "ok", f"the oldest task waits {told}"


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
