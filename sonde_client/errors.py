"""The errors of the client."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import httpx


class ClientError(Exception):
    """The service's error message; ``status`` 0 if it did not answer. ``parameter`` is the invalid one, if any.

    ``retry_after_s``: how long to wait after too many requests (status 429), if the service says so.
    """

    def __init__(
        self, status: int, message: str, parameter: str | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter
        self.retry_after_s = retry_after_s


class NotOpenable(Exception):
    """The data cannot be opened in this way; the message says what there is, or which package is missing."""


def error_of(answer: httpx.Response) -> ClientError:
    """The error that an ``application/problem+json`` answer, or any other refusal, describes."""
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    fields: dict[str, object] = problem if isinstance(problem, dict) else {}
    message = str(fields.get("detail") or fields.get("title") or f"{answer.status_code} {answer.reason_phrase}")
    parameter = fields.get("parameter")
    wait = answer.headers.get("Retry-After", "")
    return ClientError(
        answer.status_code,
        message,
        parameter if isinstance(parameter, str) else None,
        float(wait) if wait.isdecimal() else None,
    )


def connection_error(base: str, error: Exception) -> ClientError:
    return ClientError(0, f"No service answers at {base} ({type(error).__name__}).")


def unreadable(base: str) -> ClientError:
    """An answer of 2xx that is not what Sonde sends: mostly another program behind the address."""
    return ClientError(0, f"The answer of {base} is not one of Sonde. Is this the address of a Sonde service?")


def import_extra(module: str, extra: str) -> ModuleType:
    """Raises NotOpenable with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotOpenable(f"This needs {module}: install the client's extra `{extra}`") from error
