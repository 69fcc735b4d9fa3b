"""Errors as a page for people: the reason, and a link home. Programs get ``application/problem+json``."""

from __future__ import annotations

import html
import json

from flask import Flask, Response, request

from core.json_types import JsonMapping
from search_api.page.page import page
from search_api.page.plain_page import wants_html

_PROBLEM = "application/problem+json"
_KEPT = ("WWW-Authenticate", "Retry-After", "Allow")
_TITLES = {404: "There is nothing at this address", 503: "The service is not ready"}
_HELP = {404: "The address may be mistyped, or what was here may have been removed.", 503: "Try again in a moment."}
"""For readers without a script; the page says the same in the reader's language."""


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
    shown = page(
        _for_script(status, problem),
        f"<h1>{html.escape(title)}</h1><p>{html.escape(detail)}</p>"
        f'<p class="soft">{html.escape(request.path)}: {status} {html.escape(str(problem["title"]))}</p>'
        '<p><a href="./">To the search</a> · <a href="collections?f=html">Catalogues</a> · '
        '<a href="docs">The API</a></p>',
        title=title,
        status=status,
    )
    for name in _KEPT:
        if name in refused.headers:
            shown.headers[name] = refused.headers[name]
    shown.vary.add("Accept")
    return shown


def _for_script(status: int, problem: JsonMapping) -> str:
    """The problem for the page's script; a 404's sentence is the page's own."""
    said = {name: problem[name] for name in ("detail", "parameter") if name in problem and status not in _HELP}
    return f'<meta name="sonde-problem" content="{html.escape(json.dumps({"status": status, **said}))}">'
