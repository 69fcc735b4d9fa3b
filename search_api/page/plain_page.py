"""Pages without a script: HTML by content negotiation for catalogues, listings and conformance.

All texts of metadata are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from flask import Flask, Response, request
from pydantic import Field

from core.json_types import Json, JsonMapping
from search_api.http.parameters import Parameters
from search_api.http.responses import GEOJSON, JSON, SCHEMA_JSON
from search_api.page.shell import current_look, look_links, page, with_page_policy

HTML = "text/html"
Form = Literal["json", "html"]
_LONGEST_SUMMARY = 300


class FormParameters(Parameters):
    f: Form | None = Field(None, description="Default: the `Accept` header decides.")


def wants_html(form: str | None) -> bool:
    """Whether ``f`` is HTML or, without it, the client prefers HTML to any JSON."""
    if form is not None:
        return form == "html"
    return request.accept_mimetypes.best_match([GEOJSON, JSON, SCHEMA_JSON, HTML]) == HTML


@dataclass(frozen=True, slots=True)
class PageWords:
    """The language of a plain page (ISO 639-1), and its words for two links above."""

    language: str = "en"
    search: str = "Search"
    catalogues: str = "Catalogues"


ENGLISH = PageWords()


def plain_page(title: str, main: str, *, head: str = "") -> Response:
    """A page of the service's own text in the shell of all pages; ``main`` and ``head`` are markup, ``title`` is not.

    Without a script a reader has the same text below a simple header.
    """
    return page(
        f'<meta name="sonde-plain" content="yes">{head}',
        f'{_header(ENGLISH)}<main id="main" class="record" lang="en" tabindex="-1">{main}</main>',
        title=f"{title} – {current_look().name}",
    )


def scriptless_page(title: str, main: str, words: PageWords) -> Response:
    """A page that needs no script; ``main`` is markup, ``title`` and ``words`` are not."""
    root, name = escape(request.script_root), escape(current_look().name)
    return with_page_policy(
        Response(
            f'<!doctype html><html lang="{words.language}"><head><meta charset="utf-8"><base href="{root}/">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(title)} – {name}</title>"
            f'<link rel="stylesheet" href="page/page.css">{look_links()}</head><body>'
            f'{_header(words)}<main id="main" class="record">{main}</main></body></html>',
            mimetype=HTML,
        )
    )


def _header(words: PageWords) -> str:
    name = escape(current_look().name)
    return (
        f'<header class="top"><a class="name" href="./">{name}</a>'
        f'<nav aria-label="{name}"><a href="./">{words.search}</a>'
        f'<a href="collections?f=html">{words.catalogues}</a><a href="docs">API</a></nav></header>'
    )


def summary(abstract: str) -> str:
    """The beginning of an abstract, for a list; not escaped."""
    text = " ".join(abstract.split())
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[:_LONGEST_SUMMARY].rpartition(' ')[0]} …"


@dataclass(frozen=True, slots=True)
class ListedRecord:
    """One record of a page: its address and its text (not escaped)."""

    href: str
    title: str
    type: str
    abstract: str


def collections_html(collections: Iterable[Json]) -> str:
    """Each catalogue with its size."""
    rows = "".join(
        f'<li><a href="{escape(_href(collection, "self"))}">{escape(collection["title"])}</a> '
        f'<span class="soft">{escape(collection["description"])}</span></li>'
        for collection in collections
    )
    return f'<h1>Catalogues</h1><ul class="links">{rows}</ul>'


def collection_html(collection: Json) -> str:
    """One catalogue with its extent and its links."""
    extent = collection.get("extent", {})
    box = "; ".join(" ".join(f"{edge:g}" for edge in box) for box in extent.get("spatial", {}).get("bbox", []))
    span = "; ".join(
        " to ".join((edge or "..").partition("T")[0] for edge in interval)
        for interval in extent.get("temporal", {}).get("interval", [])
    )
    facts = (
        ("Id", collection["id"]),
        ("Area (west south east north)", box),
        ("Time", span),
        ("Updated", collection.get("updated")),
    )
    ways = "".join(
        f'<li><a href="{escape(link["href"])}">{escape(link["title"])}</a></li>'
        for link in collection["links"]
        if link["rel"] != "self" and link.get("title")
    )
    return (
        f"<h1>{escape(collection['title'])}</h1><p>{escape(collection['description'])}</p>"
        f'<dl class="facts-list">{_rows(facts)}</dl><ul class="links">{ways}</ul>'
    )


def items_html(title: str, records: Sequence[ListedRecord], total: int, next_address: str | None) -> str:
    """A page of records in the listing's order; ``next_address`` is the next page's address."""
    rows = "".join(
        f'<li><h2><a href="{escape(record.href)}">{escape(record.title)}</a></h2>'
        f'<p class="soft">{escape(record.type)}</p><p>{escape(summary(record.abstract))}</p></li>'
        for record in records
    )
    on = f'<p><a href="{escape(next_address)}" rel="next">Next page</a></p>' if next_address else ""
    return f"<h1>{escape(title)}</h1><p>{len(records)} of {total} records.</p><ol>{rows}</ol>{on}"


def properties_html(title: str, kind: str, queryables: Mapping[str, Json]) -> str:
    """The properties for filters or for sorting."""
    rows = _rows((name, schema.get("title", "")) for name, schema in queryables.items())
    return f'<h1>{escape(title)}: {escape(kind)}</h1><dl class="facts-list">{rows}</dl>'


def conformance_html(classes: Iterable[str]) -> str:
    rows = "".join(f'<li class="breaks">{escape(name)}</li>' for name in classes)
    return f'<h1>Conformance classes</h1><ul class="links">{rows}</ul>'


def _rows(facts: Iterable[tuple[str, object]]) -> str:
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(value))}</dd></div>" for name, value in facts if value)


def _href(collection: Json, rel: str) -> str:
    return next(str(link["href"]) for link in collection["links"] if link["rel"] == rel)


_PROBLEM = "application/problem+json"
_KEPT_HEADERS = ("WWW-Authenticate", "Retry-After", "Allow")
_TITLES = {404: "There is nothing at this address", 503: "The service is not ready"}
_HELP = {404: "The address may be mistyped, or what was here may have been removed.", 503: "Try again in a moment."}
"""For readers without a script; the page says the same in the reader's language."""


