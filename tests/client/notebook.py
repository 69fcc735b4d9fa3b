"""``python -m tests.client.notebook URL``: runs docs/portals/notebook.ipynb on a service, keeps what its cells show."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import mock

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "portals" / "notebook.ipynb"


def executed(url: str) -> nbformat.NotebookNode:
    """The notebook with the outputs of its cells, run in a kernel. Raises CellExecutionError if a cell fails."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    # No proxy and no home: the kernel needs this machine alone, and leaves nothing behind.
    environment = {**os.environ, "SONDE_URL": url, "PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
    with mock.patch.dict(os.environ, environment):
        NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(sys.argv[1]), NOTEBOOK)
