"""The console for tables: as wide as the terminal or, for other programs, as wide as necessary, so that ids and lines
are not cut.
"""

from __future__ import annotations

import sys

from rich.console import Console

_WIDE = 200


def screen() -> Console:
    """The current standard output."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE)
