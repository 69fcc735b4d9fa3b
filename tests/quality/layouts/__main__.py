"""``python -m tests.quality.layouts make FOLDER`` writes PDFs with their truth; ``score`` reads them anew and compares.

Half of the families (``CHOSEN``) may be looked at while the parser is mended; the figures of the others count.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from indexer.documents.parse.clean import letters
from indexer.documents.parse.limits import Limits, Ocr
from indexer.documents.parse.model import ReadDocument, Table
from indexer.documents.parse.pdf.read_pdf import read_pdf
from tests.quality.layouts.contents import Author
from tests.quality.layouts.papers import PAPERS
from tests.quality.layouts.prints import PRINTS, SIZES
from tests.quality.layouts.reports import REPORTS
from tests.quality.layouts.sheet import Sheet, TrueTable, Truth

_SAME_TABLE = 0.5  # of the cells of both
_ALL_BUT_FEW = 0.97


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of documents, of tables and of paragraphs; processor seconds."""

    documents: int = 0
    pages: int = 0
    titles: int = 0
    authors: int = 0
    years: int = 0
    tables: int = 0
    found: int = 0
    right: int = 0
    heads: int = 0
    false: int = 0
    paragraphs: int = 0
    whole: int = 0
    seconds: float = 0.0
    faults: tuple[str, ...] = field(default=())

    def __add__(self, other: Score) -> Score:
        return Score(*(getattr(self, item.name) + getattr(other, item.name) for item in fields(self)))

    def figures(self) -> dict[str, float]:
        """Shares; false tables of 100 pages; seconds of a page. Right: rows, columns and cells."""
        tables, documents, pages = max(self.tables, 1), max(self.documents, 1), max(self.pages, 1)
        return {
            "documents": self.documents,
            "pages": self.pages,
            "titles": round(self.titles / documents, 3),
            "authors": round(self.authors / documents, 3),
            "years": round(self.years / documents, 3),
            "tables": self.tables,
            "tables found": round(self.found / tables, 3),
            "tables right": round(self.right / tables, 3),
            "header rows right": round(self.heads / tables, 3),
            "false tables per 100 pages": round(100.0 * self.false / pages, 2),
            "paragraphs whole": round(self.whole / max(self.paragraphs, 1), 3),
            "seconds per page": round(self.seconds / pages, 3),
        }

    def __str__(self) -> str:
        return "  ".join(f"{name} {value:g}" for name, value in self.figures().items())


def score_document(data: bytes, truth: Truth) -> Score:
    start = time.process_time()
    document = read_pdf(data, Limits(), Ocr(command=None))
    seconds = time.process_time() - start
    front, faults = document.front, []
    year = int(front.published[:4]) if front.published else None
    for name, read_value, true_value in (
        ("title", front.title, truth.title),
        ("authors", list(front.authors), truth.authors),
        ("year", year, truth.year),
    ):
        if not _same(read_value, true_value):
            faults.append(f"{name}: {read_value!r} for {true_value!r}")
    missing = [text for text in truth.paragraphs if letters(text) not in _all_letters(document)]
    pairs = _pairs(document.tables, truth.tables)
    right = [(table, true_table) for table, true_table in pairs if _is_right(table, true_table)]
    faults += _table_faults(document.tables, truth, pairs)
    return Score(
        documents=1,
        pages=document.pages,
        titles=_same(front.title, truth.title),
        authors=_same(list(front.authors), truth.authors),
        years=year == truth.year,
        tables=len(truth.tables),
        found=len(pairs),
        right=len(right),
        heads=sum(table.header_rows == true_table.header for table, true_table in right),
        false=len(document.tables) - len(pairs),
        paragraphs=len(truth.paragraphs),
        whole=len(truth.paragraphs) - len(missing),
        seconds=seconds,
        faults=(*faults, *(f"paragraph broken: {text[:60]}" for text in missing[:2])),
    )


def _same(read_value: object, true_value: object) -> bool:
    if isinstance(read_value, str) and isinstance(true_value, str):
        return letters(read_value) == letters(true_value)
    if isinstance(read_value, list) and isinstance(true_value, list):
        return [letters(name) for name in read_value] == [letters(name) for name in true_value]
    return read_value == true_value


def _all_letters(document: ReadDocument) -> str:
    return letters(" ".join(block.text for block in document.blocks))


def _pairs(tables: Sequence[Table], true_tables: Sequence[TrueTable]) -> list[tuple[Table, TrueTable]]:
    """Each true table with the first one read on its page that shares most cells."""
    free_tables, pairs = list(tables), []
    for true_table in true_tables:
        match = next(
            (t for t in free_tables if t.page == true_table.page and _shared(t, true_table) >= _SAME_TABLE), None
        )
        if match is not None:
            free_tables.remove(match)
            pairs.append((match, true_table))
    return pairs


