"""A document as plain HTML: for crawlers, text browsers, and everybody before the page's script has run."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from core.document import DocumentEntry
from core.passage import Passage
from core.record import Record
from search_api.search.passages.tables import tables_of


def article(entry: DocumentEntry, record: Record | None, passages: Sequence[Passage]) -> str:
    """Title, facts, the given passages, tables and references; every text of the document escaped."""
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _facts(entry, record) if value)
    texts = "".join(f"<p>{escape(one.text)}</p>" for one in passages if one.kind == "text")
    return (
        f'<main class="record"><article><h1>{escape(entry.title or entry.name)}</h1>'
        f'<dl class="facts-list">{facts}</dl>{texts}{_tables(entry)}{_references(entry)}</article></main>'
    )


def _facts(entry: DocumentEntry, record: Record | None) -> list[tuple[str, str]]:
    doi = escape(entry.doi or "")
    about = ""
    if record is not None:
        about = f'<a href="records/{escape(record.id)}">{escape(record.title or record.id)}</a>'
    return [
        ("Authors", escape("; ".join(entry.authors))),
        ("Published", escape(entry.published or "")),
        ("Journal", escape(entry.journal or "")),
        ("DOI", f'<a href="https://doi.org/{doi}" rel="noopener noreferrer">{doi}</a>' if doi else ""),
        ("Pages", str(entry.pages or "")),
        ("Explains", about),
    ]


def _tables(entry: DocumentEntry) -> str:
    rows = "".join(
        f'<li><a href="documents/{entry.id}/tables/{one.number}?f=csv">'
        f"{escape(one.caption or f'Table {one.number}')}</a></li>"
        for one in tables_of(entry)
    )
    return f'<h2>Tables</h2><ul class="links">{rows}</ul>' if rows else ""


def _references(entry: DocumentEntry) -> str:
    rows = "".join(f"<li>{escape(one)}</li>" for one in entry.references)
    return f"<h2>References</h2><ol>{rows}</ol>" if rows else ""
