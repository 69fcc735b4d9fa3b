"""Asks the HTTP API for one caller; every failure becomes a message that says what an agent can change."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

import httpx
from mcp.server.mcpserver.exceptions import ToolError

from core.json_types import Json

_TIMEOUT_S = 60.0
_NAMES = {
    "q": "query",
    "datetime": "period",
    "type": "kind",
    "provenance": "kind",
}
"""Parameters of the API that the tools call otherwise."""


@dataclass(frozen=True, slots=True)
class Api:
    """``http``: a client with the API's address and the caller's key."""

    http: httpx.Client

    @classmethod
    def at(cls, url: str, key: str | None = None) -> Api:
        """The API at this address."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return cls(httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=_TIMEOUT_S))

    def get(self, path: str, parameters: Mapping[str, object] | None = None) -> Json:
        """Parameters that are None or empty are left out. Raises ToolError."""
        given = {name: str(value) for name, value in (parameters or {}).items() if value not in (None, "", [])}
        with _reached():
            answer = self.http.get(path, params=given)
        return _read(answer)

    def post(self, path: str, body: Json) -> Json:
        """Raises ToolError."""
        with _reached():
            answer = self.http.post(path, json=_stated(body), headers={"Accept": "application/json"})
        return _read(answer)

    def first_event(self, path: str, body: Json) -> Json:
        """The first server-sent event of an answer; the rest is not waited for. Raises ToolError."""
        with _reached(), self.http.stream("POST", path, json={**_stated(body), "stream": True}) as answer:
            if not answer.is_success:
                answer.read()
                return _read(answer)
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    found: Json = json.loads(line.removeprefix("data: "))
                    return found
        raise ToolError("The service ended its answer early. Try again.")

    def record(self, record: str, rest: str = "", parameters: Mapping[str, object] | None = None) -> Json:
        """One record, or what lies below its address. Raises ToolError if there is none with this id."""
        return self.get(f"/collections/all/items/{quote(record, safe=':~')}{rest}", parameters)


def _stated(body: Json) -> Json:
    return {name: value for name, value in body.items() if value not in (None, "", [])}


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as error:
        raise ToolError(
            f"Sonde does not answer ({type(error).__name__}). Try again later, or tell the user."
        ) from error


def _read(answer: httpx.Response) -> Json:
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
