"""What is written down of a stack: small JSON files, whole or not at all, and one lock."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local_stack.process import Started


def write_json(path: Path, value: object) -> None:
    """Writes beside, flushes to the disk, renames: after a power cut there is the old file or the new one."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    with temporary.open("w", encoding="utf-8") as stream:
        json.dump(value, stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())
    temporary.replace(path)


def read_json(path: Path) -> Any:
    """What was written, or None where there is nothing or only half of something."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


_RESTARTS_KEPT = 20


class Records:
    """Which process each part of a stack is, in ``run/NAME.json``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._restarts = folder / "restarts"

    def read(self, name: str) -> Started | None:
        value = read_json(self._path(name))
        if not isinstance(value, dict) or not isinstance(value.get("pid"), int):
            return None
        return Started(value["pid"], str(value.get("birth", "")))

    def was_written(self, name: str) -> bool:
        """True even where the file is broken: the part was started once and not stopped since."""
        return self._path(name).exists()

    def write(self, name: str, started: Started, address: str | None) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_json(self._path(name), {"pid": started.pid, "birth": started.birth, "address": address})

    def mark_up(self, name: str) -> None:
        """It answered after its start."""
        value = read_json(self._path(name))
        if isinstance(value, dict):
            write_json(self._path(name), {**value, "up": True})

    def was_up(self, name: str) -> bool:
        value = read_json(self._path(name))
        return isinstance(value, dict) and value.get("up") is True

    def restarts(self, name: str) -> list[float]:
        """When the part was started again after it had died; seconds since 1970."""
        value = read_json(self._restarts / f"{name}.json")
        return [float(restart_s) for restart_s in value] if isinstance(value, list) else []

    def note_restart(self, name: str, restarted_s: float) -> None:
        self._restarts.mkdir(parents=True, exist_ok=True)
        write_json(self._restarts / f"{name}.json", [*self.restarts(name), restarted_s][-_RESTARTS_KEPT:])

    def forget_restarts(self, name: str) -> None:
        (self._restarts / f"{name}.json").unlink(missing_ok=True)

    def forget(self, name: str) -> None:
        for path in (self._path(name), *self._folder.glob(f"{name}.json.*.new")):
            path.unlink(missing_ok=True)

    def names(self) -> list[str]:
        return sorted(path.stem for path in self._folder.glob("*.json"))

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Waits until this lock is free; the system frees it when its holder dies."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
