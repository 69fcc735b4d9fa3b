"""The HTTP API as the tools call it for one caller, and the types of their parameters.

Every failure becomes a message that says what an agent can change.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote

import httpx
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from starlette.requests import Request

from core.json_types import Json
from search_api.formats_out.notations import without_empty

_TIMEOUT_S = 60.0
_NAMES = {
    "q": "query",
    "datetime": "period",
    "type": "kind",
    "provenance": "kind",
}
"""Parameters of the API that the tools call otherwise."""

CALLER = "sonde.api"
"""The key of a request's scope that holds the API of its caller."""
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
_MOST_SOURCES = 30
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class AgentApi:
    """``http``: a client with the API's address and the caller's key."""

    http: httpx.Client

    @classmethod
    def at(cls, url: str, key: str | None = None, *, trust_env: bool = True) -> AgentApi:
        """The API at this address; ``trust_env``: by the proxy of the environment, if one is set."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return cls(httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=_TIMEOUT_S, trust_env=trust_env))

    def get(self, path: str, parameters: Mapping[str, object] | None = None) -> Json:
        """Parameters that are None or empty are left out. Raises ToolError."""
        query = {name: str(value) for name, value in (parameters or {}).items() if value not in (None, "", [])}
        with _as_tool_error():
            answer = self.http.get(path, params=query)
        return _content_of(answer)

    def post(self, path: str, body: Json) -> Json:
        """Raises ToolError."""
        with _as_tool_error():
            answer = self.http.post(path, json=without_empty(body), headers={"Accept": "application/json"})
        return _content_of(answer)

    def first_event(self, path: str, body: Json) -> Json:
        """The first server-sent event of an answer; the rest is not waited for. Raises ToolError."""
        with _as_tool_error(), self.http.stream("POST", path, json={**without_empty(body), "stream": True}) as answer:
            if not answer.is_success:
                answer.read()
                return _content_of(answer)
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    event: Json = json.loads(line.removeprefix("data: "))
                    return event
        raise ToolError("The service ended its answer early. Try again.")

    def record(self, record: str, path: str = "", parameters: Mapping[str, object] | None = None) -> Json:
        """One record, or what lies below its address. Raises ToolError if there is none with this id."""
        return self.get(f"/collections/all/items/{quote(record, safe=':~')}{path}", parameters)

    def record_text(self, record: str, form: str) -> str:
        """One record in an output format that is no JSON object. Raises ToolError if there is none with this id."""
        with _as_tool_error():
            answer = self.http.get(f"/collections/all/items/{quote(record, safe=':~')}", params={"f": form})
        if not answer.is_success:
            raise ToolError(_advice(answer))
        return answer.text


@contextmanager
def _as_tool_error() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as error:
        raise ToolError(
            f"Sonde does not answer ({type(error).__name__}). Try again later, or tell the user."
        ) from error


def _content_of(answer: httpx.Response) -> Json:
    if answer.is_success:
        body: Json = answer.json()
        return body
    raise ToolError(_advice(answer))


def _advice(answer: httpx.Response) -> str:
    try:
        problem: Json = answer.json()
    except ValueError:
        problem = {}
    detail = str(problem.get("detail") or problem.get("title") or answer.reason_phrase)
    status = answer.status_code
    if status == httpx.codes.UNAUTHORIZED:
        return f"{detail} Ask the user for a key of this service; it goes into the settings of this MCP server."
    if status == httpx.codes.FORBIDDEN:
        return f"{detail} Do not try again with the same key; tell the user which scope is missing."
    if status == httpx.codes.NOT_FOUND:
        return f"{detail} Use an id exactly as `search` returned it."
    if status in (httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE):
        return f"{detail} Wait {answer.headers.get('Retry-After', '5')} seconds, then make the same call again."
    parameter = problem.get("parameter")
    name = _NAMES.get(str(parameter), parameter)
    return f"{detail.rstrip('.')}. Change `{name}` and call again." if parameter else detail


ToolContext = Context[AgentApi | None, Request | None]


def api_of(context: ToolContext) -> AgentApi:
    """The caller's API: of the HTTP request, or of the whole server over stdio."""
    request = context.request_context.request
    api = request.scope[CALLER] if request is not None else context.request_context.lifespan_context
    if not isinstance(api, AgentApi):
        raise TypeError("the server was started without an API")
    return api


def kind_filters(kind: Kind | None) -> Json:
    """The API has what a record is, and how it was made, in two parameters."""
    product = kind in PRODUCTS
    return {"type": None if product else kind, "provenance": kind if product else None}


def bbox_text(box: list[float] | None) -> str | None:
    return ",".join(f"{edge:g}" for edge in box) if box else None


def catalogues_of(api: AgentApi) -> list[Json]:
    """The largest first."""
    return [
        without_empty(
            {
                "id": collection["id"],
                "title": collection["title"],
                "records": collection["sonde:count"],
                "bbox": collection.get("extent", {}).get("spatial", {}).get("bbox", [None])[0],
                "period": collection.get("extent", {}).get("temporal", {}).get("interval", [None])[0],
            }
        )
        for collection in _by_size(api)[:_MOST_SOURCES]
    ]


def refuse_unknown(api: AgentApi, source: str) -> None:
    """Raises ToolError if there is no such catalogue."""
    ids = [collection["id"] for collection in _by_size(api)]
    if source not in ids:
        some_ids = ", ".join(ids[:_MOST_NAMED]) + (", ..." if len(ids) > _MOST_NAMED else "")
        raise ToolError(f"There is no catalogue {source!r}; there are {some_ids}. Change `source` and call again.")


def _by_size(api: AgentApi) -> list[Json]:
    collections = [collection for collection in api.get("/collections")["collections"] if collection["id"] != "all"]
    return sorted(collections, key=lambda collection: -collection["sonde:count"])
