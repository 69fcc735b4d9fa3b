"""Who may do what: scopes, and what is said to who may not."""

from __future__ import annotations

import pytest
from flask import Flask

from core.access import Caller, NotAllowed, NotAuthenticated
from search_api.http import problems
from search_api.http.access import guard


class Known:
    """Two callers by name, as a key store would know them."""

    callers = {  # noqa: RUF012
        "reader": Caller("ada", frozenset(("search",))),
        "writer": Caller("bob", frozenset(("search", "write"))),
        "admin": Caller("eve", frozenset(("admin",))),
    }

    def identify(self, bearer: str | None) -> Caller:
        if bearer is None:
            return Caller(scopes=frozenset(("search",)))
        if bearer not in self.callers:
            raise NotAuthenticated("This key is not known.")
        return self.callers[bearer]


@pytest.fixture
def app() -> Flask:
    app = Flask("guarded")
    problems.register(app)
    guard.register(app, Known())

    @app.put("/collections/<source>/items/<id>")
    def write(source: str, id: str) -> str:
        return guard.caller().owner

    @app.get("/search")
    @guard.needs("admin")
    def more() -> str:
        return "more than its path asks for"

    @app.get("/forgotten")
    def forgotten() -> str:
        return "nobody wrote it into the table"

    @app.get("/healthz")
    def healthz() -> str:
        return "ok"

    return app


@pytest.mark.parametrize(
    ("header", "status"),
    [
        (None, 401),
        ("Bearer reader", 403),
        ("Bearer writer", 200),
        ("bearer admin", 200),
        ("Bearer stranger", 401),
        ("Basic writer", 401),
        ("Bearer ", 401),
    ],
)
def test_a_view_asks_for_its_scope(app: Flask, header: str | None, status: int) -> None:
    answer = app.test_client().put("/collections/s/items/1", headers={"Authorization": header} if header else {})
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert answer.mimetype == "application/problem+json"
        assert "stranger" not in answer.text  # what was sent is never sent back


@pytest.mark.parametrize("path", ["/search", "/forgotten"])
@pytest.mark.parametrize(("key", "status"), [("writer", 403), ("admin", 200)])
def test_a_view_may_ask_for_more_and_a_forgotten_one_is_the_admins(
    app: Flask, path: str, key: str, status: int
) -> None:
    answer = app.test_client().get(path, headers={"Authorization": f"Bearer {key}"})
    assert answer.status_code == status


def test_a_preflight_is_answered_without_a_key(app: Flask) -> None:
    assert app.test_client().options("/collections/s/items/1").status_code == 200


def test_probes_are_answered_whatever_is_sent(app: Flask) -> None:
    assert app.test_client().get("/healthz", headers={"Authorization": "Bearer stranger"}).status_code == 200


def test_an_anonymous_caller_owns_nothing() -> None:
    with pytest.raises(NotAuthenticated):
        _ = Caller().owner
    with pytest.raises(NotAuthenticated):
        Caller().must_have("library")
    with pytest.raises(NotAllowed):
        Caller("ada").must_have("library")
