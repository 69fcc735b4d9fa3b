"""Counters that the processes of one API add up together, as prometheus_client keeps them: files in one folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def share_counters(processes: int) -> None:
    """To be called before prometheus_client is first imported; the processes of one gunicorn have one parent.

    One process alone needs no files. A folder that is named already stays.
    """
    if processes < 2 or "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        return
    folder = Path(tempfile.gettempdir()) / f"sonde-counters-{os.getuid()}-{os.getppid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return  # somebody else's: rather the counters of one process than files in a stranger's folder
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
