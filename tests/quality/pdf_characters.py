"""How much running text is kept, and how much of heads, feet and margins is dropped, on three hand-checked files.

A person looked at the pages and noted, in points from the top and left, where running text stands and where heads,
feet and line numbers stand, on pages without figures, tables and set formulas. The reference is what pdfium itself
reads in those places; only the characters' source is shared with what is measured, none of layout, order, joining or
cleaning.

    python -m tests.quality.pdf_characters ../shared/data/pdfs
"""

from __future__ import annotations

import json
import sys
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pypdfium2 as pdfium

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import read_pdf

_STRETCH = 12
"""Letters: a letter of the reference is kept where it stands in a stretch of so many that was kept in this order."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Left, top, right, bottom in points."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class HandChecked:
    """``text_pages``: only running text (and code) there. ``furniture``: of the pages ``furnished``."""

    text: Zone
    text_pages: tuple[int, ...]
    furniture: tuple[Zone, ...]
    furnished: tuple[int, ...]


FILES = {
    "use-the-disturbance.pdf": HandChecked(Zone(0, 60, 612, 760), (1, 2), (Zone(0, 0, 612, 60),), tuple(range(2, 12))),
    "NES_manuscript.pdf": HandChecked(
        Zone(54, 20, 595, 610), (1, 3, 8, 11), (Zone(0, 615, 595, 680), Zone(0, 20, 52, 610)), (1, 3, 8)
    ),
    "jss816.pdf": HandChecked(
        Zone(0, 95, 595, 800), (2, 4, 6, 7, 11, 13, 19), (Zone(0, 0, 595, 90),), tuple(range(2, 32))
    ),
}


def letters(text: str) -> str:
    """Letters alone, folded, so that hyphens, spaces, ligatures and accents do not count."""
    folded = unicodedata.normalize("NFKD", text).lower()
    return "".join(one for one in folded if one.isalpha() and one < "\u0250")


def stretches_kept(reference: str, text: str, length: int = _STRETCH) -> int:
    """How many characters of the reference stand in stretches of ``length`` that occur in the text."""
    held = [False] * len(reference)
    for at in range(len(reference) - length + 1):
        if reference[at : at + length] in text:
            held[at : at + length] = [True] * length
    return sum(held)


def words_of(page: pdfium.PdfPage, zone: Zone) -> str:
    height = page.get_size()[1]
    bounds = (zone.left, height - zone.bottom, zone.right, height - zone.top)
    return str(page.get_textpage().get_text_bounded(*bounds))


def text_of(document: ReadDocument, page: int) -> str:
    """What was kept of a page, tables and references too."""
    blocks = [
        f"{block.text} {' '.join(block.lines)}"
        for block in document.blocks
        if block.first_page is not None and block.first_page <= page <= (block.last_page or block.first_page)
    ]
    return " ".join([*blocks, *document.references])


def measure(data: bytes, checked: HandChecked) -> dict[str, float | int]:
    """Shares (0..1) of characters of running text kept, and of furniture dropped."""
    document, source = read_pdf(data, Limits(), Ocr(command=None)), pdfium.PdfDocument(data)
    running = kept = furniture = left = 0
    for page in checked.text_pages:
        reference = letters(words_of(source[page - 1], checked.text))
        running += len(reference)
        kept += stretches_kept(reference, letters(text_of(document, page)))
    for page in checked.furnished:
        body = words_of(source[page - 1], checked.text)
        for zone in checked.furniture:
            for said in filter(None, map(str.strip, words_of(source[page - 1], zone).splitlines())):
                furniture += len(said)
                left += len(said) if is_left(said, text_of(document, page), body) else 0
    return {
        "characters": running,
        "kept": kept / running,
        "furniture": furniture,
        "dropped": 1.0 - left / furniture,
    }


def is_left(said: str, text: str, body: str) -> bool:
    """Whether a line of furniture stands in the text; a number does where it stands there oftener than in the body."""
    if said.isdigit():
        return text.split().count(said) > body.split().count(said)
    return " ".join(said.split()) in " ".join(text.split())


def main(folder: Path) -> int:
    report = {name: measure((folder / name).read_bytes(), checked) for name, checked in FILES.items()}
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
