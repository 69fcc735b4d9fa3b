"""What the owner of a saved search may see now: checked at each matching and at each sending."""

from __future__ import annotations

import hmac
import secrets
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256

import structlog

from core.access import Caller
from core.errors import Conflict, InvalidInput, NotFound
from core.record import Record
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_gateway.searching import with_current_index
from es_mappings.codecs.records import from_document
from es_mappings.codecs.vectors import WITHOUT
from es_mappings.names import alias
from search_api.http.access.keys import ApiKey
from search_api.http.access.visibility import visible_clause
from search_api.search.flow import SearchPipeline
from search_api.stewards.alerts.messages import LinkSigner, SignedLink
from search_api.stewards.alerts.notices import Notice, NoticeStore
from search_api.stewards.alerts.saved import (
    Compiled,
    Language,
    SavedSearch,
    SavedSearchBody,
    compile_question,
    request_of,
)
from search_api.stewards.alerts.store import BudgetKind, MailConfirmation, SavedSearchStore


@dataclass(frozen=True)
class OwnerRights:
    """The rights of owners, by their keys; ``keys``: all keys, ``token_days``: how long the groups of a token count.

    A search never shows more than its owner could see when it was saved. An owner whose keys have all expired gets
    nothing. The groups of an owner with tokens instead of keys are valid for ``token_days`` after the last visit;
    later the owner gets public records only.
    """

    keys: Callable[[], Sequence[ApiKey]]
    token_days: int = 30
    now: Callable[[], datetime] = field(default=utc_now)

    def current(self) -> Callable[[SavedSearch], frozenset[str] | None]:
        """Reads the keys once. Returns a function to the groups of a search's owner; None: send nothing."""
        now = self.now()
        by_owner: dict[str, list[ApiKey]] = {}
        for key in self.keys():
            by_owner.setdefault(key.grant.subject, []).append(key)

        def groups_of(saved_search: SavedSearch) -> frozenset[str] | None:
            keys = by_owner.get(saved_search.owner)
            if keys is None:
                fresh = datetime.fromisoformat(saved_search.seen) >= now - timedelta(days=self.token_days)
                return saved_search.groups if fresh else frozenset()
            usable = [key for key in keys if key.state(now) == "active" and key.grant.scopes & {"search", "admin"}]
            if not usable:
                return None
            return saved_search.groups & frozenset[str]().union(*(key.grant.groups for key in usable))

        return groups_of


@dataclass(frozen=True, slots=True)
class AlertRecords:
    """``client`` sees everything; the groups are given with each call. Raises the errors of the gateway."""

    client: Elasticsearch
    prefix: str

    def visible(self, ids: Sequence[str], groups: frozenset[str]) -> dict[str, Record]:
        """The existing records that these groups may see now."""
        if not ids:
            return {}
        query = {"bool": {"filter": [{"ids": {"values": list(ids)}}, visible_clause(groups)]}}
        answer = self.client.search(index=alias(self.prefix, "records"), query=query, size=len(ids), source=WITHOUT)
        return {hit["_id"]: from_document(hit["_source"]) for hit in answer.body["hits"]["hits"]}


log = structlog.get_logger(__name__)

