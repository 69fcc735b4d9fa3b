"""Makes a folder in the cache atomically, by one process at a time."""

from __future__ import annotations

import errno
import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from core.errors import ModelMissing


@contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Locks ``folder`` for one process; the system releases the lock even if the process is killed.

    Raises ModelMissing if the lock's file, next to ``folder``, cannot be written.
    """
    with _lock_file(folder) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock_file(folder: Path) -> TextIO:
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return (folder.parent / f".{folder.name}.lock").open("w")
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise
        raise ModelMissing(
            f"the model {folder.name} is not in {folder.parent}, and this folder is read-only: run `python -m"
            " sonde.ops.prepare_models` with SONDE_MODELS__FOLDER naming a writable folder, and serve from it"
        ) from None


@contextmanager
def publish_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that becomes ``folder`` at the end, unless the body raises."""
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        yield temporary
        shutil.rmtree(folder, ignore_errors=True)  # of an older, incomplete attempt
        temporary.chmod(0o755)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
