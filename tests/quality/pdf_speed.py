"""Processor time to read a page (text layer and layout): ``python -m tests.quality.pdf_speed FOLDER``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median

from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf


def main(folder: Path) -> int:
    rows: dict[str, str] = {}
    per_page: list[float] = []
    for path in sorted(folder.glob("*.pdf")):
        data = path.read_bytes()
        started = time.process_time()
        try:
            pages = read_pdf(data, Limits(), Ocr(command=None)).pages
        except DocumentRefused as refused:
            rows[path.name] = refused.reason
            continue
        seconds = (time.process_time() - started) / pages
        rows[path.name] = f"{seconds:.3f} s a page over {pages} pages"
        per_page += [seconds] * pages
    sys.stdout.write(json.dumps({**rows, "p50 s a page (processor time)": round(median(per_page), 4)}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
