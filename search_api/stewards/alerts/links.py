"""Signed links in mails and feeds: whoever has one may do the one thing that it says, without a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

from core.errors import NotFound

Action = Literal["confirm", "stop", "feed"]
_ACTIONS: tuple[Action, ...] = get_args(Action)
CONFIRM_DAYS = 7
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class SignedLink:
    """``confirm``: ``subject`` is the owner, ``target`` the mail address. ``stop`` (no more by this channel) and
    ``feed``: ``subject`` is the saved search, ``target`` the channel, of a feed the part that its owner can change.
    """

    action: Action
    subject: str
    target: str = ""


class LinkSigner:
    """Signs links with the operator's secret; a confirmation ends after a week, the others with their search."""

    def __init__(self, secret: bytes) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="saved-searches")

    def token(self, link: SignedLink) -> str:
        return str(self._signer.dumps([link.action, link.subject, link.target]))

    def read(self, token: str) -> SignedLink:
        """Raises NotFound for a token that was not made here, or is over."""
        try:
            action, subject, target = self._signer.loads(token)
            if action == "confirm":
                self._signer.loads(token, max_age=CONFIRM_DAYS * _DAY_S)
        except SignatureExpired:
            raise NotFound("This link was valid for a week; save the search again to get another.") from None
        except (BadData, ValueError):
            raise NotFound("This link was not made here.") from None
        if action not in _ACTIONS:
            raise NotFound("This link was not made here.")
        return SignedLink(cast(Action, action), str(subject), str(target))
