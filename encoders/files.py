"""A folder in the cache appears whole or not at all, and is made by one process at a time."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Holds the lock beside ``folder``; the system gives it back even where the process is killed."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def published(folder: Path) -> Iterator[Path]:
    """A temporary folder beside it that becomes ``folder`` by one rename, unless the body raises."""
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield draft
        shutil.rmtree(folder, ignore_errors=True)  # an older, broken one
        draft.chmod(0o755)
        draft.replace(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
