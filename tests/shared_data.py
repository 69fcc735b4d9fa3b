"""Where the real records, vocabularies and PDFs lie that the project reads in tests and never copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_CHECKOUT = Path(__file__).resolve().parent.parent


def shared_data(*parts: str) -> Path:
    """``../shared/data/...``; skips with a reason where it is absent, fails under CI, where it must be there."""
    folder = Path(os.environ.get("SONDE_SHARED", _CHECKOUT.parent / "shared"))
    path = folder.joinpath("data", *parts)
    if path.exists():
        return path
    if os.environ.get("CI") == "true":
        pytest.fail(f"{path} is missing; under CI it must be there")
    pytest.skip(f"{path} is not on this machine (set SONDE_SHARED)")
