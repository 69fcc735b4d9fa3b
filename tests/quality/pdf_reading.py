"""What is read of the PDFs against what a reader sees (pdf_truth.json): ``python -m tests.quality.pdf_reading FOLDER``.

Titles, authors and years right of those noted; sections found; tables true, found, right (rows and columns as printed)
and false; processor seconds a page; the share of words kept.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument, Table
from indexer.documents.parse.pdf.read_pdf import read_pdf

TRUTH = Path(__file__).with_name("pdf_truth.json")
Json = dict[str, Any]


def letters(text: str) -> str:
    """Letters and digits alone, lower case: hyphens, spaces and quotation marks do not count."""
    return re.sub(r"[\W_]+", "", text.casefold())


def truth() -> dict[str, Json]:
    noted: dict[str, Json] = json.loads(TRUTH.read_text("utf-8"))
    return {name: seen for name, seen in noted.items() if name != "about"}


def text_of(document: ReadDocument) -> str:
    """All that can be searched, in its order."""
    return letters(" ".join(_texts(document)))


def _texts(document: ReadDocument) -> Iterator[str]:
    for block in document.blocks:
        yield block.text
        if block.table is not None:
            yield block.table.caption
            yield from (cell for row in block.table.rows for cell in row)


def tables_judged(document: ReadDocument, seen: Json) -> tuple[int, int, list[str]]:
    """How many of the noted tables are found (on their page, by their first cell or their columns), how many have the
    rows and columns that are printed, and what was found that is none."""
    open_ = [(b.first_page, b.table) for b in document.blocks if b.table is not None]
    found = right = 0
    for page, rows, columns, first, _ in seen.get("tables", []):
        fits = [
            one for one in open_ if one[0] == page and letters(_printed(one[1])[0][0]).startswith(letters(first)[:12])
        ]
        exact = [one for one in fits if (len(_printed(one[1])), one[1].columns) == (rows, columns)]
        chosen = (exact or [one for one in fits if one[1].columns == columns] or fits)[:1]
        found += len(chosen)
        right += len(exact[:1])
        open_ = [one for one in open_ if one not in chosen]
    return found, right, [f"p{page}: {len(table.rows)}x{table.columns}" for page, table in open_]


def _printed(table: Table) -> tuple[tuple[str, ...], ...]:
    """The rows on the table's own page."""
    return table.rows[table.carried_rows :]


def judged(document: ReadDocument, seen: Json) -> Json:
    front = document.front
    row: Json = {}
    if seen.get("title"):
        row["title"] = letters(front.title) == letters(seen["title"])
    if "authors" in seen:
        row["authors"] = [letters(a) for a in front.authors] == [letters(a) for a in seen["authors"]]
    if "year" in seen:
        row["year"] = (front.published or "")[:4] == (seen["year"] or "")
    if "doi" in seen:
        row["doi"] = front.doi == seen["doi"]
    if "sections" in seen:
        heads = {letters(block.text) for block in document.blocks if block.kind == "heading"}
        row["sections"] = [sum(letters(one) in heads for one in seen["sections"]), len(seen["sections"])]
    if "feet" in seen:
        text = text_of(document)
        row["feet_in_text"] = [sum(letters(one) in text for one in seen["feet"]), len(seen["feet"])]
    if "tables" in seen:
        found, right, false = tables_judged(document, seen)
        row["tables"] = {"true": len(seen["tables"]), "found": found, "right": right, "false": false}
    row["coverage"] = getattr(document, "coverage", None)
    return row


def main(folder: Path) -> int:
    rows: dict[str, Json] = {}
    for name, seen in truth().items():
        path = folder / seen["path"] / name
        if not path.exists():
            continue
        data = path.read_bytes()
        started = time.process_time()
        document = read_pdf(data, Limits(), Ocr(command=None))
        took = (time.process_time() - started) / document.pages
        rows[name] = {**judged(document, seen), "seconds_a_page": round(took, 3), "title_read": document.front.title}
    sys.stdout.write(json.dumps({**rows, "all": _summed(list(rows.values()))}, indent=1, ensure_ascii=False) + "\n")
    return 0


def _summed(rows: list[Json]) -> Json:
    out: Json = {}
    for part in ("title", "authors", "year", "doi"):
        known = [row[part] for row in rows if part in row]
        out[part] = f"{sum(known)} of {len(known)}"
    sections = [row["sections"] for row in rows if "sections" in row]
    out["sections"] = f"{sum(one[0] for one in sections)} of {sum(one[1] for one in sections)}"
    tables = [row["tables"] for row in rows if "tables" in row]
    out["tables"] = {part: sum(one[part] for one in tables) for part in ("true", "found", "right")}
    out["tables"]["false"] = sum(len(one["false"]) for one in tables)
    return out


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
