"""One question as the query log keeps it. Never an address; a key's owner only as a keyed hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import ip_address, ip_network
from typing import Literal

from core.json_types import Json
from reading.vocabulary.vocabulary import term_key
from search_api.search.answer import Answer
from search_api.search.understanding.interpretation import Interpretation

Keeping = Literal["off", "counts", "full"]

LONGEST_QUESTION = 300
MOST_SHOWN = 10
_MOST_PLACES = 5
_MOST_DECADES = 30
_YEARS = 10
_YEAR_MS = 365.2425 * 86_400_000
_GROUPS = 4096
OF_A_KEY = "k"
"""How the hash of a key's owner begins; a group begins with another letter."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks. ``address`` only sorts an anonymous asker into one of 4,096 groups, and is not kept."""

    subject: str | None
    address: str


@dataclass(frozen=True, slots=True)
class Asked:
    """``document``: what is stored under ``id``, which says nothing of who asked."""

    id: str
    document: Json


def new_id() -> str:
    return secrets.token_urlsafe(9)


def normal(question: str) -> str:
    """Equal questions are counted together: small letters, single spaces."""
    return " ".join(question.casefold().split())[:LONGEST_QUESTION]


def who(secret: bytes, question: str, asker: Asker) -> str:
    """Tells people apart without naming them.

    The owner of a key: a keyed hash, so that it can be found and deleted. Anybody else: one of 4,096 groups, another
    one for each question (in any spelling): enough to see that five people asked, too few to find an address or to
    follow a person.
    """
    if asker.subject is not None:
        return subject_hash(secret, asker.subject)
    digest = _digest(secret, f"address\0{term_key(question) or question}\0{_network(asker.address)}")
    return f"g{int.from_bytes(digest[:4]) % _GROUPS}"


def _network(address: str) -> str:
    """One person has as many addresses of version 6 as they like, but one network of 64 bits."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    return str(ip_network((known, 64), strict=False)) if known.version == 6 else address


def subject_hash(secret: bytes, subject: str) -> str:
    return OF_A_KEY + _digest(secret, f"subject\0{subject}").hex()[:32]


def asked(
    id: str, keeping: Keeping, secret: bytes, question: str, algorithm: str, answer: Answer, asker: Asker, at: datetime
) -> Asked:
    """``counts`` keeps neither the question nor what was read from it, nor who asked."""
    read, text = answer.interpretation, normal(question)
    document: Json = {
        "at": at.isoformat(),
        "language": read.language,
        "algorithm": algorithm,
        "matched": answer.matched,
        "took_ms": round(sum(answer.took_ms.values()), 1),
        "degraded": list(answer.degraded),
    }
    if keeping == "full":
        document |= {
            "question": text,
            "who": who(secret, text, asker),
            "places": [place.name for place in read.places][:_MOST_PLACES],
            "terms": [term.found.text.casefold() for term in read.terms][:_MOST_PLACES],
            "decades": decades(read),
            "shown": [found.record.id for found in answer.found][:MOST_SHOWN],
        }
    return Asked(id, {name: value for name, value in document.items() if value not in (None, [], "")})


def decades(read: Interpretation) -> Sequence[int]:
    """The decades that the asked period touches (1990, 2000); none for an open one."""
    if read.span is None or read.span.start_ms is None or read.span.end_ms is None:
        return []
    first, last = (int(1970 + edge / _YEAR_MS) // _YEARS * _YEARS for edge in (read.span.start_ms, read.span.end_ms))
    return list(range(first, last + 1, _YEARS))[:_MOST_DECADES]


def _digest(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), hashlib.sha256)
