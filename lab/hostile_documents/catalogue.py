"""All kinds of documents that the course tries."""

from __future__ import annotations

from lab.hostile_documents import pdf_files, texts, web_pages, word_files
from lab.hostile_documents.kinds import Kind

KINDS: tuple[Kind, ...] = (*texts.KINDS, *web_pages.KINDS, *word_files.KINDS, *pdf_files.KINDS)


def kind_named(name: str) -> Kind:
    return next(kind for kind in KINDS if kind.name == name)
