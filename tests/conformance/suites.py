"""Where the suites and schemas of others lie that the tests run and the project never copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).resolve().parents[2]


def folder_of(*parts: str) -> Path:
    """``../shared/suites/...``, there or not."""
    shared = Path(os.environ.get("SONDE_SHARED", _CHECKOUT.parent / "shared"))
    return shared.joinpath("suites", *parts)


def suite(*parts: str) -> Path:
    """``../shared/suites/...``; skips with a reason where it is absent."""
    path = folder_of(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not on this machine (set SONDE_SHARED)")
    return path
