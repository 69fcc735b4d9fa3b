"""What several tests need and one makes: kept in a file, since pytest-xdist runs them in several processes."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

import pytest

Value = TypeVar("Value")


def once_in_the_run(factory: pytest.TempPathFactory, name: str, make: Callable[[], Value]) -> Value:
    """What ``make`` gives, made by the first process that asks; the others wait for it and read its file.

    Each process has a copy. A ``make`` that raises leaves nothing behind: the next process tries again.
    """
    base = factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept = folder / f"{name}.pickle"
    with (folder / f"{name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not kept.exists():
            made = make()
            half = kept.with_suffix(".half")
            half.write_bytes(pickle.dumps(made))
            half.replace(kept)
            return made
    found: Value = pickle.loads(kept.read_bytes())
    return found
