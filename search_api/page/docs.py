"""``/docs``: read and try the API. Made of the OpenAPI document; needs no other host."""

from __future__ import annotations

from functools import cache

from flask import Response
from flask_openapi import APIBlueprint

from search_api.formats_out.api_html import article
from search_api.http import openapi
from search_api.page.plain_page import plain_page

_MORE = '<link rel="stylesheet" href="page/api-docs.css"><script type="module" src="page/api-docs.js"></script>'


def docs_views() -> APIBlueprint:
    api = APIBlueprint("docs", __name__)

    @cache  # views do not change at run time
    def written() -> str:
        return article(openapi.current_document())

    @api.get("/docs", doc_ui=False)
    def page() -> Response:
        return plain_page("API", written(), head=_MORE)

    return api
