"""The OpenAPI document: what flask-openapi makes of the views, with the media types that are really sent."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

from flask import Response, jsonify
from flask_openapi import OpenAPI

Json = dict[str, Any]

MEDIA_TYPE = "application/vnd.oai.openapi+json;version=3.1"
_PROBLEM = "application/problem+json"
_REFERENCE = "#/components/schemas/"


def register(app: OpenAPI) -> None:
    """``GET /api``. The document is made once: the views do not change while the process runs."""

    @cache
    def document() -> Json:
        return corrected(copy.deepcopy(app.api_doc))

    def answer() -> Response:
        response = jsonify(document())
        response.mimetype = MEDIA_TYPE
        return response

    app.add_url_rule("/api", "api_description", answer)


def corrected(document: Json) -> Json:
    """Problems under their own media type; each call may meet one that lies before its view."""
    for path, methods in document.get("paths", {}).items():
        for operation in methods.values():
            for response in operation.get("responses", {}).values():
                _retype_problem(response)
            _complete(operation, path)
    return document


def _retype_problem(response: Json) -> None:
    content: Json = response.get("content", {})
    if content.get("application/json", {}).get("schema", {}).get("$ref") == f"{_REFERENCE}Problem":
        content[_PROBLEM] = content.pop("application/json")


def _complete(operation: Json, path: str) -> None:
    """Every call may also answer 4xx before its view is met (405, 406, 413, 415) or fail."""
    problem = {"content": {_PROBLEM: {"schema": {"$ref": f"{_REFERENCE}Problem"}}}}
    operation.setdefault("responses", {}).setdefault("default", {"description": "Any other problem", **problem})
    if "{" in path:
        operation["responses"].setdefault("404", {"description": "Not Found", **problem})
