"""Reads the parameters of a search from a body, for questions too long for an address."""

from __future__ import annotations

import json

from flask import abort, request
from pydantic import ValidationError

from core.errors import InvalidInput, Unsupported
from core.json_types import Json
from search_api.http.problems import from_validation
from search_api.search.parameters import SearchParameters

FORM = "application/x-www-form-urlencoded"
LARGEST_BODY_BYTES = 256 * 1024


def request_body() -> Json:
    """The body's description for OpenAPI."""
    shape = {"schema": SearchParameters.model_json_schema()}
    return {"required": True, "content": {"application/json": shape, FORM: shape}}


def read_body() -> SearchParameters:
    """The parameters of `GET /search`, from a JSON object or a form.

    Raises Unsupported for another media type; ends the request if a parameter is invalid.
    """
    request.max_content_length = LARGEST_BODY_BYTES
    if request.mimetype == FORM:
        given = _of_form()
    elif request.is_json:
        given = _of_json()
    else:
        raise Unsupported(f"A search by POST is JSON or {FORM}, and the body's Content-Type says which.")
    try:
        return SearchParameters.model_validate(given)
    except ValidationError as error:
        abort(from_validation(error))


def _of_form() -> Json:
    described = SearchParameters.model_json_schema()["properties"]
    lists = {name for name, schema in described.items() if schema.get("type") == "array"}
    return {name: request.form.getlist(name) if name in lists else request.form[name] for name in request.form}


def _of_json() -> Json:
    """The object; a CQL2 JSON filter may be an object instead of text."""
    given = request.get_json(silent=True)
    if not isinstance(given, dict):
        raise InvalidInput("body", "body: is not a JSON object of parameters")
    if isinstance(given.get("filter"), dict):
        given["filter"] = json.dumps(given["filter"])
    return {name: value for name, value in given.items() if value is not None}
