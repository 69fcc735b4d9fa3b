"""Limits the length of addresses and answers with a problem, so that cross-origin pages can read the reason."""

from __future__ import annotations

from flask import Flask, Response, request

from search_api.http.problems import problem

LONGEST_ADDRESS_BYTES = 32 * 1024
"""Space for a filter of the maximum length (8,000 characters) with every character escaped."""


def register(app: Flask) -> None:
    @app.before_request
    def refuse() -> Response | None:
        if len(request.environ.get("QUERY_STRING", "")) + len(request.path) <= LONGEST_ADDRESS_BYTES:
            return None
        return problem(
            414, f"The address is longer than {LONGEST_ADDRESS_BYTES} bytes; POST /search takes long questions."
        )
