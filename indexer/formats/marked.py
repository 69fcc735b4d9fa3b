"""Replaces generated parts of a page between two marks."""

from __future__ import annotations


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def between(name: str, page: str, text: str) -> str:
    """The page with ``text`` between the marks with that name; without marks, at the end of the page."""
    begin, end = marks(name)
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
