"""Documents and their passages.

A box is in points (1/72 inch) from the upper left corner of the page as it is shown, rounded to an eighth of a point.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from core.geo import BBox
from core.json_types import JsonMapping
from core.timespan import TimeSpan

_WORD = struct.Struct(">7H")  # start, end, page, left, top, right, bottom
_STEPS = 8
_LARGEST = 0xFFFF
_MOST_BYTES = 1 << 20
_SAME_LINE = 0.5  # of the lower of two boxes: the height that they share
PassageKind = Literal["text", "table", "caption"]
CELL = " | "
"""Between the cells of a row in the text of a passage."""


@dataclass(frozen=True, slots=True)
class WordBox:
    """One word: its characters in the passage's text (``start`` to ``end``), its page (from 1) and its box."""

    start: int
    end: int
    page: int
    left: float
    top: float
    right: float
    bottom: float


def write_boxes(words: Iterable[WordBox]) -> str:
    """As text for the index; words after the first 65,535 characters are left out."""
    data = b"".join(
        _WORD.pack(word.start, word.end, word.page, *map(_steps, (word.left, word.top, word.right, word.bottom)))
        for word in words
        if word.end <= _LARGEST and word.page <= _LARGEST
    )
    return base64.b64encode(zlib.compress(data)).decode("ascii") if data else ""


def read_boxes(text: str) -> tuple[WordBox, ...]:
    """What ``write_boxes`` wrote; nothing for a text that it did not write."""
    try:
        data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), _MOST_BYTES)
        rows = list(_WORD.iter_unpack(data))
    except (ValueError, zlib.error, struct.error):  # binascii.Error is a ValueError
        return ()
    return tuple(WordBox(start, end, page, *(edge / _STEPS for edge in edges)) for start, end, page, *edges in rows)


def lines_of(words: Sequence[WordBox]) -> tuple[WordBox, ...]:
    """One box for each run of neighbouring words on one line, in the order given."""
    lines: list[WordBox] = []
    for word in words:
        if lines and _continues_line(lines[-1], word):
            last = lines[-1]
            top, bottom = min(last.top, word.top), max(last.bottom, word.bottom)
            lines[-1] = replace(last, end=word.end, right=max(last.right, word.right), top=top, bottom=bottom)
        else:
            lines.append(word)
    return tuple(lines)


def _continues_line(line: WordBox, word: WordBox) -> bool:
    height = min(line.bottom - line.top, word.bottom - word.top)
    overlap = min(line.bottom, word.bottom) - max(line.top, word.top)
    return line.page == word.page and word.left >= line.left and overlap >= _SAME_LINE * height


def _steps(points: float) -> int:
    return max(0, min(_LARGEST, round(points * _STEPS)))


def row_text(cells: Sequence[str]) -> str:
    """A row of a table as passages write it; nothing for the empty cells at its end."""
    filled_columns = next((number for number in range(len(cells), 0, -1) if cells[number - 1]), 0)
    return CELL.join(cells[:filled_columns]).strip()


@dataclass(frozen=True, slots=True)
class PassageSection:
    """One of several sections that a passage holds. ``start``: its first character in the passage's text."""

    start: int
    path: tuple[str, ...]
    role: str | None = None


