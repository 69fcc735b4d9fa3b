"""Who asks, and what they may do; no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from core.errors import SondeError

AccessScope = Literal["search", "library", "write", "admin"]
ALL_SCOPES: frozenset[AccessScope] = frozenset(get_args(AccessScope))


_RESERVED_SUBJECTS = frozenset(("public",))  # the owner of what everybody may read
_LONGEST_NAME = 200


class NotAuthenticated(SondeError):
    """Nobody is known to ask: no key or token, or one that is wrong or has expired (HTTP 401)."""


class NotAllowed(SondeError):
    """Who asks is known and may not do this (HTTP 403)."""


def checked_name(what: str, text: str) -> str:
    """A subject or group as it is kept and compared. Raises ValueError for an empty, too long or reserved one."""
    if not text.strip() or len(text) > _LONGEST_NAME or not text.isprintable():
        raise ValueError(f"a {what} is 1 to {_LONGEST_NAME} printable characters")
    if text.strip().lower() in _RESERVED_SUBJECTS:
        raise ValueError(f"{text!r} cannot be a {what}: the word stands for everybody")
    return text.strip()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. ``subject`` is stable over keys and tokens of the same person; None for an anonymous caller.

    ``groups`` are those whose restricted records the caller may see.
    """

    subject: str | None = None
    scopes: frozenset[AccessScope] = frozenset()
    groups: frozenset[str] = frozenset()

    @property
    def owner(self) -> str:
        """The owner of what the caller uploads. Raises NotAuthenticated for an anonymous caller."""
        if self.subject is None:
            raise NotAuthenticated("This needs a key or a token: send `Authorization: Bearer ...`.")
        return self.subject

    def must_have(self, scope: AccessScope) -> None:
        """Raises NotAuthenticated for an anonymous caller without the scope, NotAllowed for a known one.

        ``admin`` holds every scope.
        """
        if scope in self.scopes or "admin" in self.scopes:
            return
        if self.subject is None:
            raise NotAuthenticated(
                f"This needs a key or a token with the scope {scope}: send `Authorization: Bearer ...`."
            )
        raise NotAllowed(f"This key or token does not hold the scope {scope}.")


class Authenticator(Protocol):
    """Turns what a request carries into a caller."""

    def identify(self, bearer: str | None) -> Caller:
        """``bearer``: the text after ``Bearer``, None where there is none.

        Raises NotAuthenticated for a key or token that is unknown, spoilt or expired, Unavailable where it cannot be
        checked now.
        """
        ...


@dataclass(frozen=True, slots=True)
class AnonymousOnly:
    """Knows no keys: everybody searches, nobody does more."""

    def identify(self, bearer: str | None) -> Caller:
        if bearer is not None:
            raise NotAuthenticated("This service knows no keys; send the request without `Authorization`.")
        return Caller(scopes=frozenset(("search",)))
