"""Errors as a page for people: the reason, and a link home. Programs get ``application/problem+json``."""

from __future__ import annotations

import html
import json

from flask import Flask, Response, request

from search_api.views.plain_page import plain_page, wants_html

_PROBLEM = "application/problem+json"
_KEPT = ("WWW-Authenticate", "Retry-After", "Allow")
_TITLES = {404: "There is nothing at this address", 503: "The service is not ready"}
_HELP = {404: "The address may be mistyped, or what was here may have been removed.", 503: "Try again in a moment."}


def register(app: Flask) -> None:
    """Turns every problem into a page if a browser asked."""

    @app.after_request
    def readable(response: Response) -> Response:
        if response.mimetype != _PROBLEM or request.method not in ("GET", "HEAD"):
            return response
        response.vary.add("Accept")
        if request.args.get("f") not in (None, "html") or not wants_html(None):
            return response
        return _page(response)


def _page(refused: Response) -> Response:
    problem = json.loads(refused.get_data(as_text=True))
    status = refused.status_code
    title = _TITLES.get(status, str(problem["title"]))
    detail = str(problem.get("detail", "")) if status not in _HELP else _HELP[status]
    shown = plain_page(
        title,
        f"<h1>{html.escape(title)}</h1><p>{html.escape(detail)}</p>"
        f'<p class="soft">{html.escape(request.path)}: {status} {html.escape(str(problem["title"]))}</p>'
        '<p><a href="./">To the search</a> · <a href="collections?f=html">Catalogues</a> · '
        '<a href="docs">The API</a></p>',
        status=status,
    )
    for name in _KEPT:
        if name in refused.headers:
            shown.headers[name] = refused.headers[name]
    shown.vary.add("Accept")
    return shown
