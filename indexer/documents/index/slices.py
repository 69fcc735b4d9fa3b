"""A slice of a document's reading: a limited time, and a folder with what earlier slices have done.

A document of many pages is read, split and embedded in several slices. Between them other documents have their turn.
The folder holds the pages that are read, then the document, then its passages; its entry says how many passages are in
the index. Each file is written beside, synced and renamed: after a power cut there is the whole file or none. A folder
made of other bytes, or by another reader, is emptied.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from indexer.documents.parse.isolation import PagesSlice, ParseResult, SliceOver, write_atomically
from indexer.documents.parse.job_files import PAGES_FILE
from indexer.documents.segment.passages import Segmentation

T = TypeVar("T")

_PARSE_RESULT = TypeAdapter(ParseResult)
_PASSAGES = TypeAdapter(Segmentation)
_MADE_OF = "made-of"
_PARSED_FILE = "document.json"
_PASSAGES_FILE = "passages.json"


@dataclass(frozen=True, slots=True)
class ReadingSlice:
    """``ends``: the slice does not begin another piece of work after this time (time.monotonic())."""

    folder: Path
    ends: float

    @property
    def pages(self) -> PagesSlice:
        return PagesSlice(self.folder / PAGES_FILE, self.ends)

    def check(self) -> None:
        """Raises SliceOver after the end."""
        if time.monotonic() >= self.ends:
            raise SliceOver("The slice is over.")

    def parsed(self) -> ParseResult | None:
        """The document as an earlier slice read it."""
        return _read(self.folder / _PARSED_FILE, _PARSE_RESULT)

    def keep_parsed(self, result: ParseResult) -> None:
        write_atomically(self.folder / _PARSED_FILE, _PARSE_RESULT.dump_json(result))

    def passages(self) -> Segmentation | None:
        """The passages as an earlier slice made them."""
        return _read(self.folder / _PASSAGES_FILE, _PASSAGES)

    def keep_passages(self, segmentation: Segmentation) -> None:
        write_atomically(self.folder / _PASSAGES_FILE, _PASSAGES.dump_json(segmentation))

    def drop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class UnfinishedReadings:
    """A folder with a folder for each document whose reading is not finished."""

    folder: Path

    def slice(self, document: str, dependencies: Sequence[str], seconds: float) -> ReadingSlice:
        """``dependencies``: what the kept files depend on, such as the hash of the bytes and the recipe."""
        document_folder = self.folder / document
        key = "\n".join(dependencies).encode()
        with suppress(FileNotFoundError):
            if (document_folder / _MADE_OF).read_bytes() != key:
                shutil.rmtree(document_folder)
        document_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (document_folder / _MADE_OF).exists():
            write_atomically(document_folder / _MADE_OF, key)
        return ReadingSlice(document_folder, time.monotonic() + seconds)

    def ages(self) -> Iterator[tuple[str, float]]:
        """The documents with a folder, and the seconds since something was kept there."""
        for path in sorted(self.folder.glob("*")):
            with suppress(FileNotFoundError):  # finished while we look
                yield path.name, time.time() - path.stat().st_mtime

    def drop(self, document: str) -> None:
        shutil.rmtree(self.folder / document, ignore_errors=True)


def _read(file: Path, adapter: TypeAdapter[T]) -> T | None:
    try:
        return adapter.validate_json(file.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
