"""What the stewards' views share: who the steward is, and answers that no cache keeps."""

from __future__ import annotations

from flask import Response, jsonify

from search_api.http.access.guard import caller


def steward() -> str:
    """The operator's own listener asks for no key."""
    return caller().subject or "operator"


def fresh(body: object) -> Response:
    """Current state is never cached."""
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response
