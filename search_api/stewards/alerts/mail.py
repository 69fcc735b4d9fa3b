"""Mails about saved searches, and the SMTP server that takes them."""

from __future__ import annotations

import re
import smtplib
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from typing import Literal

from core.errors import SondeError, Unavailable
from search_api.stewards.alerts.digest import AlertAddresses, Told
from search_api.stewards.alerts.links import SignedLink
from search_api.stewards.alerts.texts import DEFAULT_LANGUAGE, TEXTS, AlertTexts, Language

_SHOWN = 20
_LONGEST_LINE = 150
_PERMANENT = 500
_SPACES = re.compile(r"[^\S\u00a0]+")  # a no-break space stays


class MailRefused(SondeError):
    """The server will not take this mail, now or later: no such address, or one that is not allowed."""


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
        """One attempt. Raises MailRefused for a permanent refusal, Unavailable for all that may pass."""
        try:
            with self._session() as session:
                session.send_message(message)
        except smtplib.SMTPRecipientsRefused as error:
            code, text = next(iter(error.recipients.values()))
            raise _refused(code, text) from None
        except smtplib.SMTPResponseException as error:
            if isinstance(error, smtplib.SMTPAuthenticationError):
                raise Unavailable("The mail server does not accept SONDE_MAIL__USERNAME and its password.") from None
            raise _refused(error.smtp_code, error.smtp_error) from None
        except (smtplib.SMTPException, OSError) as error:
            raise Unavailable(f"The mail server does not answer ({type(error).__name__}).") from None

    def ask(self) -> None:
        """Connects and logs in, and sends nothing. Raises Unavailable."""
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


def _refused(code: int, text: bytes | str) -> SondeError:
    said = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    reason = f"The mail server answered {code}: {' '.join(said.split())[:200]}"
    return MailRefused(reason) if code >= _PERMANENT else Unavailable(reason)


@dataclass(frozen=True, slots=True)
class Letter:
    """What every mail carries. ``id``: of its delivery; the same at a second attempt."""

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


def confirmation(letter: Letter, owner: str, language: Language, addresses: AlertAddresses) -> EmailMessage:
    """Asks the owner of the address whether it is theirs."""
    link = addresses.link(SignedLink("confirm", owner, letter.to))
    say = TEXTS[language]
    text = say.confirm_text.format(owner=_line(owner), name=letter.name, link=link)
    return letter.message(say.confirm_subject.format(name=letter.name), text, language)


def digest(letter: Letter, told: Sequence[Told], addresses: AlertAddresses) -> EmailMessage:
    """New and changed records of all searches of one address, oldest first; in the language of the last one."""
    language = told[-1].saved.language
    say = TEXTS[language]
    count = sum(len(one.records) + one.more for one in told)
    about = told[0].saved.title if len(told) == 1 else say.several.format(count=len(told))
    text = "\n\n".join(_section(one, say, addresses) for one in told)
    subject = say.digest_subject.format(name=letter.name, count=count, about=about)
    message = letter.message(subject, f"{text}\n", language)
    if len(told) == 1:
        message["List-Unsubscribe"] = f"<{_stop(told[0], addresses)}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"  # RFC 8058
    message["List-Id"] = f"<saved-searches.{_domain(letter.sender)}>"
    return message


def _section(told: Told, say: AlertTexts, addresses: AlertAddresses) -> str:
    title = _line(told.saved.title)
    window = say.window.format(since=told.since[:16], until=told.until[:16])
    lines = [title, "=" * min(len(title), _LONGEST_LINE), window, ""]
    for record, new in told.records[:_SHOWN]:
        said = say.new if new else say.changed
        lines += [said.format(title=_line(record.title)), f"  {addresses.record(record.id)}"]
    rest = len(told.records[_SHOWN:]) + told.more
    if rest:
        lines.append(say.more.format(count=rest))
    return "\n".join([*lines, "", say.stop.format(link=_stop(told, addresses))])


def _stop(told: Told, addresses: AlertAddresses) -> str:
    return addresses.link(SignedLink("stop", told.saved.id, "mail"))


def _line(text: str) -> str:
    """One line, so that no title can add a header or a section."""
    joined = _SPACES.sub(" ", text).strip()
    return joined if len(joined) <= _LONGEST_LINE else f"{joined[: _LONGEST_LINE - 1]}…"


def _domain(sender: str) -> str:
    return parseaddr(sender)[1].rpartition("@")[2] or "sonde.invalid"
