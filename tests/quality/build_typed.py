"""Makes the judged collection ``typed`` anew: ``python -m tests.quality.build_typed [--grades-only]``.

Reads the archives under ``$SONDE_SHARED`` (``../shared`` beside the checkout) and ``samples``; draws the questions with
a fixed seed and writes them, the right records and the halves into ``tests/quality/typed``. ``--grades-only`` keeps the
committed questions and halves and makes the right records anew. The same files give the same bytes.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from evaluation.collections.typed import sources
from indexer.formats.registry import read
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource
from tests.quality.typed_bytes import Said, said_by
from tests.quality.typed_draw import draw, half_of_group
from tests.quality.typed_rule import Borne, Typed, judged, wanted_of

FOLDER = Path(__file__).resolve().parent / "typed"
SAMPLES = Path(__file__).resolve().parents[2] / "samples"

_TUPLES = ("bears", "version")


def said_in(path: Path, source: str, every: int = 1) -> Iterator[tuple[str, Said]]:
    """(record id, what its bytes say) of one record of so many.

    Sonde's reader gives the id and nothing else; what it refuses has none.
    """
    raws = (raw for page in FolderSource(path).pages() for raw in page.records)
    for raw in islice(raws, 0, None, every):
        try:
            name = read(raw, source).id
        except RecordRefused:
            continue
        yield name, said_by(raw.content)


def catalogue(data: Path) -> dict[str, Said]:
    """All records in the order of their sources; of two with one id the first."""
    found: dict[str, Said] = {}
    for source, path in sources(data, SAMPLES).items():
        for name, said in said_in(path, source):
            found.setdefault(name, said)
    return found


def load_questions(folder: Path = FOLDER) -> list[Typed]:
    rows = map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines())
    return [Typed(**{key: tuple(value) if key in _TUPLES else value for key, value in row.items()}) for row in rows]  # type: ignore[arg-type]


def question_lines(questions: Iterable[Typed]) -> Iterator[str]:
    for one in questions:
        yield json.dumps({key: value for key, value in asdict(one).items() if value}, ensure_ascii=False)


def write_questions(questions: Sequence[Typed], folder: Path = FOLDER) -> None:
    _write(folder / "questions.jsonl", question_lines(questions))
    _write(folder / "split.tsv", ["query-id\thalf", *(f"{one.id}\t{half_of_group(one.group)}" for one in questions)])


def write_grades(questions: Sequence[Typed], borne: Mapping[str, Borne], folder: Path = FOLDER) -> None:
    rows = list(judged(questions, borne))
    graded = [
        "query-id\tcorpus-id\tscore",
        *(f"{question}\t{record}\t{points}" for question, record, points, _ in rows),
    ]
    packed = gzip.compress("".join(f"{line}\n" for line in graded).encode(), mtime=0)
    (folder / "qrels.tsv.gz").write_bytes(packed)
    across = (f"{question}\t{record}" for question, record, _, is_across in rows if is_across)
    _write(folder / "across.tsv", ["query-id\tcorpus-id", *across])


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def main() -> None:
    shared = Path(os.environ.get("SONDE_SHARED", Path(__file__).resolve().parents[3] / "shared"))
    said = catalogue(shared / "data")
    if "--grades-only" in sys.argv[1:]:
        questions = load_questions()
        wanted = wanted_of(questions)
        borne = {record: wanted.borne_by(one) for record, one in said.items()}
    else:
        questions, found = draw(said)
        borne = dict(found)
        write_questions(questions)
    write_grades(questions, borne)
    sys.stderr.write(f"{len(questions)} questions over {len(said)} records; see git diff tests/quality/typed\n")


if __name__ == "__main__":
    main()
