"""What schemathesis makes of the API's own description when it is told to break it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from core.errors import SondeError
from lab.malformed.sent import MalformedRequest


def made_by_schema(url: str, key: str, number: int, first: int) -> list[MalformedRequest]:
    """About ``number`` requests, as many for each call of ``/api``; the same ones each time, counted from ``first``.

    Raises SondeError where schemathesis is not installed: it is no part of what ships.
    """
    if not number:
        return []
    if find_spec("schemathesis") is None:
        raise SondeError("schemathesis is not installed (the development environment has it); use --schema 0.")
    import schemathesis
    from schemathesis.core.result import Ok

    found = schemathesis.openapi.from_url(f"{url}/api").get_all_operations()
    calls = [one.ok() for one in found if isinstance(one, Ok)]
    cases = [case for call in calls for case in _cases(call, max(1, number // len(calls)))]
    return [
        MalformedRequest(first + place, "schema", _case_wire(case, url, key))
        for place, case in enumerate(cases[:number])
    ]


def _cases(call: Any, number: int) -> list[Any]:
    """Examples of one call with something wrong in each; none where nothing of it can be wrong."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    made: list[Any] = []

    @settings(
        max_examples=number,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=call.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    def collect(case: Any) -> None:
        made.append(case)

    try:
        collect()
    except Unsatisfiable:
        return made
    return made


def _case_wire(case: Any, url: str, key: str) -> bytes:
    """The bytes that `requests` would send."""
    import requests

    given = case.as_transport_kwargs(base_url=url)
    given["headers"] = {**dict(given.get("headers") or {}), "Authorization": f"Bearer {key}", "Connection": "close"}
    known = ("method", "url", "headers", "files", "data", "json", "params", "cookies")
    prepared = requests.Request(**{name: given[name] for name in known if name in given}).prepare()
    place = urlsplit(prepared.url or url)
    target = f"{place.path or '/'}{'?' + place.query if place.query else ''}"
    lines = [f"{prepared.method} {target} HTTP/1.1", f"Host: {place.netloc}"]
    lines += [f"{_text(name)}: {_text(value)}" for name, value in prepared.headers.items()]
    body = prepared.body or b""
    return (
        "\r\n".join(lines).encode("latin-1", "replace")
        + b"\r\n\r\n"
        + (body if isinstance(body, bytes) else str(body).encode())
    )


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value
