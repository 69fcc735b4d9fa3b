"""What a command does when it is told to end."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """A polite kill ends as Ctrl-C does: processes and throw-away indices go on the way out."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    earlier = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)
