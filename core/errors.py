"""The common errors of all packages; the HTTP layer maps each to one problem+json."""

from __future__ import annotations


class SondeError(Exception):
    """An error that a person can fix; the message says what was wrong and what to do."""


class InvalidInput(SondeError):
    """An invalid value from the caller; ``parameter`` names it."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class NotFound(SondeError):
    """The requested thing does not exist."""


class Conflict(SondeError):
    """The request contradicts the current state (HTTP 409)."""


class PreconditionFailed(SondeError):
    """The resource to change is not in the state that the caller expects (HTTP 412)."""


class TooLarge(SondeError):
    """The request is too large; the message names the limit (HTTP 413)."""


class Unsupported(SondeError):
    """A file of an unsupported type, whatever its name (HTTP 415)."""


class Unavailable(SondeError):
    """A required service does not answer; a later retry may help."""


class WrongFile(SondeError):
    """A file of the operator that cannot be read or used; all works again when it is corrected (HTTP 503)."""


class ModelMissing(SondeError):
    """The named model cannot be loaded."""


class IndexMismatch(SondeError):
    """An index that does not fit these settings."""
