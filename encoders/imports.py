"""Imports of torch: one lock for them, and one message where it is not installed.

``entities`` hides torch for a moment, and no other import may happen then.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from typing import Literal

from core.errors import ModelMissing

torch_imports = threading.Lock()

_PACKAGES = ("torch", "transformers", "sentence_transformers")


def needs_torch(what: str, extra: Literal["models", "training"] = "models", *, also: Sequence[str] = ()) -> None:
    """Raises ModelMissing that says what to install, if PyTorch, a library over it or one of ``also`` is missing."""
    with torch_imports:
        specs = [importlib.util.find_spec(name) for name in (*_PACKAGES, *also)]
    if None in specs:
        advice = f"install Sonde's extra `{extra}` (`make env` in a checkout)"
        raise ModelMissing(f"{what} needs PyTorch, which is not installed: {advice}")
