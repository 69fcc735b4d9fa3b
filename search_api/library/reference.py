"""A work as a reference list names it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}]+")

LONGEST = 1000
"""Of a title, a journal or an address, in characters."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a list says about a work. ``link``: the address of its PDF or of a page that names it; None: unknown."""

    title: str
    authors: tuple[str, ...] = ()
    doi: str | None = None
    journal: str | None = None
    published: str | None = None
    link: str | None = None

    @property
    def identity(self) -> str:
        """Equal for the same work in two lists."""
        return self.doi.lower() if self.doi else self.link or "\n".join((self.title.casefold(), *self.authors))


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a list that is no reference; ``line`` counts from 1, None if it is not known."""

    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ReadReferences:
    """Each work once, in the order of the list, and the parts that could not be read."""

    references: tuple[Reference, ...]
    problems: tuple[Problem, ...] = ()


def doi_in(text: str) -> str | None:
    """The first DOI of the text, without the sign that ends its sentence."""
    match = _DOI.search(text)
    return match[0].rstrip(".,;") if match is not None else None


def doi_link(doi: str) -> str:
    return f"https://doi.org/{quote(doi, safe='/()')}"
