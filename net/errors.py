"""What the gate says when it does not fetch. Messages name the host, never a query string or a credential."""

from __future__ import annotations

from core.errors import SondeError, Unavailable


class Refused(SondeError):
    """The gate will not send this, or will not read on: a forbidden target, too large, too many redirects."""


class Forbidden(Refused):
    """The target is at an address that must not be asked, and the operator has not allowed it."""


class BadStatus(SondeError):
    """The host answered, but with an error status; ``status`` is its number."""

    def __init__(self, host: str, status: int) -> None:
        super().__init__(f"{host} answered with HTTP status {status}")
        self.host = host
        self.status = status


class BrokenAnswer(Unavailable):
    """An answer began, but its bytes do not hang together: a wrong length, a cut connection, damaged compression."""


class Untrusted(Unavailable):
    """The host's certificate is not one that is trusted here."""
