"""Documents that people upload: a report, a page, a letter, notes. All must be read, whatever else is uploaded."""

from __future__ import annotations

from lab.hostile_documents.pdf_files import pdf
from lab.hostile_documents.word_files import docx

_SENTENCE = "The depth of lake {n} was sounded in August 1997 from a boat, and its water was sampled twice."
_LINES = [_SENTENCE.format(n=number) for number in range(40)]


def _report() -> bytes:
    shown = "".join(f"1 0 0 1 72 {740 - 15 * n} Tm({line})Tj " for n, line in enumerate(_LINES))
    return pdf([f"BT/F1 10 Tf {shown}ET".encode()] * 20)


def _page() -> bytes:
    rows = "".join(f"<tr><td>Lake {n}</td><td>{n}.5</td></tr>" for n in range(50))
    text = "".join(f"<p>{line}</p>" for line in _LINES)
    return f"<!doctype html><h1>Lakes</h1>{text}<table><tr><th>Lake</th><th>Depth (m)</th></tr>{rows}</table>".encode()


def _letter() -> bytes:
    return docx("".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in _LINES).encode())


HONEST = (
    ("report.pdf", _report()),
    ("page.html", _page()),
    ("letter.docx", _letter()),
    ("notes.txt", "\n\n".join(["# Notes on lakes", *_LINES]).encode()),
)
