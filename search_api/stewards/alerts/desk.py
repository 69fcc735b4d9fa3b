"""What a user does with saved searches: save, change, list, delete, confirm an address, follow a link."""

from __future__ import annotations

import hmac
import secrets
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256

import structlog

from core.access import Caller
from core.clock import utc_now
from core.errors import Conflict, InvalidInput, NotFound
from es_gateway.searching import on_current
from search_api.search.pipeline import SearchPipeline
from search_api.stewards.alerts.compiled import Compiled, compile_question
from search_api.stewards.alerts.links import LinkSigner, SignedLink
from search_api.stewards.alerts.notices import Notice, NoticeStore
from search_api.stewards.alerts.records import AlertRecords
from search_api.stewards.alerts.rights import OwnerRights
from search_api.stewards.alerts.saved import SavedSearch, SavedSearchBody, request_of
from search_api.stewards.alerts.store import Counted, MailConfirmation, SavedSearchStore
from search_api.stewards.alerts.texts import Language

log = structlog.get_logger(__name__)

SHORTEST_SECRET = 16
_CONFIRMATIONS = 3
"""Of one address, by one owner, until it is confirmed: nobody fills another's mailbox."""
_OF_OWNER = 5
_OF_DOMAIN = 30
"""Confirmations in a day that one owner asks for, and that one domain gets from all owners."""
_TOO_MANY = "Too many confirmations of mail addresses were asked for today; save the search again tomorrow."
_BETWEEN_CONFIRMATIONS = timedelta(hours=1)
_SEEN_EVERY = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class AlertPolicy:
    """``secret`` signs links and webhooks; empty: nothing is saved. ``most``: of one owner. ``mails``: whether the
    operator named a mail server.
    """

    secret: bytes = field(default=b"", repr=False)
    most: int = 50
    mails: bool = False


