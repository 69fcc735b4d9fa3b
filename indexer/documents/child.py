"""The process that reads one document: ``python -m indexer.documents.child JOB``. It sets its limits before it reads.

JOB is a folder with ``job.json`` and ``document``; the process writes ``answer.json`` there. Exit code 0: the answer
holds a document or a named refusal; 3: out of memory; anything else: it crashed.
"""

from __future__ import annotations

import json
import resource
import sys
from functools import partial
from pathlib import Path

from pydantic import TypeAdapter

from indexer.documents.failures import DocumentRefused
from indexer.documents.kept_pages import PAGES_FILE, KeptPages
from indexer.documents.limits import Limits, Ocr
from indexer.documents.model import ReadDocument
from indexer.documents.progress import note_pages

OUT_OF_MEMORY = 3
_LARGEST_ANSWER = 512 * 1024 * 1024
_READ = TypeAdapter(ReadDocument)
_LIMITS = TypeAdapter(Limits)
_OCR = TypeAdapter(Ocr)


def job_json(limits: Limits, ocr: Ocr) -> bytes:
    return json.dumps({"limits": _LIMITS.dump_python(limits), "ocr": _OCR.dump_python(ocr)}).encode()


def answered(content: bytes) -> ReadDocument:
    """The document in an answer. Raises the DocumentRefused that the answer names, or ValueError if it is broken."""
    answer = json.loads(content)
    if "reason" in answer:
        raise DocumentRefused(answer["reason"], answer["message"])
    return _READ.validate_python(answer["document"])


def run(folder: Path) -> int:
    job = json.loads((folder / "job.json").read_bytes())
    limits, ocr = _LIMITS.validate_python(job["limits"]), _OCR.validate_python(job["ocr"])
    confine(limits)
    try:
        from indexer.documents.read import read_document

        data = (folder / "document").read_bytes()
        read = read_document(data, limits, ocr, partial(note_pages, folder), KeptPages(folder / PAGES_FILE))
        answer = b'{"document":' + _READ.dump_json(read) + b"}"
    except DocumentRefused as refused:
        answer = json.dumps({"reason": refused.reason, "message": str(refused)}).encode()
    except MemoryError:
        return OUT_OF_MEMORY
    (folder / "answer.json").write_bytes(answer)
    return 0


def confine(limits: Limits) -> None:
    """Limits address space, processor time and output size; no core dumps. Grandchildren (OCR) inherit the limits."""
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_ANSWER, _LARGEST_ANSWER))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1])))
