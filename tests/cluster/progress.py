"""What a check tells while it runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def step(name: str) -> Iterator[None]:
    began = time.monotonic()
    say(f"{time.strftime('%T')} {name} ...")
    yield
    say(f"{time.strftime('%T')} {name}: {time.monotonic() - began:.0f} s")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
