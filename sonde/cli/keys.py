"""`sonde keys`: manages API keys."""

from __future__ import annotations

import getpass
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import click

from core.access import ALL_SCOPES, AccessScope
from core.errors import SondeError
from core.timespan import utc_now
from search_api.http.access.guard import audit
from search_api.http.access.keys import ApiKey, Grant, KeyStore
from sonde.cli.options import shown
from sonde.cli.screen import plain_table, say, say_json, screen
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

_TIMEOUT_S = 30.0
_SPAN = re.compile(r"(\d{1,5})([hd])")
_UNITS = {"h": "hours", "d": "days"}


@click.group()
def keys() -> None:
    """API keys. Clients send them as `Authorization: Bearer KEY`. A key is shown once and stored as a hash."""


@keys.command()
@click.option("--subject", required=True, help="Owner of the key: a person or a service. Owns its uploads.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(sorted(ALL_SCOPES)),
    help="What the key may do; repeat for several. admin includes all.",
)
@click.option("--group", "groups", multiple=True, help="Group whose restricted records it may see; repeatable.")
@shown("--expires", "365d", "A span (90d, 12h), a date (2027-01-31), or never.")
@click.option("--note", default="", help="Purpose of the key.")
@click.option("--json", "as_json", is_flag=True)
def add(
    *, subject: str, scopes: Sequence[AccessScope], groups: Sequence[str], expires: str, note: str, as_json: bool
) -> None:
    """Make a key and show it, once."""
    now = utc_now()
    grant = Grant(subject, frozenset(scopes), frozenset(groups), _expiry(expires, now), note)
    key, text = _store().add(grant, now)
    audit("keys.add", key.id, subject=_operator(), key_subject=key.grant.subject, scopes=" ".join(sorted(scopes)))
    _show_text(key, text, as_json=as_json)


@keys.command("list")
@click.option("--json", "as_json", is_flag=True)
def list_(*, as_json: bool) -> None:
    """List the keys, without their secrets; the last use is known to the hour."""
    stored_keys = _store().list()
    now = utc_now()
    if as_json:
        say_json([_row(key, now) for key in stored_keys])
        return
    if not stored_keys:
        say("There are none. `sonde keys add --subject NAME --scope search` makes one.")
        return
    table = plain_table("id", "subject", "scopes", "groups", "state", "expires", "last_used", fold=True)
    table.columns[0].no_wrap = True  # full ids, so that they can be copied
    for key in stored_keys:
        row = _row(key, now)
        table.add_row(*(str(row[str(column.header)] or "") for column in table.columns))
    screen().print(table)


@keys.command()
@click.argument("id")
def revoke(id: str) -> None:
    """Revoke a key. The API refuses it within 10 seconds."""
    key = _store().revoke(id, utc_now())
    audit("keys.revoke", id, subject=_operator(), key_subject=key.grant.subject)
    say(f"{id} of {key.grant.subject} is revoked.")


@keys.command()
@click.argument("id")
@shown("--grace", "24h", "How long the old secret still works: 24h, 7d, 0h.")
@click.option("--json", "as_json", is_flag=True)
def rotate(id: str, *, grace: str, as_json: bool) -> None:
    """Give a key a new secret and show it once; the old one works until the end of --grace."""
    key, text = _store().rotate(id, _span("--grace", grace), utc_now())
    audit("keys.rotate", id, subject=_operator(), key_subject=key.grant.subject, grace=grace)
    _show_text(key, text, as_json=as_json)


def _store() -> KeyStore:
    settings = load_settings()
    return KeyStore(elasticsearch_client(settings, timeout_s=_TIMEOUT_S), settings.index.prefix)


def _operator() -> str:
    """The account on this machine that runs the command."""
    try:
        return f"local:{getpass.getuser()}"
    except (KeyError, OSError):  # a container's user may have no name
        return "local"


def _expiry(text: str, now: datetime) -> datetime | None:
    if text == "never":
        return None
    if _SPAN.fullmatch(text):
        return now + _span("--expires", text)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise SondeError(
            f"--expires: {text!r} is neither a span (90d, 12h) nor a date (2027-01-31) nor never."
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _span(option: str, text: str) -> timedelta:
    match = _SPAN.fullmatch(text)
    if match is None:
        raise SondeError(f"{option}: {text!r} is not a span; write 24h or 7d.")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def _row(key: ApiKey, now: datetime) -> dict[str, str | None]:
    times = {"created": key.created, "expires": key.grant.expires, "revoked": key.revoked, "last_used": key.last_used}
    return {
        "id": key.id,
        "subject": key.grant.subject,
        "scopes": " ".join(sorted(key.grant.scopes)),
        "groups": " ".join(sorted(key.grant.groups)),
        "state": key.state(now),
        "note": key.grant.note,
        **{name: time.isoformat(timespec="seconds") if time else None for name, time in times.items()},
    }


def _show_text(key: ApiKey, text: str, *, as_json: bool) -> None:
    if as_json:
        say_json({**_row(key, utc_now()), "key": text})
        return
    say(text)
    say("Save it now: it is not shown again. Sonde stores only its hash.", err=True)


COMMANDS = (keys,)
