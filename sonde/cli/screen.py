"""Where tables are printed: as wide as a terminal, or, for whoever reads them with other programs, as wide as they need
to be, so that neither ids are cut nor lines broken."""

from __future__ import annotations

import sys

from rich.console import Console

_WIDE = 200


def screen() -> Console:
    """Standard output as it is now."""
    return Console() if sys.stdout.isatty() else Console(width=_WIDE)
