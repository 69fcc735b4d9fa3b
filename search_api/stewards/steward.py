"""Shared by the stewards' views: the steward's name, and answers that no cache stores."""

from __future__ import annotations

from flask import Response, jsonify

from search_api.http.access.guard import caller


def steward_name() -> str:
    """``operator`` on the operator's own listener, which needs no key."""
    return caller().subject or "operator"


def uncached(body: object) -> Response:
    response = jsonify(body)
    response.headers["Cache-Control"] = "no-store"
    return response