def register_error_page(app: Flask) -> None:
    """Turns every problem into a page if a browser asked."""

    @app.after_request
    def readable(response: Response) -> Response:
        if response.mimetype != _PROBLEM or request.method not in ("GET", "HEAD"):
            return response
        response.vary.add("Accept")
        if request.args.get("f") not in (None, "html") or not wants_html(None):
            return response
        return _error_page(response)


def _error_page(error_response: Response) -> Response:
    problem = json.loads(error_response.get_data(as_text=True))
    status = error_response.status_code
    title = _TITLES.get(status, str(problem["title"]))
    detail = str(problem.get("detail", "")) if status not in _HELP else _HELP[status]
    answer = page(
        _problem_for_script(status, problem),
        f'{_header(ENGLISH)}<main id="main" class="record" lang="en"><h1>{escape(title)}</h1>'
        f"<p>{escape(detail)}</p>"
        f'<p class="soft">{escape(request.path)}: {status} {escape(str(problem["title"]))}</p></main>',
        title=title,
        status=status,
    )
    for name in _KEPT_HEADERS:
        if name in error_response.headers:
            answer.headers[name] = error_response.headers[name]
    answer.vary.add("Accept")
    return answer


def _problem_for_script(status: int, problem: JsonMapping) -> str:
    """The problem for the page's script; a 404's sentence is the page's own."""
    members = {name: problem[name] for name in ("detail", "parameter") if name in problem and status not in _HELP}
    return f'<meta name="sonde-problem" content="{escape(json.dumps({"status": status, **members}))}">'