_CONFIRMATIONS = 3
"""Mails to one unconfirmed address by one owner, so that nobody fills another's mailbox."""
_PER_OWNER = 5
_PER_DOMAIN = 30
"""Confirmations a day: requested by one owner, and sent to one domain by all owners."""
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
        self._require_enabled()
        return LinkSigner(self.policy.secret)

    def save(self, body: SavedSearchBody, caller: Caller, language: Language) -> SavedSearch:
        """``language``: if the body names none. Raises InvalidInput, and Conflict if the owner has too many."""
        self._require_enabled()
        owner, now = caller.owner, self.now().isoformat()
        if len(self.searches.of_owner(owner)) >= self.policy.most:
            raise Conflict(f"There are {self.policy.most} saved searches already; delete one first.")
        id = secrets.token_urlsafe(12)
        saved_search = SavedSearch(
            id, owner, caller.groups, "", {}, "day", True, True, now, now, now, now, language=language
        )
        return self._put(saved_search.with_body(body, caller.groups, now))

    def change(self, id: str, body: SavedSearchBody, caller: Caller) -> SavedSearch:
        """Raises NotFound, InvalidInput."""
        return self._put(self.find(id, caller).with_body(body, caller.groups, self.now().isoformat()))

    def find(self, id: str, caller: Caller) -> SavedSearch:
        """Raises NotFound, also for the search of somebody else."""
        self._require_enabled()
        saved_search = self.searches.find(id).saved
        if saved_search.owner != caller.owner:
            raise NotFound("There is no such saved search.")
        return saved_search

    def list_own(self, caller: Caller) -> list[SavedSearch]:
        """Oldest first. Notes the visit, from which the validity of a token's groups is counted."""
        self._require_enabled()
        searches = self.searches.of_owner(caller.owner)
        oldest = (self.now() - _SEEN_EVERY).isoformat()
        if any(saved_search.seen < oldest for saved_search in searches):
            self.searches.note_seen(caller.owner, self.now().isoformat())
        return searches

    def delete(self, id: str, caller: Caller) -> None:
        """Also deletes its notices. Raises NotFound."""
        self.find(id, caller)
        self.searches.delete(id)
        self.notices.delete_of(id)

    def notices_of(self, saved_search: SavedSearch, size: int) -> list[Notice]:
        """Newest first."""
        return self.notices.of_search(saved_search.id, size)

    def is_confirmed(self, saved_search: SavedSearch) -> bool:
        return (
            saved_search.mail is None
            or self.searches.confirmation(saved_search.owner, saved_search.mail).confirmed is not None
        )

    def follow(self, link: SignedLink) -> None:
        """Carries out the action of a link. Raises NotFound if its search is deleted."""
        if link.action == "confirm":
            confirmation = self.searches.confirmation(link.subject, link.target)
            self.searches.put_confirmation(replace(confirmation, confirmed=self.now().isoformat()))
        elif link.action == "stop":
            stored_search = self.searches.find(link.subject)
            self.searches.put(
                replace(stored_search.saved, mail=None, changed=self.now().isoformat()), stored_search.compiled
            )

    def feed_of(self, token: str) -> SavedSearch:
        """Raises NotFound."""
        link = self.links.read(token)
        if link.action != "feed":
            raise NotFound("This link was not made here.")
        saved_search = self.searches.find(link.subject).saved
        if link.target != saved_search.feed:
            raise NotFound("The owner of this search has ended this address of its feed.")
        return saved_search

    def feed_token(self, saved_search: SavedSearch) -> str:
        """The secret part of the feed's address."""
        return self.links.token(SignedLink("feed", saved_search.id, saved_search.feed))

    def renew_feed(self, id: str, caller: Caller) -> SavedSearch:
        """Gives the feed a new address; the earlier one ends. Raises NotFound."""
        self.find(id, caller)
        stored_search = self.searches.find(id)
        renewed_search = replace(stored_search.saved, feed=secrets.token_urlsafe(12), changed=self.now().isoformat())
        self.searches.put(renewed_search, stored_search.compiled)
        return renewed_search

    def webhook_secret(self, saved_search: SavedSearch) -> str:
        """As in Standard Webhooks. Derived from the operator's secret, so that none is stored."""
        return webhook_secret(self.policy.secret, saved_search.id)

    def _put(self, saved_search: SavedSearch) -> SavedSearch:
        if saved_search.mail is not None and not self.policy.mails:
            raise InvalidInput("mail", "mail: this service sends no mail; use webhook, or the feed")
        compiled_question = self._compile(saved_search)
        self.searches.put(saved_search, compiled_question)
        if saved_search.mail is not None and not self._ask_confirmation(
            saved_search.owner, saved_search.mail, saved_search.language
        ):
            saved_search = replace(saved_search, problem=_TOO_MANY)
            self.searches.put(saved_search, compiled_question)
        return saved_search

    def _compile(self, saved_search: SavedSearch) -> Compiled:
        resolver, request = self.pipeline.parts.resolver, request_of(saved_search.parameters)
        return with_current_index(resolver, lambda serving: compile_question(self.pipeline, request, serving))

    def _ask_confirmation(self, owner: str, mail: str, language: Language) -> bool:
        """False if too many confirmations were requested: by this owner, for this mailbox, or for its domain."""
        confirmation, now = self.searches.confirmation(owner, mail), self.now()
        recent = (
            confirmation.mailed is not None
            and datetime.fromisoformat(confirmation.mailed) > now - _BETWEEN_CONFIRMATIONS
        )
        if confirmation.confirmed is not None or recent or confirmation.mails >= _CONFIRMATIONS:
            return True
        if not all(self.searches.spend(*budget, now) for budget in _budgets(owner, mail)):
            log.warning("alerts.too_many_confirmations", owner=owner)
            return False
        renewal = MailConfirmation(owner, mail, None, now.isoformat(), confirmation.mails + 1, language)
        self.notices.ask_confirmation(owner, mail, now, renewal.mails)
        self.searches.put_confirmation(renewal)
        return True

    def _require_enabled(self) -> None:
        if not self.policy.secret:
            raise NotFound("This service keeps no saved searches; its operator may set SONDE_ALERTS__SECRET.")


def mailbox_of(mail: str) -> str:
    """The same text for all spellings of one mailbox: lower case, without tag and dots."""
    local, _, domain = mail.lower().rpartition("@")
    return f"{local.partition('+')[0].replace('.', '')}@{domain}"


def _budgets(owner: str, mail: str) -> tuple[tuple[BudgetKind, str, int], ...]:
    mailbox = mailbox_of(mail)
    return (
        ("owner", owner, _PER_OWNER),
        ("mailbox", mailbox, _CONFIRMATIONS),
        ("domain", mailbox.rpartition("@")[2], _PER_DOMAIN),
    )


def webhook_secret(secret: bytes, id: str) -> str:
    """``whsec_`` and 24 bytes in base64, which receivers of Standard Webhooks read."""
    return "whsec_" + b64encode(hmac.digest(secret, f"webhook\0{id}".encode(), sha256)[:24]).decode("ascii")
