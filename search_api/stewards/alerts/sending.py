"""Sends due notices: collects them into deliveries, checks rights again, sends, and stores the result.

Sends at least once: an attempt is stored before it is made, its result after. After a crash between the two, the
delivery is sent again ten minutes later under the same id (``Message-ID``, the event's ``id``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from typing import Protocol

import structlog

from core.errors import Unavailable
from core.record import Record
from core.timespan import utc_now
from net.gate import Gate
from search_api.stewards.alerts.desk import AlertRecords, webhook_secret
from search_api.stewards.alerts.matching import Rights
from search_api.stewards.alerts.messages import (
    AlertAddresses,
    LinkSigner,
    MailEnvelope,
    MailRefused,
    SearchDigest,
    WebhookRefused,
    confirmation_mail,
    digest_mail,
    post_event,
    webhook_event,
)
from search_api.stewards.alerts.notices import Delivery, Notice, NoticeStore, State
from search_api.stewards.alerts.saved import SavedSearch
from search_api.stewards.alerts.store import SavedSearchStore

log = structlog.get_logger(__name__)

_BATCH = 100


class MailPort(Protocol):
    """Sends one mail. Raises MailRefused or Unavailable."""

    def send(self, message: EmailMessage) -> None: ...


@dataclass(frozen=True, slots=True)
class SendPolicy:
    """``base``: the service's public address; ``name``: its name; ``sender``: the From of its mails."""

    base: str
    secret: bytes = field(repr=False)
    name: str = "Sonde"
    sender: str = "Sonde <nobody@sonde.invalid>"


@dataclass(frozen=True)
class Sender:
    """``mail`` None: no mail server is configured. Only one process may send at a time."""

    searches: SavedSearchStore
    notices: NoticeStore
    records: AlertRecords
    rights: Callable[[], Rights]
    gate: Callable[[], Gate]
    mail: MailPort | None
    policy: SendPolicy
    now: Callable[[], datetime] = field(default=utc_now)

    def send(self, seconds: float) -> bool:
        """Returns whether more is due. Raises Unavailable if Elasticsearch does not answer; a later call continues."""
        start_s = time.monotonic()
        self.notices.collect(self.now())
        rights: Rights | None = None
        while due := self.notices.due(self.now(), _BATCH):
            rights = rights or self.rights()
            for delivery in due:
                if time.monotonic() - start_s >= seconds:
                    return True
                self.send_one(delivery, rights)
            self.notices.refresh()
        return False

    def send_one(self, delivery: Delivery, rights: Rights) -> None:
        if not self.notices.claim(delivery, self.now()):
            return
        try:
            state, problem = self._attempt(delivery, rights)
        except Unavailable as error:
            will_retry = self.notices.retry(delivery, str(error), self.now())
            log.warning("alerts.not_sent", channel=delivery.channel, again=will_retry, reason=str(error))
            return
        except (MailRefused, WebhookRefused) as error:
            self._record_refusal(delivery, error)
            state, problem = "failed", str(error)
        self.notices.finish(delivery, state, problem, self.now())
        log.info("alerts.delivery_ended", channel=delivery.channel, state=state)

    def _attempt(self, delivery: Delivery, rights: Rights) -> tuple[State, str | None]:
        if delivery.is_confirmation:
            if delivery.target not in {saved_search.mail for saved_search in self.searches.of_owner(delivery.owner)}:
                return "dropped", "its owner wants another address now"
            language = self.searches.confirmation(delivery.owner, delivery.target).language
            self._send_mail(confirmation_mail(self._letter(delivery), delivery.owner, language, self._addresses))
            return "sent", None
        digests = self._digests(delivery, rights)
        if not digests:
            return "dropped", "nothing in it may be told any more"
        if delivery.channel == "mail":
            self._send_mail(digest_mail(self._letter(delivery), digests, self._addresses))
        else:
            (digest,) = digests
            secret = webhook_secret(self.policy.secret, digest.saved.id)
            event = webhook_event(delivery.id, digest, secret, self._addresses)
            post_event(self.gate(), event, int(self.now().timestamp()))
        return "sent", None

    def _digests(self, delivery: Delivery, rights: Rights) -> list[SearchDigest]:
        """Digests that may be sent now: the search still has this receiver, and its owner may see the records."""
        by_search: dict[str, list[Notice]] = {}
        for notice in self.notices.find_many(delivery.notices):
            by_search.setdefault(notice.search, []).append(notice)
        digests = []
        for id, saved_search in self.searches.find_many(list(by_search)).items():
            groups = rights(saved_search)
            if groups is None or not self._is_wanted(saved_search, delivery):
                continue
            records = self._visible(by_search[id], groups)
            if records:
                digests.append(SearchDigest(saved_search, by_search[id], records))
        return sorted(digests, key=lambda digest: digest.saved.created)

    def _visible(self, notices: Sequence[Notice], groups: frozenset[str]) -> list[tuple[Record, bool]]:
        new: dict[str, bool] = {}
        for notice in notices:
            for record in notice.records:
                new[record.id] = new.get(record.id, False) or record.new
        visible = self.records.visible(list(new), groups)
        return [(visible[id], is_new) for id, is_new in new.items() if id in visible]

    def _is_wanted(self, saved_search: SavedSearch, delivery: Delivery) -> bool:
        if not saved_search.active or saved_search.channels.get(delivery.channel) != delivery.target:
            return False
        if delivery.channel == "webhook":
            return True
        return self.searches.confirmation(saved_search.owner, delivery.target).confirmed is not None

    def _record_refusal(self, delivery: Delivery, error: MailRefused | WebhookRefused) -> None:
        """Shows the problem to the owner; pauses the search if the receiver is gone for good."""
        is_gone = isinstance(error, MailRefused) or error.gone
        searches = {notice.search for notice in self.notices.find_many(delivery.notices)} if delivery.notices else set()
        for id in searches:
            if is_gone:
                self.searches.pause(id, str(error))
            else:
                self.searches.note_problem(id, str(error))

    def _send_mail(self, message: EmailMessage) -> None:
        if self.mail is None:
            raise Unavailable("No mail server is named (SONDE_MAIL__HOST).")
        self.mail.send(message)

    def _letter(self, delivery: Delivery) -> MailEnvelope:
        return MailEnvelope(delivery.id, delivery.target, self.policy.sender, self.policy.name, self.now())

    @property
    def _addresses(self) -> AlertAddresses:
        return AlertAddresses(self.policy.base.rstrip("/"), LinkSigner(self.policy.secret))
