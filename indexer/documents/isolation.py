"""Reads each document in a separate process, so that the worker survives any content and reports what happened.

The process has limits of time, memory and output (``child``), its own process group, an environment without secrets
and an empty folder. After its time limit it is killed with all its children.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess  # nosec B404
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from indexer.documents.child import OUT_OF_MEMORY, answered, job_json
from indexer.documents.failures import MAY_PASS, DocumentRefused
from indexer.documents.limits import Limits, Ocr
from indexer.documents.model import ReadDocument
from indexer.documents.progress import PagesRead, noted_pages, unwatched

log = structlog.get_logger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_MESSAGE = 300
ATTEMPTS = 2
_LOOK_S = 1.0
"""How often the worker checks the progress of the process."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """``attempts`` is 2 if the first process died."""

    document: ReadDocument
    took_s: float
    attempts: int


def read_isolated(
    data: bytes, limits: Limits, ocr: Ocr, progress: PagesRead = unwatched, *, attempts: int = ATTEMPTS
) -> Parsed:
    """Reads the document in a separate process; retries once if the process dies. ``progress`` gets the pages about
    once a second.

    Raises DocumentRefused: the document's own reasons, ``out_of_time``, ``out_of_memory``, ``crashed``.
    """
    if len(data) > limits.max_bytes:
        raise DocumentRefused("too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are read.")
    ocr = _with_full_path(ocr)
    for attempt in range(1, attempts + 1):
        started = time.monotonic()
        try:
            return Parsed(_read_once(data, limits, ocr, progress), time.monotonic() - started, attempt)
        except DocumentRefused as refused:
            if refused.reason not in MAY_PASS or attempt == attempts:
                raise
            log.warning("document.tried_again", reason=refused.reason, attempt=attempt)
    raise AssertionError("unreachable: the last attempt returns or raises")


def _with_full_path(ocr: Ocr) -> Ocr:
    """tesseract with its full path, because the child has no search path; without tesseract, no OCR."""
    if ocr.command is None:
        return ocr
    found = shutil.which(ocr.command)
    return replace(ocr, command=found, missing=found is None)


def _read_once(data: bytes, limits: Limits, ocr: Ocr, progress: PagesRead) -> ReadDocument:
    with tempfile.TemporaryDirectory(prefix="sonde-document-") as name:
        folder = Path(name)
        (folder / "document").write_bytes(data)
        (folder / "job.json").write_bytes(job_json(limits, ocr))
        with (folder / "errors").open("wb") as errors:
            code = _run(folder, errors.fileno(), limits, progress)
        said = (folder / "errors").read_bytes()[-4096:].decode("utf-8", "replace").strip()
        if code != 0:
            raise _death(code, said, limits)
        try:
            return answered((folder / "answer.json").read_bytes())
        except (OSError, ValueError) as error:
            raise DocumentRefused("crashed", f"Its process left no answer ({type(error).__name__}).") from error


def _run(folder: Path, errors: int, limits: Limits, progress: PagesRead) -> int:
    """The exit code (negative: the signal). Raises DocumentRefused ``out_of_time``."""
    process = subprocess.Popen(  # noqa: S603  # nosec B603 - our own module
        [sys.executable, "-m", "indexer.documents.child", str(folder)],
        cwd=folder,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )
    try:
        return _waited(process, folder, limits.seconds, progress)
    except subprocess.TimeoutExpired:
        raise DocumentRefused("out_of_time", f"Reading it took longer than {limits.seconds:g} seconds.") from None
    finally:
        _kill_group(process)


def _waited(process: subprocess.Popen[bytes], folder: Path, seconds: float, progress: PagesRead) -> int:
    """The exit code. Raises subprocess.TimeoutExpired after ``seconds``."""
    ends, seen = time.monotonic() + seconds, None
    while True:
        left = ends - time.monotonic()
        try:
            return process.wait(timeout=max(0.0, min(_LOOK_S, left)))
        except subprocess.TimeoutExpired:
            if left <= _LOOK_S:
                raise
        if (noted := noted_pages(folder)) is not None and noted != seen:
            seen = noted
            progress(*noted)


def _environment(folder: Path) -> dict[str, str]:
    """The child's environment without keys and addresses. One thread per library, to bound memory."""
    return {
        "PATH": _SYSTEM_PATH,
        "PYTHONPATH": str(_ROOT),
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "OMP_THREAD_LIMIT": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
    }


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # the whole process group has ended
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _death(code: int, said: str, limits: Limits) -> DocumentRefused:
    if code == OUT_OF_MEMORY or "MemoryError" in said or "out of memory" in said.lower():
        mib = limits.memory_bytes // (1024 * 1024)
        return DocumentRefused("out_of_memory", f"Reading it needs more than {mib} MiB of memory.")
    if code == -signal.SIGXCPU:
        return DocumentRefused(
            "out_of_time", f"Reading it took more than {limits.seconds:g} seconds of processor time."
        )
    last = said.splitlines()[-1][:_MESSAGE] if said else f"exit code {code}"
    return DocumentRefused("crashed", f"The process that read it died: {last}")
