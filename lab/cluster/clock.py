"""Another clock for Sonde's processes, by libfaketime."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

DEBIAN_FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
"""Where Debian's package ``libfaketime`` puts it."""

_ZERO_OFFSET = "+0"
_PROBE = "import time; time.sleep(0.01)"
_PROBE_S = 30.0


def clock_environment(library: Path, offset: Path) -> Mapping[str, str]:
    """Variables that make a process's clock follow the file ``offset`` (``+7200``: seconds ahead).

    The monotonic clock, which no administrator can set, does not follow.
    """
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "NO_FAKE_STAT": "1",  # what stands on the disk does not move with the clock
    }


def reset_clock(offset: Path) -> None:
    """The clock of those that follow ``offset`` is that of the machine."""
    offset.write_text(_ZERO_OFFSET, "utf-8")


def clock_trouble(library: Path) -> str | None:
    """Why our processes cannot run with it, as a sentence; None if they can.

    0.9.10, which Debian 12 has, hands Linux a wrong time whenever Python 3.11 sleeps
    (https://github.com/wolfcw/libfaketime/issues/426); later ones do not.
    """
    if not library.exists():
        return f"there is no libfaketime at {library}; name one by --faketime"
    with tempfile.TemporaryDirectory(prefix="sonde-clock-") as folder:
        offset = Path(folder) / "clock"
        reset_clock(offset)
        environment = {**os.environ, **clock_environment(library, offset)}
        process = subprocess.run(  # noqa: S603  # nosec B603: a constant
            [sys.executable, "-c", _PROBE], env=environment, capture_output=True, timeout=_PROBE_S, check=False
        )
    if process.returncode:
        return f"Python cannot sleep with {library}; one later than 0.9.10 is needed, name it by --faketime"
    return None
