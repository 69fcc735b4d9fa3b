"""The OpenAPI document: flask-openapi's output, corrected for media types and parameter styles.

``GET /api`` serves it as OpenAPI 3.1 and as 3.0, which many clients and OGC's test suites require.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Literal

from flask import Response, current_app, jsonify, request
from flask_openapi import OpenAPI
from pydantic import Field, ValidationError

from core.json_types import Json
from search_api.http.openapi30 import downgraded, never_null
from search_api.http.parameter_types import SEPARATED, Parameters
from search_api.http.problems import from_validation

Version = Literal["oas30", "oas31"]

MEDIA_TYPE = "application/vnd.oai.openapi+json;version=3.1"
MEDIA_TYPE_30 = "application/vnd.oai.openapi+json;version=3.0"
_PROBLEM = "application/problem+json"
_EXTENSION = "sonde.openapi"
_REFERENCE = "#/components/schemas/"
_BY_MEDIA_TYPE: dict[str, Version] = {
    MEDIA_TYPE: "oas31",
    MEDIA_TYPE_30: "oas30",
    "application/vnd.oai.openapi+json": "oas31",
    "application/json": "oas31",
}
_ITEMS = "/collections/{catalogue}/items"


class DescriptionParameters(Parameters):
    """The version of OpenAPI."""

    f: Literal["oas30", "oas31", "json"] | None = Field(None, description="Default: the `Accept` header decides.")


def register(app: OpenAPI) -> None:
    """Registers ``GET /api``. The documents are made once, because views do not change at run time."""

    @cache
    def document(version: Version) -> Json:
        made = corrected(copy.deepcopy(app.api_doc))
        return downgraded(made) if version == "oas30" else made

    def answer() -> Response:
        try:
            given = DescriptionParameters.model_validate(request.args.to_dict())
        except ValidationError as error:
            return from_validation(error)
        version = _version(given.f)
        response = jsonify(document(version))
        response.mimetype = MEDIA_TYPE_30 if version == "oas30" else MEDIA_TYPE
        return response

    app.add_url_rule("/api", "api_description", answer)
    app.extensions[_EXTENSION] = document


def current_document() -> Json:
    """The document of this app, OpenAPI 3.1."""
    made: Json = current_app.extensions[_EXTENSION]("oas31")
    return made


def _version(given: str | None) -> Version:
    if given is not None:
        return "oas30" if given == "oas30" else "oas31"
    best = request.accept_mimetypes.best_match(list(_BY_MEDIA_TYPE), default=MEDIA_TYPE)
    return _BY_MEDIA_TYPE[best]


def corrected(document: Json) -> Json:
    """Problems with their own media type; each operation can also return one from before its view."""
    for path, methods in document.get("paths", {}).items():
        for operation in methods.values():
            for response in operation.get("responses", {}).values():
                _retype_problem(response)
            for parameter in operation.get("parameters", []):
                _say_how_it_is_written(parameter)
            _complete(operation, path)
    listed = document.get("paths", {}).get(_ITEMS, {}).get("get", {}).get("parameters", [])
    limit = {one["name"]: one for one in listed if one["name"] == "limit"}  # QGIS reads the maximum page size there
    document.setdefault("components", {}).setdefault("parameters", {}).update(copy.deepcopy(limit))
    return document


def _say_how_it_is_written(parameter: Json) -> None:
    """``a,b`` for a list that is split at commas, ``name=a&name=b`` for values that can contain commas."""
    schema = parameter["schema"] = never_null(parameter["schema"])
    if parameter["in"] == "query":
        separated = schema.items() >= SEPARATED.items()
        if separated:
            schema.pop("format")
        parameter.update(style="form", explode=schema.get("type") == "array" and not separated)


def _retype_problem(response: Json) -> None:
    content: Json = response.get("content", {})
    if content.get("application/json", {}).get("schema", {}).get("$ref") == f"{_REFERENCE}Problem":
        content[_PROBLEM] = content.pop("application/json")


def _complete(operation: Json, path: str) -> None:
    """Every operation can also answer 4xx before its view (405, 406, 413, 415) or fail."""
    problem = {"content": {_PROBLEM: {"schema": {"$ref": f"{_REFERENCE}Problem"}}}}
    operation.setdefault("responses", {}).setdefault("default", {"description": "Any other problem", **problem})
    if "{" in path:
        operation["responses"].setdefault("404", {"description": "Not Found", **problem})
