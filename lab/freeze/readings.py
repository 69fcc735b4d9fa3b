"""What documents of catalogues and PDFs become: a digest of each record and of each parsed PDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from es_mappings.codecs.records import to_document
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.formats.refused import RecordRefused
from indexer.formats.registry import read
from indexer.sources.folder import FolderSource
from lab.freeze.lines import Line, digest

EIGHTH = 8
_PDFS = (
    "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf", "NES_manuscript.pdf", "diversity-vegan.pdf", "gstat.pdf",
    "marelac.pdf", "rloadest-app1.pdf", "seawaveQ.pdf", "second/banta-damping.pdf", "second/clino-format.pdf",
    "second/euler-tutorial.pdf", "third/modflow-time-varying.pdf", "use-the-disturbance.pdf",
)  # fmt: skip


def record_lines(catalogues: Path, whole: bool) -> Iterator[Line]:
    """A line for each document of each archive, or for one in eight."""
    every, number = 1 if whole else EIGHTH, 0
    for archive in sorted(catalogues.glob("*.tar.gz")):
        for page in FolderSource(archive).pages():
            for raw in page.records:
                number += 1
                if number % every == 0:
                    name = f"record {archive.name} {number}: {raw.origin.rpartition('!')[2]} {raw.native_id}"
                    try:
                        yield {"name": name, "digest": digest(to_document(read(raw, "frozen")))}
                    except RecordRefused as refused:
                        yield {"name": name, "reason": str(refused)}


def pdf_lines(folder: Path, whole: bool) -> Iterator[Line]:
    """A line for each PDF of a dozen, or for all."""
    paths = sorted(folder.rglob("*.pdf")) if whole else [folder / name for name in _PDFS]
    for path in paths:
        name = f"pdf {path.relative_to(folder)}"
        try:
            yield {"name": name, "digest": digest(read_pdf(path.read_bytes(), Limits(), Ocr(command=None)))}
        except DocumentRefused as refused:
            yield {"name": name, "reason": refused.reason}
