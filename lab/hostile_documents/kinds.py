"""What an attacker may upload: each kind grows with a number, so that a trial can ask for more of the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Make = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class HostileKind:
    """``make(size)`` gives the file. ``usual``: the size in the course; ``small``: in the test suite, where it takes
    less than a second.
    """

    name: str
    make: Make
    usual: int
    small: int
