"""A module that is imported at its first use: torch takes seconds, and each process of a run collects every file."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks on all that it collects
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
