"""The caller and their rights; no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from core.errors import SondeError

AccessScope = Literal["search", "library", "write", "curate", "admin"]
ALL_SCOPES: frozenset[AccessScope] = frozenset(get_args(AccessScope))


_RESERVED_SUBJECTS = frozenset(("public",))  # the owner of public documents
_LONGEST_NAME = 200


class NotAuthenticated(SondeError):
    """The caller is unknown: no key or token, or an invalid or expired one (HTTP 401)."""


class NotAllowed(SondeError):
    """The caller is known, but may not do this (HTTP 403)."""


def checked_name(what: str, text: str) -> str:
    """A subject or group in its normal form. Raises ValueError for an empty, too long or reserved one."""
    if not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable():
        raise ValueError(f"a {what} is 1 to {_LONGEST_NAME} printable characters")
    if text.strip().lower() in _RESERVED_SUBJECTS:
        raise ValueError(f"{text!r} cannot be a {what}: the word means everybody")
    return text.strip()


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller. ``subject`` is the same for all keys and tokens of a person; None for an anonymous caller.

    ``groups``: the caller may see their restricted records.
    """

    subject: str | None = None
    scopes: frozenset[AccessScope] = frozenset()
    groups: frozenset[str] = frozenset()

    @property
    def owner(self) -> str:
        """The owner of the caller's uploads. Raises NotAuthenticated for an anonymous caller."""
        if self.subject is None:
            raise NotAuthenticated("This needs a key or a token: send `Authorization: Bearer ...`.")
        return self.subject

    @property
    def library(self) -> str | None:
        """The owner of the caller's library; None for a caller without one."""
        return self.subject if not self.scopes.isdisjoint(("library", "admin")) else None

    def must_have(self, scope: AccessScope) -> None:
        """Raises NotAuthenticated for an anonymous caller without the scope, NotAllowed for a known one.

        ``admin`` includes every scope.
        """
        if scope in self.scopes or "admin" in self.scopes:
            return
        if self.subject is None:
            raise NotAuthenticated(
                f"This needs a key or a token with the scope {scope}: send `Authorization: Bearer ...`."
            )
        raise NotAllowed(f"This key or token does not hold the scope {scope}.")


class Authenticator(Protocol):
    """Identifies the caller of a request."""

    def identify(self, bearer: str | None) -> Caller:
        """``bearer``: the text after ``Bearer``, None if there is none.

        Raises NotAuthenticated for an unknown, malformed or expired key or token, Unavailable if it cannot be checked
        now.
        """
        ...
