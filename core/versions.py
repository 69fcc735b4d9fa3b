"""Versions of one data set: which records are versions of each other, and which is the newer one. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from core.geo import BBox
from core.names import folded
from core.record import Link, Record
from core.record_keys import TITLE_STATE, TITLE_VERSION, TwinKey, title_stem, twin_key
from core.timespan import TimeSpan

VersionOrder = Literal["newer_version", "older_version", "other_version"]
SUCCESSOR = "successor-version"
"""The relation of a link to what replaces a record (RFC 5829)."""

_NUMBER = r"\d+(?:[._]\d+)*"
_MARKED_SUFFIX = re.compile(rf"[./_-](?:version|ver|v)[._-]?({_NUMBER})$")
_BARE_SUFFIX = re.compile(r"[./_-](\d{3})$")
_LEAST_COMMON_WORDS = 0.5
_FIRST_YEAR = 1900


def doi_stem(doi: str) -> tuple[str, bool] | None:
    """The DOI without its last number, and whether that is marked as a version (``.v2``).

    ``10.5067/MODIS/MOD13Q1.006`` gives ``10.5067/modis/mod13q1``. None if it ends neither so nor with three digits.
    """
    folded_doi = folded(doi)
    marked_suffix = _MARKED_SUFFIX.search(folded_doi)
    suffix = marked_suffix or _BARE_SUFFIX.search(folded_doi)
    if suffix is None or "/" not in folded_doi[: suffix.start()]:
        return None
    return folded_doi[: suffix.start()], marked_suffix is not None


def version_key(record: Record) -> tuple[int, ...] | None:
    """The numbers of its version: stated, else in its title, else at the end of its DOI. None if there are none."""
    edition_number = re.search(_NUMBER, record.edition or "")
    if edition_number is not None:
        return _numbers(edition_number[0])
    title_version = TITLE_VERSION.search(folded(record.title))
    if title_version is not None:
        return _numbers(title_version["number"] or title_version["ordinal"])
    folded_doi = folded(record.doi or "")
    suffix = (_MARKED_SUFFIX.search(folded_doi) or _BARE_SUFFIX.search(folded_doi)) if doi_stem(folded_doi) else None
    return None if suffix is None else _numbers(suffix[1])


def are_versions(record: Record, other: Record) -> bool:
    """Two data sets with one title apart from version or format, or with DOIs that differ only in a version.

    The same title without any version is no evidence: catalogues hold many "Meteorological data". Nor are editions
    alone: the flight tracks of one campaign are version 1, those of another version 5. These need one area and start.
    """
    stem = title_stem(record.title)
    if _of_one_doi_family(record, other) or _are_twins(record, other):
        return True
    if not stem or stem != title_stem(other.title):
        return False
    if version_key(record) == version_key(other):
        return False
    states_version = any(TITLE_VERSION.search(folded(title)) for title in (record.title, other.title))
    return not _are_apart(record, other) if states_version else _is_one_data_set(record, other)


def _is_one_data_set(record: Record, other: Record) -> bool:
    """Whether title, area and start are the same, apart from version and format."""
    own_key, other_key = _twin_key(record), _twin_key(other)
    if own_key is None or other_key is None or own_key.data_set is None:
        return False
    return own_key.data_set == other_key.data_set


def _are_twins(record: Record, other: Record) -> bool:
    """Whether they are formats or states of one data set, by their titles."""
    return _is_one_data_set(record, other) and _marks(record) != _marks(other)


def _marks(record: Record) -> str | None:
    key = _twin_key(record)
    return None if key is None else key.marks


def _are_apart(record: Record, other: Record) -> bool:
    """Whether their areas or periods are known and share nothing."""
    boxes = [_touch(box, other_box) for box in record.extents for other_box in other.extents]
    spans = [_overlap(span, other_span) for span in record.times for other_span in other.times]
    return any(shares and not any(shares) for shares in (boxes, spans))


def _touch(box: BBox, other: BBox) -> bool:
    if box.south > other.north or other.south > box.north:
        return False
    return any(own.west <= its.east and its.west <= own.east for own in box.parts() for its in other.parts())


def _overlap(span: TimeSpan, other: TimeSpan) -> bool:
    return not (_ends_before(span, other) or _ends_before(other, span))


def _ends_before(span: TimeSpan, other: TimeSpan) -> bool:
    return span.end_ms is not None and other.start_ms is not None and span.end_ms < other.start_ms


def _twin_key(record: Record) -> TwinKey | None:
    start = "".join(str(span.start_ms) for span in record.times[:1])
    return twin_key(record.source, record.title, tuple(map(str, record.extents)), start)


def order_of(record: Record, other: Record) -> VersionOrder:
    """What ``other`` is to ``record``: by version number, else by date. A date does not order formats."""
    own_key, other_key = version_key(record), version_key(other)
    if own_key is not None and other_key is not None and own_key != other_key:
        return "newer_version" if other_key > own_key else "older_version"
    if _are_twins(record, other) and not any(
        TITLE_STATE.search(folded(title)) for title in (record.title, other.title)
    ):
        return "other_version"
    days = _day(record), _day(other)
    if "" in days or days[0] == days[1]:
        return "other_version"
    return "newer_version" if days[1] > days[0] else "older_version"


def _of_one_doi_family(record: Record, other: Record) -> bool:
    own_stem, other_stem = doi_stem(record.doi or ""), doi_stem(other.doi or "")
    if own_stem is None or other_stem is None or own_stem[0] != other_stem[0] or record.doi == other.doi:
        return False
    return (own_stem[1] and other_stem[1]) or _are_titles_alike(record.title, other.title)


def _are_titles_alike(title: str, other: str) -> bool:
    """A bare number may also count data sets, so their titles must share half of their words, and all other numbers:
    "part 1" and "part 2" are no versions.
    """
    words, other_words = set(title_stem(title)), set(title_stem(other))
    differing_numbers = {word for word in words ^ other_words if any(letter.isdigit() for letter in word)}
    return (
        bool(words)
        and not differing_numbers
        and len(words & other_words) / len(words | other_words) >= _LEAST_COMMON_WORDS
    )


def _numbers(text: str) -> tuple[int, ...]:
    """``2.0`` and ``2`` are one version."""
    numbers = [int(digits) for digits in re.split(r"[._]", text)]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _day(record: Record) -> str:
    dates = record.dates
    return (dates.published or dates.created or dates.modified or "")[:10]


def newest_version(record: Record, others: Iterable[Record]) -> Record | None:
    """The newest of ``others`` that replaces ``record``: of the same source, both with a version number.

    A date alone is no evidence here: formats of one data set have different dates too.
    """
    newer = [other for other in others if other.source == record.source and _replaces(other, record)]
    return max(newer, key=lambda other: (version_key(other) or (), other.id), default=None)


def stated_successor(record: Record) -> Link | None:
    """What the record itself says replaces it."""
    for link in record.links:
        if link.rel == SUCCESSOR:
            return link
    return None


def _replaces(other: Record, record: Record) -> bool:
    other_key, own_key = version_key(other), version_key(record)
    if other_key is None or own_key is None or _is_year(other_key) != _is_year(own_key):
        return False
    return other_key > own_key and are_versions(record, other)


def _is_year(key: tuple[int, ...]) -> bool:
    """A year and a number count differently."""
    return key[0] >= _FIRST_YEAR
