"""Reads each document of the attacker as a worker does, while honest documents are read, and measures it.

A reader is a separate process, as in a worker: it starts the process that reads the document, then splits the result
into passages. So the memory of both is measured for each document alone.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from core.json_types import Json
from core.ports import EmbedderCard, Encoded, TextKind, Vectors
from indexer.documents.index.steps import stored_table
from indexer.documents.parse.isolation import read_isolated
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.segment.passages import SegmentOptions, segment
from lab.hostile_documents import pdf_files, texts
from lab.hostile_documents.pdf_files import pdf
from lab.hostile_documents.texts import HostileKind, docx

_CHARACTERS = 4
_SENTENCE = "The depth of lake {n} was sounded in August 1997 from a boat, and its water was sampled twice."
_LINES = [_SENTENCE.format(n=number) for number in range(40)]
_GRACE_S = 60.0  # to start, to split into passages, and to kill
_MIB = 1024 * 1024


class WordPieces:
    """A token for each four characters of a word, two special ones around; all vectors are alike."""

    card = EmbedderCard("lab/word-pieces", 4, 512, 0.0)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:  # noqa: ARG002
        return np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(texts), 1))

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        return Encoded(self.embed(texts, kind))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [sum(len(word) // _CHARACTERS + 1 for word in text.split()) + 2 for text in texts]


def _report() -> bytes:
    text_operators = "".join(f"1 0 0 1 72 {740 - 15 * n} Tm({line})Tj " for n, line in enumerate(_LINES))
    return pdf([f"BT/F1 10 Tf {text_operators}ET".encode()] * 20)


def _page() -> bytes:
    rows = "".join(f"<tr><td>Lake {n}</td><td>{n}.5</td></tr>" for n in range(50))
    text = "".join(f"<p>{line}</p>" for line in _LINES)
    return f"<!doctype html><h1>Lakes</h1>{text}<table><tr><th>Lake</th><th>Depth (m)</th></tr>{rows}</table>".encode()


HONEST = (
    ("report.pdf", _report()),
    ("page.html", _page()),
    ("letter.docx", docx("".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in _LINES).encode())),
    ("notes.txt", "\n\n".join(["# Notes on lakes", *_LINES]).encode()),
)


KINDS: tuple[HostileKind, ...] = (
    *texts.TEXT_KINDS,
    *texts.HTML_KINDS,
    *texts.WORD_KINDS,
    *pdf_files.PDF_KINDS,
)


@dataclass(frozen=True, slots=True)
class ReadingTerms:
    """What one document may cost. ``parent_mib``: of the worker's process, its start included."""

    limits: Limits = field(default_factory=Limits)
    options: SegmentOptions = field(default_factory=SegmentOptions)
    parent_mib: float = 1024.0


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """``state``: ready or the reason of the refusal. ``child_mib`` and ``parent_mib``: the most memory of the process
    that read the document, and of the worker's.
    """

    kind: str
    size_bytes: int
    state: str
    message: str
    seconds: float
    child_mib: float
    parent_mib: float
    passages: int = 0
    cells: int = 0
    stored_bytes: int = 0

    def wrong(self, terms: ReadingTerms) -> list[str]:
        """What passed its limit; empty where all held."""
        most_child = terms.limits.memory_bytes / _MIB
        problems = [self.message] if self.state in ("crashed", "lost") else []
        problems += [f"child {self.child_mib:.0f} MiB"] if self.child_mib > most_child else []
        problems += [f"parent {self.parent_mib:.0f} MiB"] if self.parent_mib > terms.parent_mib else []
        problems += [f"{self.seconds:.0f} s"] if self.seconds > terms.limits.seconds + _GRACE_S else []
        problems += [f"{self.passages} passages"] if self.passages > terms.options.most_passages else []
        problems += [f"{self.cells} cells"] if self.cells > terms.limits.max_cells else []
        problems += ["no sentence"] if self.state != "ready" and not self.message else []
        return problems

    def as_json(self) -> Json:
        return asdict(self)


