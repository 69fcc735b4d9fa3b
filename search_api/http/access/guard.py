"""Identifies the caller of each request once, and checks the scope that a view needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import Flask, g, request

from core.access import AccessScope, Authenticator, Caller, NotAuthenticated
from search_api.http.access.scopes import scope_of

P = ParamSpec("P")
R = TypeVar("R")

INSIDE = "sonde.inside"
"""A key of the request's environment that only the server sets: the request came through the operator's listener."""

_OPEN_PATHS = frozenset(("/healthz", "/readyz"))


def register(app: Flask, authenticator: Authenticator) -> None:
    """Identifies the caller, and refuses paths whose scope (search_api.http.access.scopes) the caller lacks.

    A wrong key is 401 on every request, even on public paths: the client wants to be identified.
    """

    @app.before_request
    def admit() -> None:
        unasked = request.path in _OPEN_PATHS or request.method == "OPTIONS"  # a preflight has no key
        g.caller = Caller() if unasked else authenticator.identify(_bearer())
        scope = scope_of(request.url_rule.rule, request.method) if request.url_rule is not None else None
        if scope is not None and INSIDE not in request.environ:
            g.caller.must_have(scope)


def caller() -> Caller:
    """The caller of the current request."""
    found: Caller = g.caller
    return found


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
