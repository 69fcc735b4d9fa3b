"""The notebook of the docs runs from its first cell to its last, in a kernel, and shows what its text says."""

from __future__ import annotations

import nbformat

from tests.agents import apart
from tests.client.notebook import NOTEBOOK, executed
from tests.live import serving
from tests.service import Service


def shown(notebook: nbformat.NotebookNode, media: str) -> list[str]:
    return [
        output["data"][media]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if media in output.get("data", {})
    ]


def test_every_cell_runs_and_shows_what_is_kept(samples: Service) -> None:
    with serving(samples.app) as url:
        run = apart(lambda: executed(url))
    kept = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell.source for cell in run.cells] == [cell.source for cell in kept.cells]
    assert any(
        "<svg" in page and "covers 100 % of the box around Southern Africa" in page for page in shown(run, "text/html")
    )
    assert [len(cell.get("outputs", ())) for cell in run.cells] == [len(cell.get("outputs", ())) for cell in kept.cells]
    # Not the scores and addresses, which may change.
    assert shown(run, "text/plain")[-1] == shown(kept, "text/plain")[-1]