@dataclass(frozen=True)
class AlertDesk:
    """Methods raise the gateway's errors, and NotFound if the operator keeps no saved searches."""

    pipeline: SearchPipeline
    searches: SavedSearchStore
    notices: NoticeStore
    records: AlertRecords
    rights: OwnerRights
    policy: AlertPolicy = AlertPolicy()
    now: Callable[[], datetime] = field(default=utc_now)

    @property
    def links(self) -> LinkSigner:
        self._is_on()
        return LinkSigner(self.policy.secret)

    def save(self, body: SavedSearchBody, caller: Caller, language: Language) -> SavedSearch:
        """``language``: if the body names none. Raises InvalidInput, and Conflict if the owner has too many."""
        self._is_on()
        owner, now = caller.owner, self.now().isoformat()
        if len(self.searches.of_owner(owner)) >= self.policy.most:
            raise Conflict(f"There are {self.policy.most} saved searches already; delete one first.")
        id = secrets.token_urlsafe(12)
        made = SavedSearch(id, owner, caller.groups, "", {}, "day", True, True, now, now, now, now, language=language)
        return self._put(made.with_body(body, caller.groups, now))

    def change(self, id: str, body: SavedSearchBody, caller: Caller) -> SavedSearch:
        """Raises NotFound, InvalidInput."""
        return self._put(self.of(id, caller).with_body(body, caller.groups, self.now().isoformat()))

    def of(self, id: str, caller: Caller) -> SavedSearch:
        """Raises NotFound, also for the search of somebody else."""
        self._is_on()
        saved = self.searches.find(id).saved
        if saved.owner != caller.owner:
            raise NotFound("There is no such saved search.")
        return saved

    def own(self, caller: Caller) -> list[SavedSearch]:
        """Oldest first. The visit renews what the groups of a token are worth."""
        self._is_on()
        found = self.searches.of_owner(caller.owner)
        oldest = (self.now() - _SEEN_EVERY).isoformat()
        if any(one.seen < oldest for one in found):
            self.searches.note_seen(caller.owner, self.now().isoformat())
        return found

    def delete(self, id: str, caller: Caller) -> None:
        """With what it would still have told. Raises NotFound."""
        self.of(id, caller)
        self.searches.delete(id)
        self.notices.forget(id)

    def found(self, saved: SavedSearch, size: int) -> list[Notice]:
        """What it found, newest first."""
        return self.notices.of_search(saved.id, size)

    def is_confirmed(self, saved: SavedSearch) -> bool:
        return saved.mail is None or self.searches.confirmation(saved.owner, saved.mail).confirmed is not None

    def follow(self, link: SignedLink) -> None:
        """Does what a link of a mail says. Raises NotFound if its search is gone."""
        if link.action == "confirm":
            one = self.searches.confirmation(link.subject, link.target)
            self.searches.put_confirmation(replace(one, confirmed=self.now().isoformat()))
        elif link.action == "stop":
            stored = self.searches.find(link.subject)
            self.searches.put(replace(stored.saved, mail=None, changed=self.now().isoformat()), stored.compiled)

    def feed_of(self, token: str) -> SavedSearch:
        """Raises NotFound."""
        link = self.links.read(token)
        if link.action != "feed":
            raise NotFound("This link was not made here.")
        saved = self.searches.find(link.subject).saved
        if link.target != saved.feed:
            raise NotFound("The owner of this search has ended this address of its feed.")
        return saved

    def feed_token(self, saved: SavedSearch) -> str:
        """The part of the feed's address that lets its reader in."""
        return self.links.token(SignedLink("feed", saved.id, saved.feed))

    def renew_feed(self, id: str, caller: Caller) -> SavedSearch:
        """Gives the feed another address; whoever has the one before reads nothing more. Raises NotFound."""
        self.of(id, caller)
        stored = self.searches.find(id)
        renewed = replace(stored.saved, feed=secrets.token_urlsafe(12), changed=self.now().isoformat())
        self.searches.put(renewed, stored.compiled)
        return renewed

    def webhook_secret(self, saved: SavedSearch) -> str:
        """As in Standard Webhooks. Made from the operator's secret, so that none is stored."""
        return webhook_secret(self.policy.secret, saved.id)

    def _put(self, saved: SavedSearch) -> SavedSearch:
        if saved.mail is not None and not self.policy.mails:
            raise InvalidInput("mail", "mail: this service sends no mail; use webhook, or the feed")
        compiled = self._compiled(saved)
        self.searches.put(saved, compiled)
        if saved.mail is not None and not self._ask_confirmation(saved.owner, saved.mail, saved.language):
            saved = replace(saved, problem=_TOO_MANY)
            self.searches.put(saved, compiled)
        return saved

    def _compiled(self, saved: SavedSearch) -> Compiled:
        resolver, request = self.pipeline.parts.resolver, request_of(saved.asked)
        return on_current(resolver, lambda serving: compile_question(self.pipeline, request, serving))

    def _ask_confirmation(self, owner: str, mail: str, language: Language) -> bool:
        """False if too many confirmations were asked for: by this owner, for this mailbox, or for its domain."""
        one, now = self.searches.confirmation(owner, mail), self.now()
        recent = one.mailed is not None and datetime.fromisoformat(one.mailed) > now - _BETWEEN_CONFIRMATIONS
        if one.confirmed is not None or recent or one.mails >= _CONFIRMATIONS:
            return True
        if not all(self.searches.spend(*budget, now) for budget in _budgets(owner, mail)):
            log.warning("alerts.too_many_confirmations", owner=owner)
            return False
        asked = MailConfirmation(owner, mail, None, now.isoformat(), one.mails + 1, language)
        self.notices.ask_confirmation(owner, mail, now, asked.mails)
        self.searches.put_confirmation(asked)
        return True

    def _is_on(self) -> None:
        if not self.policy.secret:
            raise NotFound("This service keeps no saved searches; its operator may set SONDE_ALERTS__SECRET.")


def mailbox_of(mail: str) -> str:
    """One spelling of all addresses that lead to one mailbox: without a tag, dots and capitals."""
    local, _, domain = mail.lower().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"


def _budgets(owner: str, mail: str) -> tuple[tuple[Counted, str, int], ...]:
    mailbox = mailbox_of(mail)
    return (
        ("owner", owner, _OF_OWNER),
        ("mailbox", mailbox, _CONFIRMATIONS),
        ("domain", mailbox.rpartition("@")[2], _OF_DOMAIN),
    )


def webhook_secret(secret: bytes, id: str) -> str:
    """``whsec_`` and 24 bytes in base64, which receivers of Standard Webhooks read."""
    return "whsec_" + b64encode(hmac.digest(secret, f"webhook\0{id}".encode(), sha256)[:24]).decode("ascii")
