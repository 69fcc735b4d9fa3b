"""Texts of other people in tables that spreadsheets open."""

from __future__ import annotations

import re

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?\s?\d[\d.,\s]*(?:[eE][+-]?\d{1,3})?\s?[%‰]?|[+-]?[.,]\d+|-{1,3}")


def harmless(text: str) -> str:
    """With an apostrophe before it if a spreadsheet would run it as a formula. A number, or a dash for none, stays."""
    return f"'{text}" if text.startswith(_FORMULAS) and _NUMBER.fullmatch(text) is None else text
