"""One lock for all imports of torch, and one message if it is not installed.

``encoders.entities`` hides torch for a moment; the lock prevents other imports during that time.
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
    """Raises ModelMissing with the extra to install, if PyTorch, its libraries or one of ``also`` is missing."""
    with torch_imports:
        specs = [importlib.util.find_spec(name) for name in (*_PACKAGES, *also)]
    if None in specs:
        advice = f"install Sonde's extra `{extra}` (`make env` in a checkout)"
        raise ModelMissing(f"{what} needs PyTorch, which is not installed: {advice}")
