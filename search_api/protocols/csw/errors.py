"""What is wrong with a CSW request."""

from __future__ import annotations


class CswError(Exception):
    """An exception of OWS Common 1.0, with its code and the parameter that is wrong."""

    def __init__(self, code: str, message: str, locator: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.locator = locator
