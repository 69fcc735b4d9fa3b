"""A record as plain HTML: for crawlers, text browsers, and everybody before the page's script has run."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import urlsplit

from core.record import Contact, Record
from core.timespan import TimeSpan

_HARMLESS = frozenset(("http", "https", "ftp", "mailto"))
_LONGEST_SUMMARY = 300


def summary(abstract: str) -> str:
    """The beginning of an abstract, for a list; not escaped."""
    text = " ".join(abstract.split())
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[:_LONGEST_SUMMARY].rpartition(' ')[0]} …"


def article(record: Record, formats: Iterable[tuple[str, str]] = ()) -> str:
    """Title, abstract, facts and links, every text of the metadata escaped; ``formats``: address and name of each."""
    paragraphs = "".join(f'<p class="description">{escape(one)}</p>' for one in record.abstract.split("\n\n") if one)
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(record) if value)
    links = "".join(f"<li>{_link(one.href, one.name or one.href)}</li>" for one in record.links)
    others = ", ".join(f'<a href="{escape(href)}">{escape(name)}</a>' for href, name in formats)
    return (
        f'<main class="record"><article><h1>{escape(record.title or record.id)}</h1>{paragraphs}'
        f'<dl class="facts-list">{facts}</dl><ul class="links">{links}</ul>'
        f'<p class="formats">{others}</p></article></main>'
    )


def _facts(record: Record) -> list[tuple[str, str]]:
    boxes = "; ".join("{} {} {} {}".format(*(f"{edge:g}" for edge in box.as_list())) for box in record.extents)
    return [
        ("Type", escape(record.type)),
        ("Time", escape("; ".join(map(_period, record.times)))),
        ("Area (west south east north)", escape(boxes)),
        *_names(record),
        ("Licence", escape(record.licence or "")),
        ("Keywords", escape(", ".join(keyword.term for keyword in record.keywords))),
        ("Contacts", escape("; ".join(filter(None, map(_contact, record.contacts))))),
        ("DOI", _link(f"https://doi.org/{record.doi}", record.doi) if record.doi else ""),
        ("Source", escape(record.source)),
    ]


def _names(record: Record) -> list[tuple[str, str]]:
    names = record.names
    return [
        ("Short name", escape(", ".join(names.short_names))),
        ("Version", escape(record.edition or "")),
        ("Platforms", escape(", ".join(names.platforms))),
        ("Instruments", escape(", ".join(names.instruments))),
        ("Variables", escape(", ".join(variable.name for variable in names.variables))),
        ("Projects", escape(", ".join(names.projects))),
        ("Processing level", escape(names.processing_level or "")),
    ]


def _period(span: TimeSpan) -> str:
    start, end = (edge.partition("T")[0] if edge else ".." for edge in (span.start_iso, span.end_iso))
    return f"{start} to {end}"


def _contact(one: Contact) -> str:
    return ", ".join(part for part in (one.name, one.organisation) if part)


def _link(href: str, text: str) -> str:
    """A link only if its scheme is safe."""
    try:
        harmless = urlsplit(href).scheme.lower() in _HARMLESS
    except ValueError:
        harmless = False
    return f'<a href="{escape(href)}" rel="noopener noreferrer">{escape(text)}</a>' if harmless else escape(text)
