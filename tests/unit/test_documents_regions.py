"""Layout regions beside running text: a watermark across the page, a set formula with its number."""

from __future__ import annotations

from dataclasses import dataclass

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from tests.pdf_files import PdfPage, Put, paragraph, pdf

BODY = [f"Sentence number {word} tells of the water in the lake today." for word in ("one", "two", "three", "four")]


@dataclass
class Stamped(PdfPage):
    """A page with DRAFT written large and aslant across it."""

    def content(self) -> bytes:
        stamp = b"BT /F2 64 Tf 0.7071 0.7071 -0.7071 0.7071 180 380 Tm (DRAFT) Tj ET"
        return super().content() + b"\n" + stamp


def test_a_watermark_is_a_region_of_its_own_and_no_text() -> None:
    document = read_pdf(pdf([Stamped(paragraph(72, 100, BODY))]), Limits(), Ocr(command=None))
    (mark,) = [one.text for one in document.regions if one.kind == "watermark"]
    assert mark.replace(" ", "") == "DRAFT"
    assert "DRAFT" not in " ".join(block.text for block in document.blocks)
    assert " ".join(block.text for block in document.blocks) == " ".join(BODY)


def test_a_numbered_formula_is_a_region_of_its_own_and_is_kept() -> None:
    lines = [*paragraph(72, 100, BODY), Put(220, 170, "a = b + c"), Put(480, 170, "(7)"), *paragraph(72, 200, BODY)]
    document = read_pdf(pdf([PdfPage(lines)]), Limits(), Ocr(command=None))
    (formula,) = [one.text for one in document.regions if one.kind == "formula"]
    assert formula.split() == ["a", "=", "b", "+", "c", "(7)"]
    assert any(block.kind == "formula" for block in document.blocks)
