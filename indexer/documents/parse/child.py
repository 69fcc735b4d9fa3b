"""The process that reads one document: ``python -m indexer.documents.parse.child JOB``. It sets its limits and leaves
the rest of the machine before it reads.

JOB is a folder with ``job.json`` and ``document``; the process writes ``answer.json`` there. Exit code 0: the answer
holds a document or a named refusal; 3: out of memory; anything else: it crashed.
"""

from __future__ import annotations

import json
import resource
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from indexer.confinement import confine_process
from indexer.documents.parse.job_files import PAGES_FILE, PageStore, read_untrusted, write_progress
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr, Reason
from indexer.documents.parse.model import ReadDocument

OUT_OF_MEMORY = 3
_LARGEST_FILE = 512 * 1024 * 1024
_ANSWER_FILE = "answer.json"
_LONGEST_MESSAGE = 500
_READ_DOCUMENT = TypeAdapter(ReadDocument)
_LIMITS = TypeAdapter(Limits)
_OCR = TypeAdapter(Ocr)


def job_json(limits: Limits, ocr: Ocr) -> bytes:
    return json.dumps({"limits": _LIMITS.dump_python(limits), "ocr": _OCR.dump_python(ocr)}).encode()


@dataclass(frozen=True, slots=True)
class _Answer:
    """Either a document, or the reason why there is none."""

    document: ReadDocument | None = None
    reason: Reason | None = None
    message: str = ""


_ANSWER = TypeAdapter(_Answer)


def read_answer(folder: Path, limits: Limits) -> ReadDocument:
    """The document in the answer of a process.

    Raises the DocumentRefused that the answer names, or one if the answer is too large to be parsed; OSError if there
    is none, ValueError if it is broken.
    """
    content = read_untrusted(folder / _ANSWER_FILE, limits.max_answer_bytes)
    if content is None:
        raise _too_large(limits)
    answer = _ANSWER.validate_json(content)
    if answer.reason is not None:
        raise DocumentRefused(answer.reason, answer.message[:_LONGEST_MESSAGE])
    if answer.document is None:
        raise ValueError("neither a document nor a reason")
    return answer.document


def _too_large(limits: Limits) -> DocumentRefused:
    max_megabytes = limits.max_answer_bytes // (1024 * 1024)
    return DocumentRefused(
        "too_large", f"What was read of it takes more than {max_megabytes} MiB, so it is not taken over."
    )


def run(folder: Path) -> int:
    job = json.loads((folder / "job.json").read_bytes())
    limits, ocr = _LIMITS.validate_python(job["limits"]), _OCR.validate_python(job["ocr"])
    limit_resources(limits)
    try:
        from indexer.documents.parse.read import read_document

        confine_process(folder, [ocr.command] if ocr.command else [])
        data = (folder / "document").read_bytes()
        document = read_document(data, limits, ocr, partial(write_progress, folder), PageStore(folder / PAGES_FILE))
        answer = b'{"document":' + _READ_DOCUMENT.dump_json(document) + b"}"
        if len(answer) > limits.max_answer_bytes:
            raise _too_large(limits)
    except DocumentRefused as refusal:
        answer = json.dumps({"reason": refusal.reason, "message": str(refusal)}).encode()
    except MemoryError:
        return OUT_OF_MEMORY
    (folder / _ANSWER_FILE).write_bytes(answer)
    return 0


def limit_resources(limits: Limits) -> None:
    """Limits address space, processor time and output size; no core dumps. Grandchildren (OCR) inherit the limits."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
