"""What `sonde up` and `sonde demo` print while the parts start."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sonde.cli.stack import StackProgress

MEGABYTE = 1_000_000


@pytest.mark.parametrize(("terminal", "lines"), [(False, 2), (True, 1)])
def test_a_download_is_one_line_where_no_terminal_is_and_a_moving_one_where_one_is(terminal: bool, lines: int) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=80)
    progress = StackProgress(console, console.status("Starting"))
    for done in range(1, 166):
        progress("elasticsearch.fetching", done_bytes=done * MEGABYTE, total_bytes=165 * MEGABYTE)
    progress("elasticsearch.fetched", version="9.4.3")
    shown = screen.getvalue()
    assert shown.count("\n") == lines
    assert ("165 MB" in shown) != terminal
    assert "fetched" in shown
