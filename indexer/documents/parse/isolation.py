"""Reads each document in a separate process, so that the worker survives any content and reports what happened.

The process has limits of time, memory and output (``child``), its own process group, an environment without secrets,
an empty folder, and neither network nor other files (``confinement``). After its time limit it is killed with all its
children.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from core.errors import SondeError
from indexer.confinement import Confinement, environment_for_child, kill_group
from indexer.documents.parse.child import OUT_OF_MEMORY, job_json, read_answer
from indexer.documents.parse.job_files import PAGES_FILE, PageProgress, ignore_pages, read_progress, read_untrusted
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import ReadDocument

log = structlog.get_logger(__name__)

_MESSAGE = 300
_NO_MEMORY = ("memoryerror", "out of memory", "bad_alloc", "cannot allocate memory")
_MOST_ERRORS = 1024 * 1024
_MOST_PAGES = 512 * 1024 * 1024
_TRIED_S = 30.0
ATTEMPTS = 2
_LOOK_S = 1.0
"""How often the worker checks the progress of the process."""


@dataclass(frozen=True, slots=True)
class ParseResult:
    """``attempts`` is 2 if the first process died."""

    document: ReadDocument
    took_s: float
    attempts: int


class SliceOver(SondeError):
    """The slice has ended before the document; the next one continues."""


@dataclass(frozen=True, slots=True)
class PagesSlice:
    """Reads some pages and no more. ``file`` keeps the pages of all slices; after ``ends`` (time.monotonic()) the
    process is stopped, unless it has read no page yet or has read all. ``spent_s``: what earlier slices took.
    """

    file: Path
    ends: float
    spent_s: float = 0.0


def read_isolated(
    data: bytes,
    limits: Limits,
    ocr: Ocr,
    progress: PageProgress = ignore_pages,
    pages: PagesSlice | None = None,
    *,
    attempts: int = ATTEMPTS,
) -> ParseResult:
    """Reads the document in a separate process; retries once if the process crashes: what took too long or too much
    memory would do so again. ``progress`` gets the pages about once a second. With ``pages`` it reads in slices and
    tries once: the next slice is the next attempt.

    Raises DocumentRefused: the document's own reasons, ``out_of_time``, ``out_of_memory``, ``crashed``; SliceOver.
    """
    if len(data) > limits.max_bytes:
        raise DocumentRefused("too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are read.")
    ocr = _with_full_path(ocr)
    attempts = attempts if pages is None else 1
    for attempt in range(1, attempts + 1):
        started = time.monotonic()
        try:
            return ParseResult(_read_once(data, limits, ocr, progress, pages), time.monotonic() - started, attempt)
        except DocumentRefused as refusal:
            if refusal.reason != "crashed" or attempt == attempts:
                raise
            log.warning("document.tried_again", reason=refusal.reason, attempt=attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


def confinement_here() -> Confinement | None:
    """What a process that reads a document cannot do on this machine, as tried by one; None where it could not try."""
    with tempfile.TemporaryDirectory(prefix="sonde-document-") as name:
        folder = Path(name) / "job"
        folder.mkdir()
        try:
            completed = subprocess.run(  # noqa: S603  # nosec B603 - our own module
                [sys.executable, "-m", "indexer.confinement", str(folder)],
                cwd=folder,
                env=environment_for_child(folder),
                capture_output=True,
                timeout=_TRIED_S,
                check=True,
            )
            return Confinement(**json.loads(completed.stdout))
        except (OSError, subprocess.SubprocessError, ValueError):
            return None


def _with_full_path(ocr: Ocr) -> Ocr:
    """tesseract with its full path, because the child has no search path; without tesseract, no OCR."""
    if ocr.command is None:
        return ocr
    path = shutil.which(ocr.command)
    return replace(ocr, command=path, missing=path is None)


def _read_once(data: bytes, limits: Limits, ocr: Ocr, progress: PageProgress, pages: PagesSlice | None) -> ReadDocument:
    with tempfile.TemporaryDirectory(prefix="sonde-document-") as name:
        folder = Path(name)
        (folder / "document").write_bytes(data)
        (folder / "job.json").write_bytes(job_json(limits, ocr))
        with _keep_pages(folder, pages), (folder / "errors").open("wb") as errors:
            code = _run(folder, errors.fileno(), limits, progress, pages)
        stderr = _last_of(folder / "errors")
        if code != 0:
            raise _death(code, stderr, limits)
        try:
            return read_answer(folder, limits)
        except (OSError, ValueError) as error:
            raise DocumentRefused("crashed", f"Its process left no answer ({type(error).__name__}).") from error


def _last_of(errors: Path) -> str:
    try:
        return (read_untrusted(errors, _MOST_ERRORS) or b"")[-4096:].decode("utf-8", "replace").strip()
    except OSError:
        return ""


@contextmanager
def _keep_pages(folder: Path, pages: PagesSlice | None) -> Iterator[None]:
    """Gives the process the pages of earlier slices, and keeps what it has read, however it ends.

    It works on a copy: nothing outside its own folder is open to it.
    """
    if pages is None:
        yield
        return
    pages_file = folder / PAGES_FILE
    if pages.file.exists():
        shutil.copyfile(pages.file, pages_file)
    else:
        pages_file.touch()
    try:
        yield
    finally:
        content = read_untrusted(pages_file, _MOST_PAGES)
        if content is not None:
            write_atomically(pages.file, content)


def write_atomically(file: Path, content: bytes) -> None:
    """Writes beside, syncs and renames: after a power cut there is the whole file or the one before."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
    with temporary.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(file)


