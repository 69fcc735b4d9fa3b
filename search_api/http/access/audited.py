"""Writes requests that change something, or that need the admin scope, to the audit log: done, refused, failed."""

from __future__ import annotations

from flask import Flask, Response, g, request

from search_api.http.access.audit import Outcome, audit
from search_api.http.access.scopes import scope_of

_ASKING = frozenset(("GET", "HEAD", "OPTIONS"))


def register(app: Flask) -> None:
    """Logs one event per request with caller, action, target and outcome; never the request body."""

    @app.after_request
    def noted(response: Response) -> Response:
        rule = request.url_rule
        if rule is None or not _is_noted(rule.rule, request.method):
            return response
        known = g.get("caller")
        audit(
            f"{request.method} {rule.rule}",
            request.path,
            subject=None if known is None else known.subject,
            outcome=_outcome(response.status_code),
            status=response.status_code,
            request_id=g.get("request_id", ""),
            address=request.remote_addr or "",
        )
        return response


def _is_noted(route: str, method: str) -> bool:
    needed = scope_of(route, method)
    return needed == "admin" or (method not in _ASKING and needed in ("write", "library", "curate"))


def _outcome(status: int) -> Outcome:
    if status < 400:
        return "done"
    return "failed" if status >= 500 else "refused"
