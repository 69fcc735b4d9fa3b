"""Validates the arguments of an OAI-PMH request (2.0, section 4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast, get_args

from search_api.formats_out.formats import OAI_DC, oai_formats

Verb = Literal["Identify", "ListMetadataFormats", "ListSets", "ListIdentifiers", "ListRecords", "GetRecord"]

_ALLOWED: dict[Verb, tuple[frozenset[str], frozenset[str]]] = {  # required, optional
    "Identify": (frozenset(), frozenset()),
    "ListMetadataFormats": (frozenset(), frozenset(("identifier",))),
    "ListSets": (frozenset(), frozenset(("resumptionToken",))),
    "ListIdentifiers": (frozenset(("metadataPrefix",)), frozenset(("from", "until", "set"))),
    "ListRecords": (frozenset(("metadataPrefix",)), frozenset(("from", "until", "set"))),
    "GetRecord": (frozenset(("identifier", "metadataPrefix")), frozenset()),
}
LONGEST_SET = 512
_DATE = re.compile(r"^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$", re.ASCII)


class OaiError(Exception):
    """An error of the protocol; the answer has status 200 and this code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class OaiRequest:
    """``since`` and ``until``: UTC, inclusive, to the second."""

    verb: Verb
    prefix: str = OAI_DC
    identifier: str | None = None
    set: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    token: str | None = None


def read_request(arguments: Iterable[tuple[str, str]]) -> OaiRequest:
    """Raises OaiError (badVerb, badArgument, cannotDisseminateFormat)."""
    pairs = list(arguments)
    given = dict(pairs)
    verb = given.pop("verb", "")
    if verb not in get_args(Verb) or sum(name == "verb" for name, _ in pairs) > 1:
        raise OaiError("badVerb", f"verb must be one of {', '.join(get_args(Verb))}, once")
    known = cast(Verb, verb)
    if len(given) + 1 < len(pairs):
        raise OaiError("badArgument", "an argument was given twice")
    _check_names(known, given)
    if "resumptionToken" in given:
        return OaiRequest(known, token=given["resumptionToken"])
    prefix = given.get("metadataPrefix", OAI_DC)
    if prefix not in (known_prefixes := oai_formats()):
        raise OaiError("cannotDisseminateFormat", f"metadataPrefix must be one of {', '.join(known_prefixes)}")
    since, until = _edges(given)
    if len(given.get("set", "")) > LONGEST_SET:
        raise OaiError("badArgument", f"set is longer than {LONGEST_SET} characters")
    return OaiRequest(known, prefix, given.get("identifier"), given.get("set"), since, until)


def _check_names(verb: Verb, given: dict[str, str]) -> None:
    required, optional = _ALLOWED[verb]
    lists = verb in ("ListIdentifiers", "ListRecords", "ListSets")
    if lists and "resumptionToken" in given:
        if len(given) > 1:
            raise OaiError("badArgument", "resumptionToken stands alone")
        return
    missing, unknown = required - given.keys(), given.keys() - required - optional
    if missing:
        raise OaiError("badArgument", f"{verb} needs {', '.join(sorted(missing))}")
    if unknown:
        raise OaiError("badArgument", f"{verb} does not know {', '.join(sorted(unknown))}")


def _edges(given: dict[str, str]) -> tuple[datetime | None, datetime | None]:
    since, until = given.get("from"), given.get("until")
    if since and until and len(since) != len(until):
        raise OaiError("badArgument", "from and until must be of the same granularity")
    start, end = _moment("from", since, last=False), _moment("until", until, last=True)
    if start is not None and end is not None and start > end:
        raise OaiError("badArgument", "from lies after until")
    return start, end


def _moment(name: str, text: str | None, *, last: bool) -> datetime | None:
    if text is None:
        return None
    if not _DATE.match(text):
        raise OaiError("badArgument", f"{name} must be YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    clock = text if "T" in text else f"{text}T{'23:59:59' if last else '00:00:00'}Z"
    try:
        return datetime.strptime(clock, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise OaiError("badArgument", f"{name} is not a date that exists") from None