def _run(folder: Path, errors: int, limits: Limits, progress: PageProgress, pages: PagesSlice | None) -> int:
    """The exit code (negative: the signal). Raises DocumentRefused ``out_of_time``, SliceOver."""
    process = subprocess.Popen(  # noqa: S603  # nosec B603 - our own module
        [sys.executable, "-m", "indexer.documents.parse.child", str(folder)],
        cwd=folder,
        env=environment_for_child(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )
    try:
        return _wait(process, folder, limits.seconds, progress, pages)
    except subprocess.TimeoutExpired:
        raise DocumentRefused("out_of_time", f"Reading it took longer than {limits.seconds:g} seconds.") from None
    finally:
        kill_group(process)


def _wait(
    process: subprocess.Popen[bytes], folder: Path, seconds: float, progress: PageProgress, pages: PagesSlice | None
) -> int:
    """The exit code. Raises subprocess.TimeoutExpired after ``seconds`` (of all slices), SliceOver after a slice."""
    ends, last = time.monotonic() + seconds - (pages.spent_s if pages is not None else 0.0), None
    size_before = _size(folder)
    while True:
        left_s = ends - time.monotonic()
        try:
            return process.wait(timeout=max(0.0, min(_LOOK_S, left_s)))
        except subprocess.TimeoutExpired:
            if left_s <= _LOOK_S:
                raise
        if (counts := read_progress(folder)) is not None and counts != last:
            last = counts
            progress(*counts)
        is_over = pages is not None and time.monotonic() >= pages.ends and _size(folder) > size_before
        if is_over and counts is not None and counts[0] < counts[1]:
            raise SliceOver(f"{counts[0]} of {counts[1]} pages are read.")


def _size(folder: Path) -> int:
    try:
        return (folder / PAGES_FILE).stat().st_size
    except FileNotFoundError:
        return 0


def _death(code: int, stderr: str, limits: Limits) -> DocumentRefused:
    is_silent_abort = code == -signal.SIGABRT and not stderr  # so ends pdfium where it gets no memory; others say why
    if code == OUT_OF_MEMORY or is_silent_abort or any(words in stderr.lower() for words in _NO_MEMORY):
        mib = limits.memory_bytes // (1024 * 1024)
        return DocumentRefused(
            "out_of_memory", f"Reading it needs more than {mib} MiB of memory (SONDE_DOCUMENTS__MEMORY_MIB)."
        )
    if code == -signal.SIGXCPU:
        return DocumentRefused(
            "out_of_time", f"Reading it took more than {limits.seconds:g} seconds of processor time."
        )
    last = stderr.splitlines()[-1][:_MESSAGE] if stderr else f"exit code {code}"
    return DocumentRefused("crashed", f"The process that read it died: {last}")