def _shared(table: Table, true_table: TrueTable) -> float:
    """The words that both have, of the words that either has."""
    words = {word for row in table.rows for cell in row for word in cell.split()}
    true_words = {word for row in true_table.rows for cell in row for word in cell.split()}
    return len(words & true_words) / max(len(words | true_words), 1)


def _is_right(table: Table, true_table: TrueTable) -> bool:
    """Rows, columns and nearly all cells; a head over several columns may lie in any of them."""
    if len(table.rows) != len(true_table.rows) or table.columns != len(true_table.rows[0]):
        return False
    same = sum(
        [letters(cell) for cell in row if cell] == [letters(cell) for cell in true_row if cell]
        if number < true_table.header
        else [letters(cell) for cell in row] == [letters(cell) for cell in true_row]
        for number, (row, true_row) in enumerate(zip(table.rows, true_table.rows, strict=True))
    )
    return same >= _ALL_BUT_FEW * len(table.rows)


def _table_faults(tables: Sequence[Table], truth: Truth, pairs: Sequence[tuple[Table, TrueTable]]) -> list[str]:
    faults = []
    for true_table in truth.tables:
        table = next((table for table, pair in pairs if pair is true_table), None)
        shape = f"{len(true_table.rows)} x {len(true_table.rows[0])} h{true_table.header} {true_table.style}"
        if table is None:
            faults.append(f"table missed, page {true_table.page}: {shape}")
        elif not _is_right(table, true_table):
            faults.append(
                f"table wrong, page {true_table.page}: {len(table.rows)} x {table.columns} {table.found_by} for {shape}"
            )
        elif table.header_rows != true_table.header:
            faults.append(f"header rows, page {true_table.page}: {table.header_rows} for {shape} {table.found_by}")
    paired = [id(table) for table, _ in pairs]
    faults += [f"table false, page {t.page}: {t.found_by} {t.rows[:2]}" for t in tables if id(t) not in paired]
    return faults


FAMILIES = {layout.__name__: layout for layout in (*PAPERS, *REPORTS, *PRINTS)}
CHOSEN = (
    "sidebar_letter",
    "alternating",
    "dotted_names",
    "society",
    "proceedings",
    "memorandum",
    "german_agency",
    "word_print",
    "manual",
    "barred_slides",
    "form",
    "leaflet",
)
"""The families that choices are made on: every second one."""


def make(family: str, seed: int) -> tuple[bytes, Truth]:
    """The same file for the same seed."""
    author = Author(seed * 1000 + sorted(FAMILIES).index(family))
    sheet = Sheet(family, *SIZES.get(family, (595.0, 842.0)), font="sans" if author.chance(0.3) else "serif")
    FAMILIES[family](author, sheet)
    return sheet.data(), sheet.truth


def documents(count: int, first: int) -> Iterator[tuple[str, bytes, Truth]]:
    for family in FAMILIES:
        for seed in range(first, first + count):
            yield (f"{family}-{seed}", *make(family, seed))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.quality.layouts", description=__doc__)
    parser.add_argument("command", choices=("make", "score"))
    parser.add_argument("folder", nargs="?", type=Path, help="where make writes")
    parser.add_argument("--count", type=int, default=6, help="documents of each family (default: 6)")
    parser.add_argument("--first", type=int, default=1, help="seed of the first (default: 1)")
    parser.add_argument("--faults", action="store_true", help="name each fault of the chosen families")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    if options.command == "make":
        _write(options.folder or Path("layouts"), options.count, options.first)
        return
    scores: dict[str, Score] = {}
    for name, data, truth in documents(options.count, options.first):
        score = score_document(data, truth)
        scores[truth.family] = scores.get(truth.family, Score()) + score
        if options.faults and truth.family in CHOSEN:
            print(*(f"{name}: {fault}" for fault in score.faults), sep="\n", end="\n" if score.faults else "")  # noqa: T201
    _report(scores, options.json)


def _write(folder: Path, count: int, first: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data, truth in documents(count, first):
        (folder / f"{name}.pdf").write_bytes(data)
        (folder / f"{name}.json").write_text(json.dumps(asdict(truth), ensure_ascii=False), encoding="utf-8")


def _report(scores: dict[str, Score], path: Path | None) -> None:
    halves = {
        "chosen on": sum((scores[family] for family in CHOSEN), Score()),
        "left out": sum((score for family, score in scores.items() if family not in CHOSEN), Score()),
    }
    for name, score in {**scores, **halves}.items():
        print(f"{name:16}", score)  # noqa: T201
    if path is not None:
        figures = {"halves": {name: score.figures() for name, score in halves.items()}}
        families = {name: score.figures() for name, score in scores.items()}
        path.write_text(
            json.dumps({**figures, "families": families, "chosen": CHOSEN}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
