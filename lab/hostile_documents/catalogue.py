"""All kinds of documents that the course tries."""

from __future__ import annotations

from lab.hostile_documents import pdf_files, texts, web_pages, word_files
from lab.hostile_documents.kinds import HostileKind

KINDS: tuple[HostileKind, ...] = (
    *texts.TEXT_KINDS,
    *web_pages.HTML_KINDS,
    *word_files.WORD_KINDS,
    *pdf_files.PDF_KINDS,
)


def kind_named(name: str) -> HostileKind:
    return next(kind for kind in KINDS if kind.name == name)
