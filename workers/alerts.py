"""The tasks of saved searches, in the queue ``harvest``: matching each night, sending each minute, under leases."""

from __future__ import annotations

from collections.abc import Callable

from celery import Celery, Task

from core.errors import Unavailable
from workers.slices import Worker
from workers.task_names import MATCH_TASK, MEASURE_TASK, SEND_TASK

_RETRIES = 5


def add_alerts(app: Celery, worker: Callable[[], Worker], pause_s: Callable[[Task[..., None]], float]) -> None:
    """Registers the tasks; matching queues itself again until the round is done, then the sending."""

    @app.task(name=MATCH_TASK, bind=True, max_retries=_RETRIES)
    def match_saved_searches(task: Task[..., None]) -> None:
        try:
            more = match_slice(worker())
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error
        if more is not None:
            app.send_task(MATCH_TASK if more else SEND_TASK)

    @app.task(name=SEND_TASK)
    def send_alerts() -> None:
        """Comes again each minute, so it needs no retry."""
        if send_slice(worker()):
            app.send_task(SEND_TASK)

    @app.task(name=MEASURE_TASK, bind=True, max_retries=_RETRIES)
    def measure_answers(task: Task[..., None]) -> None:
        measure = worker().parts.measure
        if measure is None:
            return
        try:
            measure()
        except Unavailable as error:
            raise task.retry(exc=error, countdown=pause_s(task)) from error


def match_slice(worker: Worker) -> bool | None:
    """Whether there is more to match; None if nothing was done."""
    if worker.parts.alerts is None:
        return None
    with worker.leases.hold("alerts:match") as lease:
        return None if lease is None else worker.parts.alerts.match(worker.config.slice_s)


def send_slice(worker: Worker) -> bool:
    """Whether more is due. Does nothing while another worker sends."""
    if worker.parts.alerts is None:
        return False
    with worker.leases.hold("alerts:send") as lease:
        return lease is not None and worker.parts.alerts.send(worker.config.slice_s)
