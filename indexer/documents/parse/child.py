"""The process that reads one document: ``python -m indexer.documents.parse.child JOB``. It sets its limits and leaves
the rest of the machine before it reads.

JOB is a folder with ``job.json`` and ``document``; the process writes ``answer.json`` there. Exit code 0: the answer
holds a document or a named refusal; 3: out of memory; anything else: it crashed.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import Image, UnidentifiedImageError
from pydantic import TypeAdapter

from indexer.documents.parse.confinement import confine_process
from indexer.documents.parse.job_files import (
    PAGES_FILE,
    PageProgress,
    PageStore,
    ignore_pages,
    read_untrusted,
    write_progress,
)
from indexer.documents.parse.limits import Allowance, DocumentRefused, Limits, Ocr, Reason, file_kind
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import assemble, read_pdf
from indexer.documents.parse.pdf.recogniser import Recogniser
from indexer.documents.parse.pdf.tesseract import Picture
from indexer.documents.parse.read_docx import read_docx
from indexer.documents.parse.read_html import read_html
from indexer.documents.parse.read_text import read_text

_USUAL_DPI = 200.0
_MOST_PIXELS = 60_000_000


def read_document(
    data: bytes, limits: Limits, ocr: Ocr, progress: PageProgress = ignore_pages, store: PageStore | None = None
) -> ReadDocument:
    """Calls ``progress`` after each page of a PDF or image, and adds the page to ``store``.

    Raises DocumentRefused with the reason.
    """
    store = store or PageStore()
    if len(data) > limits.max_bytes:
        raise DocumentRefused("too_large", f"The file has {len(data):,} bytes; at most {limits.max_bytes:,} are read.")
    kind = file_kind(data)
    if kind == "pdf":
        return read_pdf(data, limits, ocr, progress, store)
    if kind == "image":
        return _read_image(data, limits, ocr, progress, store)
    if kind == "html":
        return read_html(data, limits)
    if kind == "docx":
        return read_docx(data, limits)
    return read_text(data, limits)


def _read_image(data: bytes, limits: Limits, ocr: Ocr, progress: PageProgress, store: PageStore) -> ReadDocument:
    """A page image (PNG, JPEG, or TIFF with one page per frame)."""
    if ocr.command is None:
        raise DocumentRefused("unsupported", f"A page image needs OCR, and {ocr.absence}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            picture = Image.open(io.BytesIO(data))
        if picture.width * picture.height > _MOST_PIXELS:
            raise DocumentRefused("too_large", f"The picture has {picture.width} x {picture.height} points.")
        allowance = Allowance(limits)
        frames = min(getattr(picture, "n_frames", 1), ocr.most_pages)
        if frames < getattr(picture, "n_frames", 1):
            allowance.note_ocr_pages(frames)
        pages = store.read()
        recogniser = Recogniser(ocr, limits, {page.number for page in pages})
        for number in range(len(pages) + 1, frames + 1):
            picture.seek(number - 1)
            pages.append(recogniser.whole_page(number, partial(_grey, picture), "it is a picture"))
            store.add(pages[-1])
            progress(number, frames)
    except (
        UnidentifiedImageError,
        OSError,
        SyntaxError,
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
    ) as e:
        raise DocumentRefused("damaged", f"The picture cannot be opened: {str(e)[:200]}") from None
    return assemble(pages, {}, {}, "image", allowance)


def _grey(picture: Image.Image) -> Picture:
    return Picture(picture.convert("L"), _dpi(picture))


def _dpi(picture: Image.Image) -> float:
    dpi = picture.info.get("dpi", (0, 0))[0]
    return float(dpi) if 70 <= float(dpi) <= 1200 else _USUAL_DPI


OUT_OF_MEMORY = 3
_LARGEST_FILE = 512 * 1024 * 1024
_ANSWER_FILE = "answer.json"
_LONGEST_MESSAGE = 500
_READ = TypeAdapter(ReadDocument)
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
    most = limits.max_answer_bytes // (1024 * 1024)
    return DocumentRefused("too_large", f"What was read of it takes more than {most} MiB, so it is not taken over.")


def run(folder: Path) -> int:
    job = json.loads((folder / "job.json").read_bytes())
    limits, ocr = _LIMITS.validate_python(job["limits"]), _OCR.validate_python(job["ocr"])
    limit_resources(limits)
    try:
        from indexer.documents.parse.child import read_document

        confine_process(folder, [ocr.command] if ocr.command else [])
        data = (folder / "document").read_bytes()
        read = read_document(data, limits, ocr, partial(write_progress, folder), PageStore(folder / PAGES_FILE))
        answer = b'{"document":' + _READ.dump_json(read) + b"}"
        if len(answer) > limits.max_answer_bytes:
            raise _too_large(limits)
    except DocumentRefused as refused:
        answer = json.dumps({"reason": refused.reason, "message": str(refused)}).encode()
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
