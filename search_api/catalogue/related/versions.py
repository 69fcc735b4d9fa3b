"""Whether two records are versions of one data set, and which one is newer. Pure."""

from __future__ import annotations

import re
from typing import Literal

from core.folding import folded, folded_words
from core.record import Record

VersionOrder = Literal["newer_version", "older_version", "other_version"]

LEAST_STEM_WORDS = 2
"""A title of one word ("Bathymetry") does not name a data set."""

_NUMBER = r"\d+(?:[._]\d+)*"
_TITLE_VERSION = re.compile(
    rf"[\s,;:(\[-]*\b(?:(?:version|edition|release|vers|ver|v)\.?\s*(?P<number>{_NUMBER})"
    rf"|(?P<ordinal>\d+)(?:st|nd|rd|th)\s+(?:version|edition|release))\b[)\]]?"
)
_MARKED_SUFFIX = re.compile(rf"[./_-](?:version|ver|v)[._-]?({_NUMBER})$")
_BARE_SUFFIX = re.compile(r"[./_-](\d{3})$")
_LEAST_COMMON_WORDS = 0.5


def title_stem(title: str) -> tuple[str, ...]:
    """The words of the title without "Version 3", "v2.1" or "4th edition"; () if too few are left."""
    words = tuple(folded_words(_TITLE_VERSION.sub(" ", folded(title))))
    return words if len(words) >= LEAST_STEM_WORDS else ()


def doi_stem(doi: str) -> tuple[str, bool] | None:
    """The DOI without its last number, and whether that is marked as a version (``.v2``).

    ``10.5067/MODIS/MOD13Q1.006`` gives ``10.5067/modis/mod13q1``. None if it ends neither so nor with three digits.
    """
    plain = folded(doi)
    marked = _MARKED_SUFFIX.search(plain)
    found = marked or _BARE_SUFFIX.search(plain)
    if found is None or "/" not in plain[: found.start()]:
        return None
    return plain[: found.start()], marked is not None


def version_key(record: Record) -> tuple[int, ...] | None:
    """The numbers of its version: stated, else in its title, else at the end of its DOI. None if there are none."""
    stated = re.search(_NUMBER, record.edition or "")
    if stated is not None:
        return _numbers(stated[0])
    titled = _TITLE_VERSION.search(folded(record.title))
    if titled is not None:
        return _numbers(titled["number"] or titled["ordinal"])
    plain = folded(record.doi or "")
    suffix = (_MARKED_SUFFIX.search(plain) or _BARE_SUFFIX.search(plain)) if doi_stem(plain) else None
    return None if suffix is None else _numbers(suffix[1])


def are_versions(record: Record, other: Record) -> bool:
    """Two data sets with one title apart from the version, or with DOIs that differ only in it.

    The same title without any version is no evidence: catalogues hold many "Meteorological data".
    """
    stem = title_stem(record.title)
    if stem and stem == title_stem(other.title):
        return version_key(record) != version_key(other)
    return _of_one_doi_family(record, other)


def order_of(record: Record, other: Record) -> VersionOrder:
    """What ``other`` is to ``record``: by version number, else by date."""
    own, its = version_key(record), version_key(other)
    if own is not None and its is not None and own != its:
        return "newer_version" if its > own else "older_version"
    dated = _day(record), _day(other)
    if "" in dated or dated[0] == dated[1]:
        return "other_version"
    return "newer_version" if dated[1] > dated[0] else "older_version"


def _of_one_doi_family(record: Record, other: Record) -> bool:
    own, its = doi_stem(record.doi or ""), doi_stem(other.doi or "")
    if own is None or its is None or own[0] != its[0] or record.doi == other.doi:
        return False
    return (own[1] and its[1]) or _alike(record.title, other.title)


def _alike(title: str, other: str) -> bool:
    """A bare number may also count data sets, so their titles must share half of their words, and all other numbers:
    "part 1" and "part 2" are no versions.
    """
    words, others = set(title_stem(title)), set(title_stem(other))
    numbered = {word for word in words ^ others if any(letter.isdigit() for letter in word)}
    return bool(words) and not numbered and len(words & others) / len(words | others) >= _LEAST_COMMON_WORDS


def _numbers(text: str) -> tuple[int, ...]:
    """``2.0`` and ``2`` are one version."""
    numbers = [int(one) for one in re.split(r"[._]", text)]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _day(record: Record) -> str:
    dates = record.dates
    return (dates.published or dates.created or dates.modified or "")[:10]