def read_here(name: str, data: bytes, terms: ReadingTerms) -> ReadOutcome:
    """Reads the document as a worker does, in this process and its child."""
    started_s = time.monotonic()
    outcome = ReadOutcome(name, len(data), "ready", "", 0.0, 0.0, 0.0)
    try:
        document = read_isolated(data, terms.limits, Ocr(command=None)).document
        tables = [stored_table(table) for table in document.tables]
        passages = segment(document, "d", WordPieces(), terms.options)
        message = " ".join((*passages.warnings, *document.warnings[:3]))
        cells = sum(len(table.rows) * table.columns for table in document.tables)
        stored_bytes = len(json.dumps(tables))
        outcome = replace(
            outcome, message=message, passages=len(passages.passages), cells=cells, stored_bytes=stored_bytes
        )
        if not passages.passages:
            outcome = replace(
                outcome, state="no_text", message="Nothing that could be searched was found in the document."
            )
    except DocumentRefused as refused:
        outcome = replace(outcome, state=refused.reason, message=str(refused))
    except MemoryError:
        outcome = replace(outcome, state="out_of_memory", message="The worker's process has no more memory.")
    return replace(
        outcome,
        seconds=time.monotonic() - started_s,
        child_mib=resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        parent_mib=_own_peak_mib(),
    )


def _own_peak_mib() -> float:
    """Of this program alone: what ``getrusage`` says counts the process that started it too."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def read_in_process(kind: HostileKind, size: int, terms: ReadingTerms, folder: Path) -> ReadOutcome:
    """The same in a separate process, which reads the file from the folder."""
    file = folder / "document"
    file.write_bytes(kind.make(size))
    job = {"name": kind.name, "file": str(file), "limits": asdict(terms.limits), "options": asdict(terms.options)}
    argv = [sys.executable, "-m", "lab.hostile_documents.course", json.dumps(job)]
    timeout_s = 2 * terms.limits.seconds + _GRACE_S
    try:
        process = subprocess.run(argv, capture_output=True, timeout=timeout_s, check=False)  # noqa: S603  # nosec B603
        return ReadOutcome(**json.loads(process.stdout))
    except (subprocess.TimeoutExpired, ValueError) as error:
        return ReadOutcome(
            kind.name, file.stat().st_size, "lost", f"its reader is gone ({type(error).__name__})", timeout_s, 0, 0
        )


@dataclass(slots=True)
class HonestReadings:
    """Honest documents that are read again and again during the run: how many were read, and why others were not."""

    read: int = 0
    slowest_s: float = 0.0
    wrong: list[str] = field(default_factory=list)


def read_course(
    kinds: Sequence[HostileKind],
    honest: Sequence[tuple[str, bytes]],
    terms: ReadingTerms,
    folder: Path,
    size_of: Callable[[HostileKind], int] = lambda kind: kind.usual,
) -> Iterator[ReadOutcome | HonestReadings]:
    """What came of each kind, then of the honest documents."""
    readings, end = HonestReadings(), threading.Event()
    reader = threading.Thread(target=_read_honest, args=(honest, terms, readings, end), daemon=True)
    reader.start()
    try:
        for kind in kinds:
            yield read_in_process(kind, size_of(kind), terms, folder)
    finally:
        end.set()
        reader.join()
    yield readings


def _read_honest(
    honest: Sequence[tuple[str, bytes]], terms: ReadingTerms, readings: HonestReadings, end: threading.Event
) -> None:
    """Every document at least once."""
    while True:
        for name, data in honest:
            started_s = time.monotonic()
            try:
                read_isolated(data, terms.limits, Ocr(command=None))
                readings.read += 1
            except DocumentRefused as refused:
                readings.wrong.append(f"{name}: {refused}")
            readings.slowest_s = max(readings.slowest_s, time.monotonic() - started_s)
            if end.is_set() and readings.read >= len(honest):
                return
        if end.is_set():
            return


if __name__ == "__main__":
    request = json.loads(sys.argv[1])
    terms = ReadingTerms(Limits(**request["limits"]), SegmentOptions(**request["options"]))
    sys.stdout.write(json.dumps(read_here(request["name"], Path(request["file"]).read_bytes(), terms).as_json()))
