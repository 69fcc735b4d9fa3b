"""The audit log: one event on the channel ``audit`` per action, whatever the log level."""

from __future__ import annotations

import logging
from typing import Literal

import structlog

Outcome = Literal["done", "refused", "failed"]

_log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
    None, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
)


def audit(action: str, target: str, *, subject: str | None, outcome: Outcome = "done", **more: str | int) -> None:
    """Logs one action. ``subject`` None: the caller is unknown. Adds the request's id inside a request.

    Never pass a secret, or a text that somebody wrote for another purpose.
    """
    _log.info("audit", channel="audit", action=action, target=target, subject=subject, outcome=outcome, **more)
