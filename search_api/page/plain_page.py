"""HTML by content negotiation for catalogues, listings and conformance, which have no view in the page."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Literal

from flask import Response, abort, request
from pydantic import Field, ValidationError

from search_api.http.addresses import GEOJSON, JSON, SCHEMA_JSON
from search_api.http.parameter_types import Parameters
from search_api.http.problems import from_validation
from search_api.page.page import kept_apart, look_links
from search_api.page.portal import current_look

HTML = "text/html"
Form = Literal["json", "html"]


class FormParameters(Parameters):
    """The form of an answer."""

    f: Form | None = Field(None, description="Default: the `Accept` header decides.")


def refuse_unknown(model: type[Parameters]) -> None:
    """Ends the request for a parameter that the model does not have; for views that read theirs themselves."""
    try:
        model.model_validate(request.args.to_dict())
    except ValidationError as error:
        abort(from_validation(error))


def wants_html(given: str | None) -> bool:
    """Whether ``f`` is HTML or, without it, the client prefers HTML to any JSON."""
    if given is not None:
        return given == "html"
    return request.accept_mimetypes.best_match([GEOJSON, JSON, SCHEMA_JSON, HTML]) == HTML


@dataclass(frozen=True, slots=True)
class PageWords:
    """The language of a plain page (ISO 639-1), and its words for two links above."""

    language: str = "en"
    search: str = "Search"
    catalogues: str = "Catalogues"


ENGLISH = PageWords()


def plain_page(title: str, main: str, *, status: int = 200, words: PageWords = ENGLISH, head: str = "") -> Response:
    """``main`` and ``head`` are markup, ``title`` and ``words`` are not."""
    root, name = html.escape(request.script_root), html.escape(current_look().name)
    return kept_apart(
        Response(
            f'<!doctype html><html lang="{words.language}"><head><meta charset="utf-8"><base href="{root}/">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(title)} – {name}</title>"
            f'<link rel="stylesheet" href="page/page.css">{look_links()}{head}</head><body>'
            f'<header class="top"><a class="name" href="./">{name}</a>'
            f'<nav aria-label="{name}"><a href="./">{words.search}</a>'
            f'<a href="collections?f=html">{words.catalogues}</a><a href="docs">API</a></nav></header>'
            f'<main id="main" class="record">{main}</main></body></html>',
            status=status,
            mimetype=HTML,
        )
    )
