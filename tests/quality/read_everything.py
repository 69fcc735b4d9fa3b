"""``python -m tests.quality.read_everything [EVERY]``: every reader over the text of every file in ``../shared/data``.

Prints how many files and texts were read, and each text at which a reader raised. EVERY reads one file of so many.
What is between the tags of XML and in the strings of JSON is text, lines of anything else, pages of PDFs.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from pathlib import Path
from typing import Any

import pypdfium2

from indexer.documents.index.steps import PassageReader
from reading.gazetteer import Gazetteer
from reading.kinds import infer_kind
from reading.places import PlaceReader
from reading.sentences import sentences
from reading.times import TimeReader
from reading.vocabulary import only_own_vocabulary
from search_api.search.request import ALL_PARTS
from search_api.search.understanding.understand import Understander
from tests.shared_data import shared_data

LONGEST = 2_000  # characters of one text, as of a question
_MARKUP = re.compile(r">([^<>]{3,})<|=\"([^\"<>]{12,})\"")
_PLACES = PlaceReader(Gazetteer())
_TIMES = TimeReader(lambda: date(2026, 3, 1))
_PASSAGES = PassageReader(_PLACES, _TIMES)
_QUESTIONS = Understander(_PLACES, _TIMES, vocabulary=only_own_vocabulary)


@dataclass(slots=True)
class Tally:
    """``texts`` are distinct; ``failures``: file, reader and text."""

    files: int = 0
    characters: int = 0
    texts: set[int] = field(default_factory=set)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)


def files(folder: Path, every: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of one file of so many, archives opened; always the same ones."""
    number = 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path, "r|gz") as archive:
                for member in archive:
                    number += 1
                    content = archive.extractfile(member) if member.isfile() and number % every == 0 else None
                    if content is not None:
                        yield f"{path.name}/{member.name}", content.read()
        else:
            number += 1
            if number % every == 0:
                content_of = path.read_bytes()
                unpacked = gzip.decompress(content_of) if path.suffix == ".gz" else content_of
                yield path.name.removesuffix(".gz"), unpacked


def texts(name: str, content: bytes) -> Iterator[str]:
    """What a reader may be given of a file, in pieces of at most 2,000 characters."""
    for text in _whole_texts(name.rpartition(".")[2].lower(), content):
        yield from (text[start : start + LONGEST] for start in range(0, len(text), LONGEST))


def _whole_texts(kind: str, content: bytes) -> Iterator[str]:
    if kind in ("png", "jpg", "jpeg", "nc", "zip", "webp", "xlsx"):
        return
    if kind == "pdf":
        document = pypdfium2.PdfDocument(content)
        for page in document:
            yield page.get_textpage().get_text_bounded()
        return
    text = content.decode("utf-8", "replace")
    if kind in ("json", "geojson", "jsonld"):
        try:
            yield from _strings(json.loads(text))
            return
        except ValueError:
            pass
    if kind in ("xml", "rdf", "html"):
        yield from (match[1] or match[2] for match in _MARKUP.finditer(text))
        return
    yield from text.splitlines()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield key
            yield from _strings(one)


def read_all(folder: Path, every: int = 1, most: int | None = None) -> Tally:
    """Reads each distinct text once; of each file at most the first ``most``."""
    tally = Tally()
    for name, content in files(folder, every):
        tally.files += 1
        tally.kinds[name.rpartition(".")[2].lower()] += 1
        for text in islice(texts(name, content), most):
            if hash(text) in tally.texts:
                continue
            tally.texts.add(hash(text))
            tally.characters += len(text)
            tally.failures += [(name, reader, text) for reader in raising(text)]
    return tally


def raising(text: str) -> list[str]:
    """The readers of questions and of passages that this text makes raise."""
    found: list[str] = list(_QUESTIONS.understand(text, ALL_PARTS).failed)
    try:
        _PASSAGES.read(text)
        infer_kind(text, text, text)
        sentences(text)
    except Exception as error:  # noqa: BLE001 - to find any is what this is for
        found.append(type(error).__name__)
    return found


def main(every: int) -> None:
    tally = read_all(shared_data(), every)
    for name, reader, text in tally.failures:
        sys.stdout.write(f"{reader} raised at {text!r} of {name}\n")
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.kinds.most_common(8))
    sys.stdout.write(
        f"{tally.files} files ({kinds}), {len(tally.texts)} texts of {tally.characters} characters, "
        f"{len(tally.failures)} at which a reader raised\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
