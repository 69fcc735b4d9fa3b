"""Failures as ``application/problem+json`` (RFC 9457), mapped in one place."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from difflib import get_close_matches
from http import HTTPStatus
from typing import get_type_hints

import structlog
from flask import Flask, Response, current_app, request
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails
from werkzeug.exceptions import HTTPException, MethodNotAllowed, TooManyRequests
from werkzeug.exceptions import NotFound as NoSuchAddress

from core.access import NotAllowed, NotAuthenticated
from core.errors import (
    Conflict,
    IndexMismatch,
    InvalidInput,
    ModelMissing,
    NotFound,
    PreconditionFailed,
    SondeError,
    TooLarge,
    Unavailable,
    Unsupported,
)
from es_gateway.errors import ElasticsearchError

log = structlog.get_logger(__name__)

_STATUS: dict[type[SondeError], HTTPStatus] = {
    InvalidInput: HTTPStatus.BAD_REQUEST,
    NotAuthenticated: HTTPStatus.UNAUTHORIZED,
    NotAllowed: HTTPStatus.FORBIDDEN,
    NotFound: HTTPStatus.NOT_FOUND,
    Conflict: HTTPStatus.CONFLICT,
    PreconditionFailed: HTTPStatus.PRECONDITION_FAILED,
    TooLarge: HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    Unsupported: HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    Unavailable: HTTPStatus.SERVICE_UNAVAILABLE,
    ModelMissing: HTTPStatus.SERVICE_UNAVAILABLE,
    IndexMismatch: HTTPStatus.SERVICE_UNAVAILABLE,
    ElasticsearchError: HTTPStatus.SERVICE_UNAVAILABLE,  # the gateway has logged the refusal
    SondeError: HTTPStatus.SERVICE_UNAVAILABLE,  # by definition, a person can fix it: no defect
}
_RETRY_AFTER_S = "5"
_EXPECTED = "Input should be "
_MESSAGES = {"bool_parsing": f"{_EXPECTED}true or false", "int_parsing": f"{_EXPECTED}a whole number"}


class Problem(BaseModel, title="Problem"):
    """RFC 9457, with the invalid parameter as an extension member."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str | None = None
    parameter: str | None = Field(None, description="The wrong parameter.")


def problem(status: int, detail: str | None = None, parameter: str | None = None) -> Response:
    """An error response; 503 also says when to retry, 401 how to authenticate."""
    body = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, parameter=parameter)
    response = Response(
        json.dumps(body.model_dump(exclude_none=True)), status=status, mimetype="application/problem+json"
    )
    if status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = 'Bearer realm="sonde"'
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = _RETRY_AFTER_S
    return response


def from_validation(error: ValidationError) -> Response:
    """The first error of pydantic, with its parameter."""
    errors = error.errors(include_url=False, include_input=False)
    first = errors[0]
    parameter = str(first["loc"][0]) if first["loc"] else None
    if first["type"] == "extra_forbidden":
        return unknown_parameter(".".join(map(str, first["loc"])), _parameters_of_view(error.title))
    if not first["loc"] and first["type"] in ("model_type", "model_attributes_type"):
        return problem(400, "body: is not a JSON object; send one as application/json", "body")
    if first["loc"] == ("id",) and first["type"] == "string_pattern_mismatch" and "id" in (request.view_args or {}):
        return _from_http(NoSuchAddress())  # of an id that was never made
    place, message = _place_and_message([fault for fault in errors if fault["loc"][:1] == first["loc"][:1]])
    return problem(400, f"{parameter}{place}: {message}" if parameter else message, parameter)


def unknown_parameter(name: str, known_names: Sequence[str] = ()) -> Response:
    near = next(iter(get_close_matches(name.lower(), known_names, 1)), None)
    meant = f" Did you mean {near!r}?" if near else ""
    return problem(400, f"Unknown parameter {name!r}.{meant} /api lists the parameters of each call.", name)


def _parameters_of_view(model_name: str) -> list[str]:
    """The parameters of the view that is asked, if this model has them."""
    view = current_app.view_functions.get(request.endpoint or "")
    hints = get_type_hints(inspect.unwrap(view)) if view is not None else {}
    models = [hint for hint in hints.values() if isinstance(hint, type) and issubclass(hint, BaseModel)]
    return [
        field.alias or name
        for model in models
        if model.__name__ == model_name
        for name, field in model.model_fields.items()
    ]


def _place_and_message(errors: Sequence[ErrorDetails]) -> tuple[str, str]:
    """The place within the parameter, and what is wrong there.

    A parameter that may be of several types has an error for each: the one that says more than "another type" counts,
    of these the one farthest inside.
    """
    useful_errors = [error for error in errors if not error["type"].endswith("_type")] or list(errors)
    deepest = max(len(error["loc"]) for error in useful_errors)
    (fault, *other_faults) = [error for error in useful_errors if len(error["loc"]) == deepest]
    place = "".join(f"[{step}]" for step in fault["loc"] if isinstance(step, int))
    if fault["type"] == "missing" and len(fault["loc"]) > 1:
        place += f".{fault['loc'][-1]}"
    message = (
        "is empty"
        if fault.get("ctx", {}).get("min_length") == 1
        else _MESSAGES.get(fault["type"], str(fault["msg"]).removeprefix("Value error, "))
    )
    if fault["type"].endswith("_type"):
        expectations = dict.fromkeys(str(error["msg"]).removeprefix(_EXPECTED) for error in (fault, *other_faults))
        message = f"{_EXPECTED}{' or '.join(expectations)}"
    return place, message


def register(app: Flask) -> None:
    """Every error of the app becomes problem+json; unexpected ones are logged in full and reveal nothing to the
    client.
    """
    app.register_error_handler(SondeError, _from_ours)
    app.register_error_handler(HTTPException, _from_http)
    app.register_error_handler(RecursionError, _from_depth)
    app.register_error_handler(Exception, _from_unexpected)


def _from_ours(error: SondeError) -> Response:
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("request.unavailable", path=request.path, reason=str(error))
    return problem(status, str(error), getattr(error, "parameter", None))


def _from_http(error: HTTPException) -> Response:
    response = problem(error.code or 500, _description(error))
    for name, value in error.get_headers():
        if name.lower() in ("allow", "retry-after"):
            response.headers[name] = value
    return response


def _description(error: HTTPException) -> str | None:
    """Of an address or method that does not exist: which one, and where the right ones are."""
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return (
            f"{request.method} is not possible at {request.path[:200]}; allowed: {allowed}. /api describes each call."
        )
    if isinstance(error, NoSuchAddress) and error.description == NoSuchAddress.description:
        return f"There is nothing at {request.path[:200]}. /api lists every address."
    if isinstance(error, TooManyRequests):
        return f"More requests than {error.description}; send the next one after the seconds of Retry-After."
    return error.description


def _from_depth(_error: RecursionError) -> Response:
    """The client controls the depth: a body or filter nested thousandfold is the client's error."""
    log.info("request.too_deep", path=request.path)
    return problem(400, "The request is nested too deeply to be read.")


def _from_unexpected(error: Exception) -> Response:
    log.error("request.failed", path=request.path, error=type(error).__name__, exc_info=error)
    return problem(500, "This is a defect in Sonde; it was logged.")
