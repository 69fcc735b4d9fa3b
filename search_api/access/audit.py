"""The audit log: who did what to what, one event of the channel ``audit`` each; told whatever the log level is."""

from __future__ import annotations

import logging
from typing import Any, Literal

import structlog

Outcome = Literal["done", "refused", "failed"]

_log: Any = structlog.wrap_logger(None, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))


def audit(action: str, target: str, *, subject: str | None, outcome: Outcome = "done", **more: str | int) -> None:
    """``subject`` None: nobody who is known. A request's id comes along where one is being answered.

    Never hand in a secret or a text that somebody wrote for another purpose.
    """
    _log.info("audit", channel="audit", action=action, target=target, subject=subject, outcome=outcome, **more)
