"""The audit log: one event on the channel ``audit`` per action, whatever the log level."""

from __future__ import annotations

import logging
from typing import Literal

import structlog
from flask import Flask, Response, g, request

from search_api.http.access.guard import scope_of

Outcome = Literal["done", "refused", "failed"]

_log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
    None, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
)

_READING = frozenset(("GET", "HEAD", "OPTIONS"))


def audit(action: str, target: str, *, subject: str | None, outcome: Outcome = "done", **more: str | int) -> None:
    """Logs one action. ``subject`` None: the caller is unknown. Adds the request's id inside a request.

    Never pass a secret, or text that a person wrote for another purpose.
    """
    _log.info("audit", channel="audit", action=action, target=target, subject=subject, outcome=outcome, **more)


def register(app: Flask) -> None:
    """Logs one event per request with caller, action, target and outcome; never the request body."""

    @app.after_request
    def write_audit(response: Response) -> Response:
        rule = request.url_rule
        if rule is None or not _is_audited(rule.rule, request.method):
            return response
        caller = g.get("caller")
        audit(
            f"{request.method} {rule.rule}",
            request.path,
            subject=None if caller is None else caller.subject,
            outcome=_outcome(response.status_code),
            status=response.status_code,
            request_id=g.get("request_id", ""),
            address=request.remote_addr or "",
        )
        return response


def _is_audited(route: str, method: str) -> bool:
    needed = scope_of(route, method)
    return needed == "admin" or (method not in _READING and needed in ("write", "library", "curate"))


def _outcome(status: int) -> Outcome:
    if status < 400:
        return "done"
    return "failed" if status >= 500 else "refused"
