"""Messages about saved searches: signed links, mails by SMTP, and signed events to webhooks."""

from __future__ import annotations

import base64
import hmac
import json
import re
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from hashlib import sha256
from typing import Literal, cast, get_args
from urllib.parse import quote

from itsdangerous import BadData, SignatureExpired, URLSafeTimedSerializer

from core.errors import NotFound, SondeError, Unavailable
from core.json_types import Json
from core.record import Record
from net.errors import BadStatus, Refused
from net.exchange import Outgoing
from net.gate import Gate
from search_api.stewards.alerts.notices import Notice
from search_api.stewards.alerts.saved import DEFAULT_LANGUAGE, TEXTS, AlertTexts, Language, SavedSearch

LinkAction = Literal["confirm", "stop", "feed"]
_ACTIONS: tuple[LinkAction, ...] = get_args(LinkAction)
CONFIRM_DAYS = 7
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class SignedLink:
    """``confirm``: ``subject`` is the owner, ``target`` the mail address. ``stop`` (no more by this channel) and
    ``feed``: ``subject`` is the saved search, ``target`` the channel, of a feed the part that its owner can change.
    """

    action: LinkAction
    subject: str
    target: str = ""


class LinkSigner:
    """Signs links with the operator's secret. A confirmation expires after a week, the others with their search."""

    def __init__(self, secret: bytes) -> None:
        self._signer = URLSafeTimedSerializer(secret, salt="saved-searches")

    def token(self, link: SignedLink) -> str:
        return str(self._signer.dumps([link.action, link.subject, link.target]))

    def read(self, token: str) -> SignedLink:
        """Raises NotFound for a forged or expired token."""
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
        return SignedLink(cast(LinkAction, action), str(subject), str(target))


@dataclass(frozen=True, slots=True)
class SearchDigest:
    """New records of one saved search. ``records``: those that its owner may see now, and whether each is new."""

    saved: SavedSearch
    notices: Sequence[Notice]
    records: Sequence[tuple[Record, bool]]

    @property
    def since(self) -> str:
        return min(notice.since for notice in self.notices)

    @property
    def until(self) -> str:
        return max(notice.until for notice in self.notices)

    @property
    def more(self) -> int:
        """Number of matches beyond ``records``; a record may count in several windows."""
        return max(0, sum(notice.total - len(notice.records) for notice in self.notices))


@dataclass(frozen=True, slots=True)
class AlertAddresses:
    """Absolute addresses below ``base``, the service's public one."""

    base: str
    links: LinkSigner

    def record(self, id: str) -> str:
        return f"{self.base}/records/{quote(id, safe=':~')}"

    def search(self, id: str) -> str:
        return f"{self.base}/saved-searches/{id}"

    def link(self, link: SignedLink) -> str:
        return f"{self.base}/saved-searches/links/{self.links.token(link)}"


_MAX_LISTED = 20
_LONGEST_LINE = 150
_PERMANENT = 500
_SPACES = re.compile(r"[^\S\u00a0]+")  # a no-break space stays


