"""Reads a file that the process which reads a document wrote: whatever it is, it costs little and leads nowhere."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def handed_over(file: Path, most: int) -> bytes | None:
    """The content, None if it has more than ``most`` bytes.

    Raises OSError if it is not there, or no plain file: a link would lead elsewhere, and a pipe would make us wait.
    """
    opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(opened, "rb") as content:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(f"{file.name} is no plain file")
        found = content.read(most + 1)
    return found if len(found) <= most else None
