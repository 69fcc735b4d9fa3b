"""Detects records that are probably one data set in two catalogues, and siblings of one series. Pure."""

from __future__ import annotations

import hashlib
import re

from core.folding import folded_words
from core.record import Record

_DAY_MS = 86_400_000
_LEAST_TITLE_WORDS = 2  # "Bathymetry" alone does not identify a data set
_MONTHS = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|mar(?:ch|s)?|marz|apr(?:il)?|avril|may|mai|june?|juni|juin|july?|"
    r"juli|juillet|aug(?:ust)?|aout|sept?(?:ember)?|septembre|oct(?:ober)?|oktober|octobre|nov(?:ember)?|novembre|"
    r"de[cz](?:ember)?|decembre"
)
_DIGITS = re.compile(r"\d+")
_WHEN = re.compile(rf"(?:{_MONTHS}|#(?:st|nd|rd|th)?)")


def series_of(record: Record) -> str | None:
    """Equal for records of one source whose titles differ only in numbers and dates; None for a short title.

    "SST May 2003" and "SST June 2004" are siblings, "CO2 flux" and "N2O flux" are not: letters around a number inside a
    word still count.
    """
    words = [_DIGITS.sub("#", word) for word in folded_words(record.title)]
    kept = [word for word in words if not _WHEN.fullmatch(word)]
    if len(kept) < _LEAST_TITLE_WORDS:
        return None
    return _digest(record.source, *kept)


def signature_of(record: Record) -> str | None:
    """Equal for records with the same title, provider, extent (to .1 degree) and period (to the day).

    None if the title is short, there is no organisation, or neither extent nor period is known: too little evidence for
    one data set.
    """
    title = folded_words(record.title)
    provider = next((contact.organisation for contact in record.contacts if contact.organisation), None)
    if len(title) < _LEAST_TITLE_WORDS or provider is None or not (record.extents or record.times):
        return None
    boxes = sorted(",".join(f"{edge:.1f}" for edge in box.as_list()) for box in record.extents)
    spans = sorted(f"{_day(span.start_ms)}/{_day(span.end_ms)}" for span in record.times)
    return _digest(" ".join(title), " ".join(folded_words(provider)), *boxes, *spans)


def _day(instant_ms: int | None) -> str:
    return "" if instant_ms is None else str(instant_ms // _DAY_MS)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
