"""The share of a page's words that reach something named: ``python -m tests.quality.pdf_words FOLDER``.

``placed``: by layout alone; ``kept``: with what is added as plain text where layout placed too little. Words of three
letters and more, pages with a text layer, in the folder and its ``second``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pypdfium2 as pdfium

from indexer.documents.parse.pdf.read_pdf import Coverage, document_share, lay_out_whole
from indexer.documents.parse.pdf.text_layer import read_page


def covered(path: Path) -> list[Coverage]:
    document = pdfium.PdfDocument(path)
    pages = [read_page(document, index) for index in range(len(document))]
    return lay_out_whole(pages)[1]


def kept(page: Coverage) -> float:
    return 1.0 if page.is_low else page.share


def main(folder: Path) -> int:
    rows: dict[str, dict[str, float]] = {}
    every: list[Coverage] = []
    for path in sorted([*folder.glob("*.pdf"), *folder.glob("second/*.pdf")]):
        pages = covered(path)
        if not pages:
            continue
        every += pages
        rows[path.name] = {
            "placed": round(document_share(pages), 4),
            "worst page kept": round(min(map(kept, pages)), 4),
        }
    words = sum(page.words for page in every)
    total = {
        "pages": len(every),
        "words": words,
        "placed": round(document_share(every), 4),
        "kept": round(sum(kept(page) * page.words for page in every) / words, 4),
        "worst page kept": round(min(map(kept, every)), 4),
    }
    sys.stdout.write(json.dumps({**rows, "all": total}, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
