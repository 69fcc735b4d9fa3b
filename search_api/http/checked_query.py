"""The check of a query's parameters without a look at each of those that were not sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, get_type_hints

from flask import Response, abort, request
from pydantic import ValidationError

from core.json_types import JsonMapping
from search_api.http.parameter_types import Parameters
from search_api.http.problems import from_validation

Query = TypeVar("Query", bound=Parameters)


def checked_query(view: Callable[[Query], Response]) -> Callable[..., Response]:
    """A view whose only argument is ``query``, a model of Parameters. Goes below the route's decorator.

    flask-openapi, which documents the view, leaves the check to it.
    """
    model: type[Query] = get_type_hints(view)["query"]
    lists = _lists(model)

    @wraps(view)
    def checked() -> Response:
        sent = request.args
        try:
            query = model.model_validate({key: sent.getlist(key) if key in lists else sent[key] for key in sent})
        except ValidationError as error:
            abort(from_validation(error))
        return view(query)

    checked.__delay_validate_request__ = True  # type: ignore[attr-defined]
    return checked


def _lists(model: type[Parameters]) -> frozenset[str]:
    """The parameters that may be given several times."""
    properties = model.model_json_schema()["properties"]
    return frozenset(name for name, said in properties.items() if _is_list(said))


def _is_list(said: JsonMapping) -> bool:
    return any(one.get("type") == "array" for one in (said, *said.get("anyOf", ())))
