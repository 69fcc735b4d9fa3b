"""Parts of a page that are written anew between two marks."""

from __future__ import annotations


def marks(name: str) -> tuple[str, str]:
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def between(name: str, page: str, text: str) -> str:
    """The page with ``text`` between the marks of that name; at its end where it has none."""
    begin, end = marks(name)
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{end}{rest.partition(end)[2]}"
