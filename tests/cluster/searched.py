"""What happens to a release while somebody searches it, as a row of the table."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cluster.node import Node
from tests.cluster.progress import say, step
from tests.cluster.table import Row

_SEARCH = "/search?q=rainfall+in+southern+Africa"


def searched(node: Node, url: str, name: str, act: Callable[[], object]) -> Row:
    """Somebody searches four times a second, from five seconds before ``act`` to five seconds after it."""
    with step(name), asked(node, url, "asked", "0.25") as told:
        time.sleep(5)
        began = time.monotonic()
        act()
        took_s = time.monotonic() - began
        time.sleep(5)
    row = Row.of(name, took_s, json.loads(told.read_text("utf-8")))
    say(row.line())
    for failure in row.failures[:10]:
        say(f"  {failure}")
    return row


@contextmanager
def asked(node: Node, url: str, who: str, every_s: str) -> Iterator[Path]:
    """The file which, after the ``with``, holds what a client counted that searches as long as it lasts."""
    file = node.folder / f"{who}.json"
    stop = file.with_suffix(".stop")
    for old in (file, stop):
        old.unlink(missing_ok=True)
    asking = node.start("tests.cluster.asking", f"{url}{_SEARCH}", str(file), every_s)
    try:
        yield file
    finally:
        stop.touch()
        asking.wait(60)
