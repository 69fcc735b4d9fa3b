"""Reads a document of any known type. Runs in the process that ``isolation`` starts; does not use the network."""

from __future__ import annotations

import io
import warnings
from functools import partial

from PIL import Image, UnidentifiedImageError

from indexer.documents.parse.job_files import PageProgress, PageStore, ignore_pages
from indexer.documents.parse.limits import Allowance, DocumentRefused, Limits, Ocr, file_kind
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
