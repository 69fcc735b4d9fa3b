"""Catalogues, record pages and queryables as plain HTML, readable without scripts.

All metadata texts are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from core.json_types import Json
from search_api.formats_out.record_html import summary


@dataclass(frozen=True, slots=True)
class Listed:
    """One record of a page: its address and its text (not escaped)."""

    href: str
    title: str
    type: str
    abstract: str


def collections(described: Iterable[Json]) -> str:
    """Each catalogue with its size."""
    rows = "".join(
        f'<li><a href="{escape(_href(one, "self"))}">{escape(one["title"])}</a> '
        f'<span class="soft">{escape(one["description"])}</span></li>'
        for one in described
    )
    return f'<h1>Catalogues</h1><ul class="links">{rows}</ul>'


def collection(one: Json) -> str:
    """One catalogue with its extent and its links."""
    extent = one.get("extent", {})
    box = "; ".join(" ".join(f"{edge:g}" for edge in box) for box in extent.get("spatial", {}).get("bbox", []))
    span = "; ".join(
        " to ".join((edge or "..").partition("T")[0] for edge in interval)
        for interval in extent.get("temporal", {}).get("interval", [])
    )
    facts = (("Id", one["id"]), ("Area (west south east north)", box), ("Time", span), ("Updated", one.get("updated")))
    ways = "".join(
        f'<li><a href="{escape(link["href"])}">{escape(link["title"])}</a></li>'
        for link in one["links"]
        if link["rel"] != "self" and link.get("title")
    )
    return (
        f"<h1>{escape(one['title'])}</h1><p>{escape(one['description'])}</p>"
        f'<dl class="facts-list">{_rows(facts)}</dl><ul class="links">{ways}</ul>'
    )


def items(title: str, records: Sequence[Listed], matched: int, following: str | None) -> str:
    """A page of records in the listing's order; ``following`` is the next page's address."""
    rows = "".join(
        f'<li><h2><a href="{escape(one.href)}">{escape(one.title)}</a></h2>'
        f'<p class="soft">{escape(one.type)}</p><p>{escape(summary(one.abstract))}</p></li>'
        for one in records
    )
    on = f'<p><a href="{escape(following)}" rel="next">Next page</a></p>' if following else ""
    return f"<h1>{escape(title)}</h1><p>{len(records)} of {matched} records.</p><ol>{rows}</ol>{on}"


def properties(title: str, kind: str, offered: Mapping[str, Json]) -> str:
    """The properties for filters or for sorting."""
    rows = _rows((name, one.get("title", "")) for name, one in offered.items())
    return f'<h1>{escape(title)}: {escape(kind)}</h1><dl class="facts-list">{rows}</dl>'


def conformance(classes: Iterable[str]) -> str:
    rows = "".join(f'<li class="breaks">{escape(one)}</li>' for one in classes)
    return f'<h1>Conformance classes</h1><ul class="links">{rows}</ul>'


def _rows(facts: Iterable[tuple[str, object]]) -> str:
    return "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(str(said))}</dd></div>" for name, said in facts if said)


def _href(one: Json, rel: str) -> str:
    return next(str(link["href"]) for link in one["links"] if link["rel"] == rel)
