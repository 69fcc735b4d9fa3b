"""The lines of a state. Each part runs in a separate process, so its lines do not depend on other parts."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path

import click
import structlog

from core.json_types import Json
from es_mappings.codecs.records import to_document
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.formats.registry import read
from indexer.raw import RecordRefused
from indexer.sources.folder import FolderSource
from tests.freeze.calls import Call, ask_calls, course_calls, judged_calls, listing_calls, option_calls
from tests.freeze.lines import Line, digest
from tests.freeze.service import FrozenService, frozen_service

EIGHTH = 8
_PDFS = (
    "10.21105.jose.00037.pdf", "10.21105.jose.00090.pdf", "NES_manuscript.pdf", "diversity-vegan.pdf", "gstat.pdf",
    "marelac.pdf", "rloadest-app1.pdf", "seawaveQ.pdf", "second/banta-damping.pdf", "second/clino-format.pdf",
    "second/euler-tutorial.pdf", "third/modflow-time-varying.pdf", "use-the-disturbance.pdf",
)  # fmt: skip


def record_lines(catalogues: Path) -> Iterator[Line]:
    """A line for one in eight documents of the archives."""
    number = 0
    for archive in sorted(catalogues.glob("*.tar.gz")):
        for page in FolderSource(archive).pages():
            for raw in page.records:
                number += 1
                if number % EIGHTH == 0:
                    name = f"record {archive.name} {number}: {raw.origin.rpartition('!')[2]} {raw.native_id}"
                    try:
                        yield {"name": name, "digest": digest(to_document(read(raw, "frozen")))}
                    except RecordRefused as refused:
                        yield {"name": name, "reason": str(refused)}


def pdf_lines(folder: Path) -> Iterator[Line]:
    """A line for each PDF of a dozen."""
    for file_name in _PDFS:
        name = f"pdf {file_name}"
        try:
            yield {
                "name": name,
                "digest": digest(read_pdf((folder / file_name).read_bytes(), Limits(), Ocr(command=None))),
            }
        except DocumentRefused as refused:
            yield {"name": name, "reason": refused.reason}


PARTS = ("courses", "courses-box", "judged", "listings", "options", "ask", "records", "pdfs")
"""The 360 questions without and in a box, judged sets, listing protocols, options of a search, answers; and what
documents are read as. The longest begin first.
"""
_BOX = "-20,-40,60,72"


def state_lines(about: Json, parts: Sequence[str], shared: Path, processes: int) -> Iterator[Line]:
    """Each line names its part. ``about``: prefix and key, as a file of a state begins."""
    os.environ["PYTHONHASHSEED"] = "0"  # of the processes: prefixes of Turtle are numbered in the order of a set
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        for lines in pool.map(partial(_part, about, shared), parts):
            yield from lines


def _part(about: Json, shared: Path, part: str) -> list[Line]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    started_s = time.monotonic()
    if part == "records":
        lines = list(record_lines(shared / "catalogues"))
    elif part == "pdfs":
        lines = list(pdf_lines(shared / "pdfs"))
    else:
        with frozen_service(about["prefix"], datetime.now(UTC), about["key"]) as service:
            lines = [line for call in _calls(part, service, shared) for line in service.lines(call)]
    click.echo(f"{part}: {len(lines)} lines, {time.monotonic() - started_s:.0f} s", err=True)
    return [{**line, "part": part} for line in lines]


def _calls(part: str, service: FrozenService, shared: Path) -> Iterator[Call]:
    match part:
        case "courses":
            return course_calls(None)
        case "courses-box":
            return course_calls(_BOX)
        case "judged":
            return judged_calls(shared)
        case "options":
            return option_calls()
        case "ask":
            return ask_calls()
    return _listings(service)


def _listings(service: FrozenService) -> Iterator[Call]:
    @lru_cache
    def ids(source: str) -> list[str]:
        return service.ids(f"/collections/{source}/items?limit=100", step=40)

    items = service.ids("/stac/search?limit=100", step=40)
    return listing_calls(ids, items, service.ids("/documents?limit=100", limit=6))
