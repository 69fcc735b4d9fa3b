"""Packages that only some calls need."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from sonde_client.errors import NotOpenable


def needed(module: str, extra: str) -> ModuleType:
    """Raises NotOpenable with the command that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotOpenable(f"This needs {module}: install the client's extra `{extra}`") from error