class MailRefused(SondeError):
    """The server permanently refuses this mail: the address does not exist or is not allowed."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """``tls``: ``starttls`` on a plain port, ``tls`` from the first byte, or ``none``."""

    host: str
    port: int = 587
    tls: Literal["starttls", "tls", "none"] = "starttls"
    login: tuple[str, str] | None = field(default=None, repr=False)
    sender: str = "Sonde <nobody@sonde.invalid>"
    timeout_s: float = 20.0

    def send(self, message: EmailMessage) -> None:
        """Tries once. Raises MailRefused for a permanent refusal, Unavailable for a temporary failure."""
        try:
            with self._session() as session:
                session.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            code, text = next(iter(error.recipients.values()))
            raise _refusal(code, text) from None
        except smtplib.SMTPResponseException as error:
            if isinstance(error, smtplib.SMTPAuthenticationError):
                raise Unavailable("The mail server does not accept SONDE_MAIL__USERNAME and its password.") from None
            raise _refusal(error.smtp_code, error.smtp_error) from None
        except (smtplib.SMTPException, OSError) as error:
            raise Unavailable(f"The mail server does not answer ({type(error).__name__}).") from None

    def check(self) -> None:
        """Connects and logs in without sending. Raises Unavailable."""
        try:
            with self._session() as session:
                session.noop()
        except smtplib.SMTPAuthenticationError:
            raise Unavailable("The mail server does not accept SONDE_MAIL__USERNAME and its password.") from None
        except (smtplib.SMTPException, OSError) as error:
            raise Unavailable(f"The mail server does not answer ({type(error).__name__}).") from None

    @contextmanager
    def _session(self) -> Iterator[smtplib.SMTP]:
        trust = ssl.create_default_context()
        if self.tls == "tls":
            session: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout_s, context=trust)
        else:
            session = smtplib.SMTP(self.host, self.port, timeout=self.timeout_s)
        with session:
            if self.tls == "starttls":
                session.starttls(context=trust)
            if self.login is not None:
                session.login(*self.login)
            yield session


def _refusal(code: int, text: bytes | str) -> SondeError:
    answer = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    reason = f"The mail server answered {code}: {' '.join(answer.split())[:200]}"
    return MailRefused(reason) if code >= _PERMANENT else Unavailable(reason)


@dataclass(frozen=True, slots=True)
class MailEnvelope:
    """Headers of every mail. ``id``: of its delivery; equal in all attempts."""

    id: str
    to: str
    sender: str
    name: str
    at: datetime

    def message(self, subject: str, text: str, language: Language = DEFAULT_LANGUAGE) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, self.to, _line(subject)
        message["Date"] = format_datetime(self.at)
        message["Message-ID"] = f"<{self.id}@{_domain(self.sender)}>"
        message["Auto-Submitted"] = "auto-generated"  # nobody's holiday answers it (RFC 3834)
        message.set_content(text)
        message["Content-Language"] = language
        return message


def confirmation_mail(letter: MailEnvelope, owner: str, language: Language, addresses: AlertAddresses) -> EmailMessage:
    """Asks the receiver to confirm the address."""
    link = addresses.link(SignedLink("confirm", owner, letter.to))
    texts = TEXTS[language]
    text = texts.confirm_text.format(owner=_line(owner), name=letter.name, link=link)
    return letter.message(texts.confirm_subject.format(name=letter.name), text, language)


def digest_mail(letter: MailEnvelope, digests: Sequence[SearchDigest], addresses: AlertAddresses) -> EmailMessage:
    """New and changed records of all searches of one address, oldest first; in the language of the last one."""
    language = digests[-1].saved.language
    texts = TEXTS[language]
    count = sum(len(digest.records) + digest.more for digest in digests)
    about = digests[0].saved.title if len(digests) == 1 else texts.several.format(count=len(digests))
    text = "\n\n".join(_section(digest, texts, addresses) for digest in digests)
    subject = texts.digest_subject.format(name=letter.name, count=count, about=about)
    message = letter.message(subject, f"{text}\n", language)
    if len(digests) == 1:
        message["List-Unsubscribe"] = f"<{_stop(digests[0], addresses)}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
    message["List-Id"] = f"<saved-searches.{_domain(letter.sender)}>"
    return message


def _section(digest: SearchDigest, texts: AlertTexts, addresses: AlertAddresses) -> str:
    title = _line(digest.saved.title)
    window = texts.window.format(since=digest.since[:16], until=digest.until[:16])
    lines = [title, "=" * min(len(title), _LONGEST_LINE), window, ""]
    for record, new in digest.records[:_MAX_LISTED]:
        line = texts.new if new else texts.changed
        lines += [line.format(title=_line(record.title)), f"  {addresses.record(record.id)}"]
    hidden_count = len(digest.records[_MAX_LISTED:]) + digest.more
    if hidden_count:
        lines.append(texts.more.format(count=hidden_count))
    return "\n".join([*lines, "", texts.stop.format(link=_stop(digest, addresses))])


def _stop(digest: SearchDigest, addresses: AlertAddresses) -> str:
    return addresses.link(SignedLink("stop", digest.saved.id, "mail"))


def _line(text: str) -> str:
    """A single line, so that no title can add a header or a section."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def _domain(sender: str) -> str:
    return parseaddr(sender)[1].rpartition("@")[2] or "sonde.invalid"


MEDIA_TYPE = "application/cloudevents+json"
EVENT_TYPE = "org.sonde.saved-search.found"
_WEBHOOK_TIMEOUT_S = 15.0
_LARGEST_ANSWER = 64 * 1024
_HTTP_GONE = 410
_HTTP_TEMPORARY = frozenset((408, 425))


class WebhookRefused(SondeError):
    """The receiver permanently refuses this event; ``gone``: and all others."""

    def __init__(self, reason: str, *, gone: bool = False) -> None:
        super().__init__(reason)
        self.gone = gone


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """``id``: of the delivery, equal in all attempts, so that the receiver can drop a repeated event."""

    id: str
    url: str
    secret: str
    body: bytes

    def headers(self, at_s: int) -> dict[str, str]:
        return {
            "content-type": MEDIA_TYPE,
            "webhook-id": self.id,
            "webhook-timestamp": str(at_s),
            "webhook-signature": webhook_signature(self.secret, self.id, at_s, self.body),
        }


def webhook_event(id: str, digest: SearchDigest, secret: str, addresses: AlertAddresses) -> WebhookEvent:
    body: Json = {
        "specversion": "1.0",
        "id": id,
        "type": EVENT_TYPE,
        "source": addresses.search(digest.saved.id),
        "time": digest.until,
        "datacontenttype": "application/json",
        "data": {
            "title": digest.saved.title,
            "search": digest.saved.parameters,
            "since": digest.since,
            "until": digest.until,
            "total": len(digest.records) + digest.more,
            "records": [
                {"id": record.id, "new": new, "title": record.title, "href": addresses.record(record.id)}
                for record, new in digest.records
            ],
        },
    }
    return WebhookEvent(id, str(digest.saved.webhook), secret, json.dumps(body, ensure_ascii=False).encode())


def webhook_signature(secret: str, id: str, at_s: int, body: bytes) -> str:
    """``v1,`` and the HMAC-SHA256 of ``id.time.body`` in base64; ``secret``: ``whsec_`` and the key in base64."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{id}.{at_s}.".encode() + body, sha256)
    return f"v1,{base64.b64encode(digest).decode('ascii')}"


def post_event(gate: Gate, event: WebhookEvent, at_s: int) -> None:
    """Tries once. Raises WebhookRefused for a permanent, Unavailable for a temporary failure (5xx, 408, 425, 429)."""
    outgoing_request = Outgoing(
        event.url,
        "POST",
        headers=event.headers(at_s),
        content=event.body,
        max_bytes=_LARGEST_ANSWER,
        timeout_s=_WEBHOOK_TIMEOUT_S,
    )
    try:
        gate.request(outgoing_request).expect_ok()
    except Refused as error:
        raise WebhookRefused(str(error)) from None
    except BadStatus as error:
        if error.status in _HTTP_TEMPORARY:
            raise Unavailable(str(error)) from None
        raise WebhookRefused(str(error), gone=error.status == _HTTP_GONE) from None
