"""What NASA's DIF, ECHO10 and UMM share: science keywords, processing levels, link types."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from indexer.formats.draft import RecordDraft
from indexer.formats.repair.boxes import number
from indexer.formats.repair.codes import agreed_kind, kind_of_platform

SCIENCE = "NASA/GCMD Earth Science Keywords"
_HEIGHT = re.compile(r"(?P<number>\S+?)\s*(?:(?P<kilo>k|kilo)?(?:m|met(?:er|re)s?))?")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_RELS = (
    ("GET SERVICE", "service"),
    ("USE SERVICE API", "service"),
    ("GET DATA", "download"),
    ("DIRECT DOWNLOAD", "download"),
    ("GET CAPABILITIES", "service"),
    ("GET RELATED VISUALIZATION", "preview"),
    ("BROWSE", "preview"),
    ("VIEW DATA SET LANDING PAGE", "about"),
    ("DATA SET LANDING PAGE", "about"),
    ("VIEW RELATED INFORMATION", "describedby"),
    ("VIEW PROJECT HOME PAGE", "related"),
)
ROLES = {
    "INVESTIGATOR": "principalInvestigator", "DIF AUTHOR": "author", "METADATA AUTHOR": "author",
    "TECHNICAL CONTACT": "pointOfContact", "DATA CENTER CONTACT": "pointOfContact", "ARCHIVER": "custodian",
    "ARCHIVE": "custodian", "DISTRIBUTOR": "distributor", "ORIGINATOR": "originator", "PROCESSOR": "processor",
    "PUBLISHER": "publisher", "DATA ORIGINATOR": "originator",
}  # fmt: skip


def role_of(nasa_role: str) -> str:
    """ISO's role for one of NASA's; the word itself where ISO has none."""
    return ROLES.get(nasa_role.strip().upper(), nasa_role.strip() or "pointOfContact")


def add_science_keyword(draft: RecordDraft, parts: Iterable[str]) -> None:
    """Adds ``EARTH SCIENCE > ATMOSPHERE > AEROSOLS`` as a keyword."""
    draft.add_keyword(" > ".join(part.strip() for part in parts if part and part.strip()), SCIENCE)


def add_platforms(draft: RecordDraft, names_and_categories: Iterable[tuple[str, str]], level: str) -> None:
    """Adds short names with their category, and the processing level: together they give the kind of data.

    Level 4 is "model output or results from analyses of lower level data": derived, unless the platform is a model.
    """
    clean_names = [(name.strip(), category) for name, category in names_and_categories if name.strip()]
    for name, _ in clean_names:
        draft.add_keyword(name, "platform")
    kind = agreed_kind(kind_of_platform(category) for _, category in clean_names)
    if level.strip().startswith("4"):
        draft.add_kind(kind if kind == "simulation" else "derived")
    else:
        draft.add_kind(kind)
    draft.names.set_level(level)


def add_product(draft: RecordDraft, short_name: str, version: str) -> None:
    """Short name and version of a collection; "Not provided" is neither."""
    draft.names.add_short_name(short_name)
    draft.edition = "" if version.lower().startswith("not provided") else version


def rel_of(*type_words: str) -> str | None:
    """The relation of a link by NASA's content type and subtype; None for unknown ones."""
    for words in type_words:
        for name, rel in _RELS:
            if words.strip().upper().startswith(name):
                return rel
    return None


def metres_of(text: str) -> float:
    """A height or depth such as ``-10 m`` or ``12 km`` in metres; NaN where the text is not one."""
    match = _HEIGHT.fullmatch(_THOUSANDS.sub("", text.strip().lower()))
    return math.nan if match is None else number(match["number"]) * (1000.0 if match["kilo"] else 1.0)


def add_height(draft: RecordDraft, kind: str, value: str) -> None:
    """Adds a height of the vertical extent; ``kind``: ``Maximum Altitude`` (upwards), ``Minimum Depth`` (downwards)."""
    height = metres_of(value)
    if "depth" in kind.lower():
        draft.add_vertical(-height, -height)
    elif "altitude" in kind.lower():
        draft.add_vertical(height, height)
