"""Identifies the caller of each request once, and checks the scope that its path needs.

One table names the scope of each path, so that no view can forget it; a view may require more with ``needs``. The
first entry whose path is a prefix of the route counts. A route without an entry needs the scope ``admin``, which is the
safe default; a test names such routes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache, wraps
from typing import Literal, ParamSpec, TypeVar

import structlog
from flask import Flask, Response, g, jsonify, request

from core.access import AccessScope, Authenticator, Caller, NotAuthenticated

Rule = tuple[str, AccessScope | None]
"""A path, and the scope for reading below it."""

_RULES: tuple[Rule, ...] = (
    # For the cluster. Metrics name every source, so they need the operator's key or the probes' listener.
    ("/healthz", None),
    ("/readyz", None),
    ("/metrics", "admin"),
    # The page's shell and the API description: no records.
    ("/page/", None),
    ("/static/", None),
    ("/sources", None),
    ("/desk", None),
    ("/embed", None),
    ("/answers", None),
    ("/basket", None),
    ("/sign-in", None),
    ("/my-documents", None),
    ("/docs", None),
    ("/api", None),
    ("/conformance", None),
    ("/opensearch.xml", None),
    ("/robots.txt", None),
    ("/stac/conformance", None),
    # Everything that shows records.
    ("/search", "search"),
    ("/suggest", "search"),
    ("/ask", "search"),
    ("/embeddings", "search"),
    ("/mcp", "search"),
    ("/opened", "search"),
    ("/records/", "search"),
    ("/collections", "search"),
    ("/stac", "search"),
    ("/oai", "search"),
    ("/csw", "search"),
    ("/dcat", "search"),
    ("/documents", "search"),
    ("/sitemap.xml", "search"),
    # A signed link of a mail needs no key; saved searches have an owner.
    ("/saved-searches/links/", None),
    ("/saved-searches", "search"),
    # Views of the harvest decide how much they show.
    ("/harvest", "search"),
    # For stewards: what is asked, and what they set right.
    ("/curation", "curate"),
    ("/insight", "curate"),
    # Personal data.
    ("/library", "library"),
)
_CHANGE_RULES: tuple[Rule, ...] = (("/collections", "write"), ("/stac/collections", "write"), ("/harvest", "admin"))
"""Where a request that changes something needs more; elsewhere POST only reads."""
_READING = frozenset(("GET", "HEAD"))

P = ParamSpec("P")
R = TypeVar("R")
INSIDE = "sonde.inside"
"""A key of the request's environment that only the server sets: the request came through the operator's listener."""
_OPEN_PATHS = frozenset(("/healthz", "/readyz"))


@cache
def scope_of(route: str, method: str) -> AccessScope | None:
    """The scope that a request to that route (as the app's rule has it) needs; None: nothing."""
    if method == "OPTIONS" or route == "/":  # a preflight has no key; the landing page shows no record
        return None
    entry = (entry_of(route, _CHANGE_RULES) if method not in _READING else None) or entry_of(route)
    return "admin" if entry is None else entry[1]


def entry_of(route: str, table: tuple[Rule, ...] = _RULES) -> Rule | None:
    """The table's entry for the route; None if there is none."""
    return next((rule for rule in table if _is_below(route, rule[0])), None)


def _is_below(route: str, path: str) -> bool:
    return route == path.rstrip("/") or route.startswith(path if path.endswith("/") else f"{path}/")


def register(app: Flask, authenticator: Authenticator) -> None:
    """Identifies the caller, and refuses paths whose scope (search_api.http.access.guard) the caller lacks.

    A wrong key is 401 on every request, even on public paths: the client wants to be identified.
    """

    @app.before_request
    def admit() -> None:
        is_open = request.path in _OPEN_PATHS or request.method == "OPTIONS"  # a preflight has no key
        g.caller = Caller() if is_open else authenticator.identify(_bearer())
        scope = scope_of(request.url_rule.rule, request.method) if request.url_rule is not None else None
        if scope is not None and INSIDE not in request.environ:
            g.caller.must_have(scope)


def caller() -> Caller:
    """The caller of the current request."""
    current: Caller = g.caller
    return current


def needs(scope: AccessScope) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Restricts a view to callers with the scope; others get 401 or 403. Goes below the route's decorator."""

    def guarded(view: Callable[P, R]) -> Callable[P, R]:
        @wraps(view)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            caller().must_have(scope)
            return view(*args, **kwargs)

        return checked

    return guarded


def _bearer() -> str | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    kind, _, value = header.partition(" ")
    if kind.lower() != "bearer" or not value.strip():
        raise NotAuthenticated("Authorization must be `Bearer` and a key or token.")
    return value.strip()


Outcome = Literal["done", "refused", "failed"]

_log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
    None, wrapper_class=structlog.make_filtering_bound_logger(logging.INFO)
)


def audit(action: str, target: str, *, subject: str | None, outcome: Outcome = "done", **more: str | int) -> None:
    """Logs one action. ``subject`` None: the caller is unknown. Adds the request's id inside a request.

    Never pass a secret, or text that a person wrote for another purpose.
    """
    _log.info("audit", channel="audit", action=action, target=target, subject=subject, outcome=outcome, **more)


def register_audit(app: Flask) -> None:
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
    scope = scope_of(route, method)
    return scope == "admin" or (method not in _READING and scope in ("write", "library", "curate"))


def _outcome(status: int) -> Outcome:
    if status < 400:
        return "done"
    return "failed" if status >= 500 else "refused"


def steward_name() -> str:
    """``operator`` on the operator's own listener, which needs no key."""
    return caller().subject or "operator"


def uncached(body: object) -> Response:
    """The answer, or the body as JSON, for no cache to store."""
    response = body if isinstance(body, Response) else jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response
