"""Users as an authenticator of the tests knows them: the bearer text is the user's name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flask import Flask
from flask.testing import FlaskClient

from core.access import AccessScope, Caller, NotAuthenticated
from search_api.app import create_app
from search_api.parts import Parts

_LIBRARY: frozenset[AccessScope] = frozenset(("search", "library"))
USERS: dict[str, Caller] = {
    "anna": Caller("anna, of the lakes", _LIBRARY),  # a comma, as in the names of directories
    "berta": Caller("berta", _LIBRARY),
    "gerda": Caller("gerda", _LIBRARY, frozenset(("peat",))),
    "public": Caller("public", _LIBRARY),
    "reader": Caller("reader", frozenset(("search",))),
    "admin": Caller("root", frozenset(("admin",))),
}


class KnownUsers:
    """Knows USERS by name."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller(scopes=frozenset(("search",)))
        if bearer not in USERS:
            raise NotAuthenticated("This key is not known.")
        return USERS[bearer]


@dataclass(frozen=True)
class As:
    """Requests of one user."""

    client: FlaskClient
    user: str | None

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.user}"} if self.user else {}


def app_of(parts: Parts) -> Flask:
    """The app on these parts, with the users above."""
    return create_app(replace(parts, authenticator=KnownUsers()))
