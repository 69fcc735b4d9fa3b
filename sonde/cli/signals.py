"""Handles signals that end a command."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM ends a command like Ctrl-C: processes and temporary indices are cleaned up."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    earlier_handler = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier_handler)
