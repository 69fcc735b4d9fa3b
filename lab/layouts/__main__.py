"""``python -m lab.layouts make FOLDER`` writes PDFs with their truth; ``score`` reads them anew and compares.

Half of the families (``CHOSEN``) may be looked at while the parser is mended; the figures of the others count.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from lab.layouts.contents import Author
from lab.layouts.papers import PAPERS
from lab.layouts.prints import PRINTS, SIZES
from lab.layouts.reports import REPORTS
from lab.layouts.score import Score, score_document
from lab.layouts.sheet import Sheet, Truth

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
    parser = argparse.ArgumentParser(prog="python -m lab.layouts", description=__doc__)
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
