"""Finds identifiers in a question: such a question wants that one record, not its neighbours."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reading.sentences import Claims

IdentifierKind = Literal["doi", "uuid", "file_identifier"]

_DOI = re.compile(
    r"(?:https?://(?:dx\.|www\.)?doi\.org/|(?<!\w)doi:?\s?|(?<![\w./]))(10\.\d{4,9}(?:\.\d{1,9}){0,3}/[^\s\"<>]{1,300})",
    re.IGNORECASE,
)
_UUID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])", re.IGNORECASE)
_URL = re.compile(r"\b[a-z]{2,8}://\S{1,2000}|\bwww\.\S{1,2000}", re.IGNORECASE)
_TOKEN = re.compile(r"(?<!\S)[\"'(\[]?([A-Za-z0-9](?:[A-Za-z0-9._:~/-]{0,398}[A-Za-z0-9])?)")
_FILE_IDENTIFIERS = (
    # gov.noaa.ncdc:C00835, urn:x-wmo:md:int.wmo.wis, oai:pangaea.de:doi
    re.compile(r"(?=.{8})[A-Za-z][\w.~-]*[\w](?::{1,2}[\w.~/-]+)+"),
    # edu.ucar.gdex.d083002, de.dkrz.wdcc.cmip5
    re.compile(r"(?=.{10})[A-Za-z]{2,}(?:\.[\w-]{2,}){2,}"),
    # GPCC_full_data_2018
    re.compile(r"(?=.{8})(?=[^\d]*\d)[A-Za-z0-9]+_[\w.-]+"),
    # NOAA-NCEI-0123456
    re.compile(r"[A-Za-z]{2,}(?:-[A-Za-z]{2,}){1,5}-\d{4,}"),
    # NCAR's research data archive: ds083.2 before 2023, d083002 since
    re.compile(r"ds\d{3}\.\d|d\d{6}"),
)


@dataclass(frozen=True, slots=True)
class IdentifierMention:
    """``value`` is what to look up: a DOI without prefix and in lower case, the others as written. Offsets, end
    exclusive.
    """

    kind: IdentifierKind
    value: str
    start: int
    end: int


def read_identifiers(text: str) -> list[IdentifierMention]:
    """DOIs (bare, ``doi:``, as a link), UUIDs and words in the form of a file identifier, in text order.

    The form is not enough: a ``file_identifier`` that no record has is an ordinary word of the question.
    """
    mentions = _dois(text)
    claims = Claims(len(text))
    for mention in mentions:
        claims.block((mention.start, mention.end))
    for match in _URL.finditer(text):
        claims.block(match.span())
    for match in _UUID.finditer(text):
        if claims.claim(match.span()):
            mentions.append(IdentifierMention("uuid", match[0], *match.span()))
    for match in _TOKEN.finditer(text):
        if claims.claim(match.span(1)) and any(form.fullmatch(match[1]) for form in _FILE_IDENTIFIERS):
            mentions.append(IdentifierMention("file_identifier", match[1], *match.span(1)))
    return sorted(mentions, key=lambda mention: mention.start)


def _dois(text: str) -> list[IdentifierMention]:
    mentions = []
    for match in _DOI.finditer(text):
        doi = _without_closing_marks(match[1])
        if not doi.endswith("/"):
            mentions.append(IdentifierMention("doi", doi.lower(), match.start(), match.start(1) + len(doi)))
    return mentions


def _without_closing_marks(doi: str) -> str:
    """A DOI may contain brackets, but a final mark or unopened bracket belongs to the sentence."""
    while doi:
        last = doi[-1]
        unopened = last in ")]}" and doi.count(last) > doi.count("([{"[")]}".index(last)])
        if not unopened and last not in ".,;:!?'’”*":
            break
        doi = doi[:-1]
    return doi
