"""The few kinds of failure that cross rooms; the HTTP layer maps each to one problem+json."""

from __future__ import annotations


class SondeError(Exception):
    """Something a person can mend; the message says what was wrong and what to do."""


class InvalidInput(SondeError):
    """A caller's value that is not understood; ``parameter`` names it."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


class NotFound(SondeError):
    """What was asked for does not exist."""


class Conflict(SondeError):
    """What is asked for contradicts how things stand now (HTTP 409)."""


class PreconditionFailed(SondeError):
    """What was to be changed is not what the caller had seen of it (HTTP 412)."""


class TooLarge(SondeError):
    """What was sent is larger than is taken; the message names the limit (HTTP 413)."""


class Unsupported(SondeError):
    """A file of a kind that is not read, whatever its name says (HTTP 415)."""


class Unavailable(SondeError):
    """A part that is needed does not answer; trying later may help."""


class ModelMissing(SondeError):
    """A model that is named cannot be loaded."""


class IndexMismatch(SondeError):
    """An index that these settings cannot serve."""
