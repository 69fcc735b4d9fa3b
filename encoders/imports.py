"""Imports of large packages: hides optional ones; one lock for torch, and one message if it is not installed.

``encoders.catalogue`` hides torch for a moment; the lock prevents other imports during that time.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from core.errors import ModelMissing

torch_imports = threading.Lock()


@contextmanager
def hidden(*packages: str) -> Iterator[None]:
    """These packages seem absent in the block, so that libraries which can do without them do not import them.

    Those that are imported already stay; afterwards all can be imported as usual. Not for blocks that other threads
    import beside.
    """
    absent = [package for package in packages if package not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for package in absent:
            del sys.modules[package]


_PACKAGES = ("torch", "transformers", "sentence_transformers")


def needs_torch(what: str, extra: Literal["models", "training"] = "models", *, also: Sequence[str] = ()) -> None:
    """Raises ModelMissing with the extra to install, if PyTorch, its libraries or one of ``also`` is missing."""
    with torch_imports:
        specs = [importlib.util.find_spec(name) for name in (*_PACKAGES, *also)]
    if None in specs:
        advice = f"install Sonde's extra `{extra}` (`make env` in a checkout)"
        raise ModelMissing(f"{what} needs PyTorch, which is not installed: {advice}")
