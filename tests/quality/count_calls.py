"""``python -m tests.quality.count_calls``: what a newcomer reads. Counts files, functions and calls of one search.

One hybrid ``GET /search`` with a topic and a box, asked before so that all is loaded and remembered, under
``sys.setprofile``; and the size of the product's modules.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from types import CodeType, FrameType
from typing import Any

import click
import structlog

from core.json_types import Json
from sonde.cli.options import FILE
from sonde.ops.measured import write_measurement
from tests.freeze.calls import CHECKOUT
from tests.freeze.service import frozen_service

PRODUCT = (
    "core", "encoders", "es_gateway", "es_mappings", "evaluation", "helm", "indexer", "integrations", "lab",
    "local_stack", "net", "reading", "samples", "search_api", "sonde", "sonde_client", "training", "workers",
)  # fmt: skip
_QUESTION = {"q": "rainfall in southern Africa", "bbox": "10,-35,41,-8"}


@dataclass(slots=True)
class Calls:
    """The profiler's calls of Python code of files below ``folders``, comprehensions included.

    ``resumed``: those of them that only went on with a generator. ``moves``: calls from one of the files into another.
    """

    folders: tuple[str, ...]
    functions: set[CodeType] = field(default_factory=set)
    calls: int = 0
    resumed: int = 0
    moves: int = 0
    _frames: set[FrameType] = field(default_factory=set)

    @property
    def files(self) -> set[str]:
        return {code.co_filename for code in self.functions}

    def watch(self, work: Callable[[], Any]) -> None:
        """Runs ``work`` in this thread and counts."""
        sys.setprofile(self._event)
        try:
            work()
        finally:
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG002 - the profiler's signature
        if event != "call" or not frame.f_code.co_filename.startswith(self.folders):
            return
        self.functions.add(frame.f_code)
        self.calls += 1
        self.resumed += frame in self._frames
        self._frames.add(frame)
        caller = self._caller(frame)
        if caller is not None and caller != frame.f_code.co_filename:
            self.moves += 1

    def _caller(self, frame: FrameType) -> str | None:
        """The file of the nearest calling frame in Sonde's code."""
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(self.folders):
            caller = caller.f_back
        return caller.f_code.co_filename if caller is not None else None


def search_calls(prefix: str) -> Json:
    """Files, functions, calls and moves of one search on the indices of ``prefix``, and of them in each package."""
    calls = Calls(tuple(f"{CHECKOUT / name}/" for name in PRODUCT if name != "lab"))
    with frozen_service(prefix, datetime.now(UTC), None) as service:
        answer = service.http.get("/search", query_string=_QUESTION)
        calls.watch(lambda: service.http.get("/search", query_string=_QUESTION))
    packages = sorted(Path(name).relative_to(CHECKOUT).parts[0] for name in calls.files)
    return {
        "status": answer.status_code,
        "files": len(calls.files),
        "functions": len(calls.functions),
        "calls": calls.calls,
        "of them resumed generators": calls.resumed,
        "moves between files": calls.moves,
        "files by package": {name: packages.count(name) for name in dict.fromkeys(packages)},
    }


def product_size() -> Json:
    """Modules, their median and greatest number of lines, and all lines; tests are no part of it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", "*.py"]
    file_names = subprocess.run(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True, check=True).stdout
    paths = [path for path in map(Path, file_names.splitlines()) if path.parts[0] in PRODUCT]
    lines = {
        str(path): len((CHECKOUT / path).read_bytes().splitlines()) for path in paths if (CHECKOUT / path).exists()
    }
    longest = max(lines, key=lambda path: lines[path])
    return {
        "modules": len(lines),
        "median lines": median(lines.values()),
        "longest": f"{longest}, {lines[longest]} lines",
        "over 500 lines": sum(count > 500 for count in lines.values()),
        "lines": sum(lines.values()),
    }


@click.command()
@click.option("--prefix", help="Indices to search in, as of `python -m tests.freeze`. Without it only the sizes.")
@click.option("--json", "out", type=FILE, help="Also write the figures here.")
def main(*, prefix: str | None, out: Path | None) -> None:
    """Count files, functions and calls of one hybrid search, and the modules of the product."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    figures = {"product": product_size(), **({"search": search_calls(prefix)} if prefix is not None else {})}
    click.echo(json.dumps(figures, indent=2))
    if out is not None:
        write_measurement(out, figures)


if __name__ == "__main__":
    main()
