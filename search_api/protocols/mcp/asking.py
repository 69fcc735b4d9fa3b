"""What the tools have in common: their parameters' types, and the API of the caller."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp.server.mcpserver import Context
from pydantic import Field
from starlette.requests import Request

from core.json_types import Json
from search_api.protocols.mcp.api import Api

CALLER = "sonde.api"
"""The key of a request's scope that holds the API of its caller."""

Asked = Context[Api | None, Request | None]
Kind = Literal[
    "dataset", "series", "service", "document", "software", "collection",
    "observation", "simulation", "projection", "reanalysis", "derived",
]  # fmt: skip
PRODUCTS = frozenset(("observation", "simulation", "projection", "reanalysis", "derived"))

Query = Annotated[
    str,
    Field(
        max_length=2000,
        description="The question in plain words, in the user's own language. Do not turn it into keywords.",
    ),
]
Place = Annotated[
    str | None, Field(max_length=200, description="Only records of this place, by name. Not together with bbox.")
]
Box = Annotated[
    list[float] | None,
    Field(min_length=4, max_length=4, description="west, south, east, north in degrees; only records of this box."),
]
Period = Annotated[
    str | None,
    Field(max_length=100, description="start/end, years or dates, `..` for an open end: `1990/2000`, `2010/..`."),
]
KindOf = Annotated[
    Kind | None, Field(description="What the record is (dataset, service, ...) or how it was made (observation, ...).")
]
Source = Annotated[
    str | None, Field(max_length=200, description="Id of one catalogue, as `describe_holdings` lists them.")
]
RecordId = Annotated[
    str, Field(min_length=1, max_length=500, description="Id of a record, exactly as `search` returned it.")
]
Limit = Annotated[int, Field(ge=1, le=20, description="How many at most.")]


def api_of(asked: Asked) -> Api:
    """The caller's API: of the HTTP request, or of the whole server over stdio."""
    request = asked.request_context.request
    api = request.scope[CALLER] if request is not None else asked.request_context.lifespan_context
    if not isinstance(api, Api):
        raise TypeError("the server was started without an API")
    return api


def kind_filters(kind: Kind | None) -> Json:
    """The API has what a record is, and how it was made, in two parameters."""
    product = kind in PRODUCTS
    return {"type": None if product else kind, "provenance": kind if product else None}


def joined(box: list[float] | None) -> str | None:
    return ",".join(f"{edge:g}" for edge in box) if box else None
