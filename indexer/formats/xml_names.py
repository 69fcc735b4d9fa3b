"""Finds XML elements by local name, whatever their namespace: for standards whose versions change it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lxml.etree import _Element

Element = _Element

XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


@lru_cache(maxsize=2048)
def _steps(path: str) -> str:
    return "/".join(step if step in ("", ".", "*") else f"{{*}}{step}" for step in path.split("/"))


def all_of(element: Element | None, path: str) -> Iterator[Element]:
    """Elements at the end of ``a/b/c``, in document order; none for None."""
    return iter(()) if element is None else element.iterfind(_steps(path))


def one_of(element: Element | None, path: str) -> Element | None:
    return None if element is None else element.find(_steps(path))


def inner_text(element: Element | None) -> str:
    """All text inside an element, as written."""
    if element is None:
        return ""
    return element.text or "" if not len(element) else " ".join(str(piece) for piece in element.itertext())


def text_at(element: Element | None, *paths: str) -> str:
    """The first text that is not blank at any of the paths; the empty string where there is none."""
    for path in paths:
        for found in all_of(element, path):
            text = inner_text(found).strip()
            if text:
                return text
    return ""


def texts_at(element: Element | None, *paths: str) -> list[str]:
    """Every text that is not blank, path by path."""
    return [text for path in paths for found in all_of(element, path) if (text := inner_text(found).strip())]


def name_of(element: Element) -> str:
    """The name without its namespace."""
    return str(element.tag).rpartition("}")[2]
