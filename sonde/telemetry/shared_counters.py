"""Counters shared by the processes of one API, as in prometheus_client: files in one folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def share_counters(processes: int) -> None:
    """Call this before prometheus_client is first imported; the processes of one gunicorn have one parent.

    A single process needs no files. A configured folder is kept.
    """
    if processes < 2 or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        return
    folder = Path(tempfile.gettempdir()) / f"sonde-counters-{os.getuid()}-{os.getppid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return  # owned by somebody else: count per process instead of writing files into it
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
