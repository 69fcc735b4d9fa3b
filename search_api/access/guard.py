"""Each request is somebody's: who it is, found once, and what a view asks of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from flask import Flask, g, request

from core.access import AccessScope, Authenticator, Caller, NotAuthenticated
from search_api.access.scopes import scope_of

P = ParamSpec("P")
R = TypeVar("R")

INSIDE = "sonde.inside"
"""In a request's environment, put there by the server alone: it came by the listener that only the operator reaches."""

_OPEN_PATHS = frozenset(("/healthz", "/readyz"))


def register(app: Flask, authenticator: Authenticator) -> None:
    """Finds out who asks, and refuses what the path's scope (search_api.access.scopes) does not allow.

    A wrong key is 401 on every call, also on those that need none: who sends one wants to be known.
    """

    @app.before_request
    def admit() -> None:
        unasked = request.path in _OPEN_PATHS or request.method == "OPTIONS"  # a preflight carries no key
        g.caller = Caller() if unasked else authenticator.identify(_bearer())
        scope = scope_of(request.url_rule.rule, request.method) if request.url_rule is not None else None
        if scope is not None and INSIDE not in request.environ:
            g.caller.must_have(scope)


def caller() -> Caller:
    """Who asks in the current request."""
    found: Caller = g.caller
    return found


def needs(scope: AccessScope) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A view that only callers with the scope may use; 401 or 403 for others. Written below the route's decorator."""

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