def section_at(sections: Sequence[PassageSection], position: int) -> PassageSection | None:
    """The section of this character; None for a passage that holds one section only."""
    return next((section for section in reversed(sections) if section.start <= position), None)


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of at most min(512, the embedder's limit) tokens. ``owner`` is ``public`` or a user.

    ``table``: the number of the document's table (from 1) that it is a part of. ``words``: its words on their pages;
    none without pages, and for passages of an earlier version. ``sections``: each in order where short ones are joined;
    ``section_path`` and ``section_role`` are then the longest one's.
    """

    id: str
    document: str
    ordinal: int
    text: str
    record: str | None = None
    owner: str = "public"
    kind: PassageKind = "text"
    section_path: tuple[str, ...] = ()
    section_role: str | None = None
    first_page: int | None = None
    last_page: int | None = None
    table: int | None = None
    words: tuple[WordBox, ...] = ()
    sections: tuple[PassageSection, ...] = ()


@dataclass(frozen=True, slots=True)
class WhereWhen:
    """Places and times in the passage itself, and its language: distinct, in text order."""

    places: tuple[str, ...] = ()
    boxes: tuple[BBox, ...] = ()
    spans: tuple[TimeSpan, ...] = ()
    language: str | None = None


State = Literal["waiting", "queued", "parsing", "embedding", "ready", "failed", "deleted"]
"""``waiting``: known by its reference, without a file. ``deleted``: marked; the rest is being deleted."""

Follow = Literal["none", "pdf", "landing"]
"""Which links of a record are followed: to PDFs only, or to landing pages too."""

PublicFiles = Literal["none", "licensed", "all"]
"""Which files of public documents are kept and shown: those whose record has an open licence, all, or none."""

PUBLIC = "public"
"""The owner of public documents; no caller may have this name."""

CATALOGUE = "documents"
"""The source of the records by which public documents are found; no entry of sources.yaml may have this id."""

UNREAD: tuple[State, ...] = ("queued", "parsing", "embedding")
"""States of a document in progress: a worker has it, or will get it."""


Edited = Mapping[str, "str | list[str] | None"]
"""Metadata by name (EDITABLE) as the owner set them; None: it has none."""

EDITABLE = ("title", "authors", "journal", "doi", "published")
_OPEN = re.compile(
    r"(?:.*creativecommons\.org/(?:licenses/by(?:-sa|-nd)?/\d|publicdomain/).*"
    r"|CC[- ]BY(?:[- ](?:SA|ND))?(?:[- ]\d(?:\.\d)?)?(?: (?:International|Deed|Unported))?"
    r"|CC0(?:[- ]1\.0)?|PDM[- ]1\.0|public domain"
    r"|(?:.*spdx\.org/licenses/)?(?:ODbL|ODC-By|PDDL|OGL-UK|OGL-Canada|DL-DE-BY|DL-DE-ZERO|etalab)-\d\.\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """``reason`` and ``message`` say why it failed. ``hash`` is of its bytes; ``recipe`` says how they were read:
    when that changes, the document is read again; ``version`` is the Sonde version that read it. ``attempts``
    counts how often that version started to read these bytes. ``done`` of ``total``: pages read while it is
    ``parsing``, passages embedded while it is ``embedding``. ``coverage`` is the share of its words that were kept
    (0..1); ``warnings`` name pages with a low share. ``cut`` counts its sentences and rows that were longer than a
    passage. ``tables`` holds captions and CSV. ``origin`` is its source: a path, an address to fetch it from, or
    ``upload:`` and ``import:`` with a unique name. ``edited``: what its owner set, for good. ``front_source`` names
    where each value of its metadata was read (``page``, ``xmp``, ``info``, ``crossref``, ``datacite``);
    ``registered``: what a registry said of its DOI.
    """

    id: str
    owner: str
    origin: str
    name: str
    state: State
    record: str | None = None
    source: str | None = None
    media_type: str | None = None
    hash: str | None = None
    bytes: int | None = None
    reason: str | None = None
    message: str | None = None
    attempts: int = 0
    title: str | None = None
    authors: tuple[str, ...] = ()
    affiliations: tuple[str, ...] = ()
    doi: str | None = None
    journal: str | None = None
    published: str | None = None
    front_source: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    pages: int | None = None
    ocr_pages: int | None = None
    blank_pages: int | None = None
    passages: int | None = None
    tables: tuple[JsonMapping, ...] = ()
    cut: int | None = None
    model: str | None = None
    recipe: str | None = None
    version: str | None = None
    done: int | None = None
    total: int | None = None
    coverage: float | None = None
    warnings: tuple[str, ...] = ()
    created: str | None = None
    updated: str | None = None
    took_ms: Mapping[str, float] = field(default_factory=dict)
    edited: Edited = field(default_factory=dict)
    registered: JsonMapping = field(default_factory=dict)


def with_edits(entry: DocumentEntry) -> DocumentEntry:
    """The entry with the values that its owner set."""
    edits = {name: value for name, value in entry.edited.items() if name in EDITABLE}
    fields = {name: tuple(value or ()) if name == "authors" else value for name, value in edits.items()}
    return replace(entry, **fields)  # type: ignore[arg-type]


def document_id(owner: str, record: str | None, content_hash: str) -> str:
    """Equal bytes with the same owner and record are the same document. ``content_hash``: SHA-256 in hex."""
    return hashlib.sha256("\n".join((owner, record or "", content_hash)).encode()).hexdigest()[:32]


def record_of_document(document: str) -> str:
    """The id of the record by which a public document is found in the search."""
    return f"{CATALOGUE}:{document}"


def document_of_record(record: str) -> str | None:
    """The public document that this record stands for; None for any other record."""
    catalogue, _, document = record.partition(":")
    return document if catalogue == CATALOGUE else None


def explained_record(record: str | None) -> str | None:
    """The record that a passage's document explains; None where the passage carries its document's own record."""
    return None if record is None or document_of_record(record) is not None else record


def owner_routing(owner: str) -> str:
    """The shard routing of a user's passages; Elasticsearch reads a comma in a routing value as two values."""
    return hashlib.sha256(owner.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class FileKey:
    """Identifies an uploaded file: its owner's folder and its document."""

    owner: str
    document: str


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An existing file. ``folder`` is its owner's ``owner_routing``; ``age_s``: seconds since it was written."""

    folder: str
    document: str
    age_s: float


class FileStore(Protocol):
    """Storage of uploaded files. Writes are atomic, also in a crash."""

    def put(self, key: FileKey, data: Iterable[bytes]) -> None:
        """Replaces any earlier file. Raises core.errors.Unavailable if it cannot be stored."""
        ...

    def get(self, key: FileKey) -> bytes | None:
        """None if there is no such file."""
        ...

    def has(self, key: FileKey) -> bool:
        """Whether ``get`` finds a file."""
        ...

    def delete(self, key: FileKey) -> None:
        """Deletes the file; does nothing if there is none."""
        ...

    def files(self) -> Iterator[StoredFile]:
        """All files, including incomplete ones."""
        ...

    def discard(self, file: StoredFile) -> None:
        """Deletes a file returned by ``files``."""
        ...


def is_open(licence: str | None) -> bool:
    """Whether it is a known open licence, as an address, an SPDX identifier or a usual short name.

    Licences for non-commercial use only are not: a service may be a commercial one.
    """
    return licence is not None and _OPEN.fullmatch(licence.strip()) is not None
