"""Errors of the gate. Messages name the host or the address, never a query string or a credential."""

from __future__ import annotations

from core.errors import SondeError, Unavailable


class Refused(SondeError):
    """The gate does not send the request, or stops reading: a forbidden target, too large, too many redirects."""


class Forbidden(Refused):
    """The target's address is forbidden, and the operator has not allowed it."""


class UnknownName(Unavailable):
    """The resolver knows no address for the name."""


class BadStatus(SondeError):
    """The host answered with an error status; ``status`` is its number."""

    def __init__(self, host: str, status: int) -> None:
        super().__init__(f"{host} answered with HTTP status {status}")
        self.host = host
        self.status = status


class BrokenAnswer(Unavailable):
    """An answer began, but its bytes are inconsistent: a wrong length, a closed connection, damaged compression."""


class Untrusted(Unavailable):
    """The host's certificate is not trusted."""
