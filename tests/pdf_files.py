"""PDFs that tests make: pages of text and ruled lines at known places, and files that mean harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH, HEIGHT = 595, 842
LIGATURE = "\x81"
"""In the text of a ``Put``: one glyph, as wide as an M, that the font calls ffi."""


@dataclass(frozen=True)
class Put:
    """Text at points from the left and from the top of the page (its baseline)."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False


@dataclass
class PdfPage:
    texts: list[Put] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)  # x1, y1, x2, y2 from the top

    def content(self) -> bytes:
        parts = [
            f"BT /{_font(put)} {put.size} Tf {put.x} {HEIGHT - put.y} Td ({_escaped(put.text)}) Tj ET"
            for put in self.texts
        ]
        parts += [f"{x1} {HEIGHT - y1} m {x2} {HEIGHT - y2} l S" for x1, y1, x2, y2 in self.rules]
        return "\n".join(parts).encode("latin-1")


def _font(put: Put) -> str:
    return "F2" if put.bold else "F3" if LIGATURE in put.text else "F1"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def paragraph(x: float, y: float, lines: Sequence[str], size: float = 10, leading: float = 12) -> list[Put]:
    return [Put(x, y + number * leading, line, size) for number, line in enumerate(lines)]


_CALLED_FFI = b"""begincmap
1 begincodespacerange <00> <FF> endcodespacerange
1 beginbfchar <81> <006600660069> endbfchar
endcmap"""


def pdf(pages: Sequence[PdfPage], *, catalog: str = "", trailer: str = "", info: str = "") -> bytes:
    """A whole file with its cross-reference table; ``catalog`` and ``trailer`` are added to those dictionaries."""
    fonts = "/Font << /F1 3 0 R /F2 4 0 R /F3 6 0 R >>"
    objects: list[bytes] = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
        f"<< {info} >>".encode("latin-1"),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R "
        b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [129 /M] >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(_CALLED_FFI), _CALLED_FFI),
    ]
    kids = []
    for page in pages:
        content = page.content()
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            f"/Resources << {fonts} >> /Contents {len(objects)} 0 R >>".encode()
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    size = len(objects) + 1
    out.write(f"trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode())
    return out.getvalue()


def encrypted_pdf() -> bytes:
    """Encrypted with a password that nobody gives."""
    key = "00" * 32
    handler = f"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <{key}> /U <{key}> >> /ID [<00> <00>]"
    return pdf([PdfPage([Put(72, 72, "Secret.")])], trailer=handler)


def with_javascript(text: str) -> bytes:
    """A script that runs at opening, where a reader runs scripts."""
    action = "/OpenAction << /S /JavaScript /JS (while(true){app.alert('x');}) >>"
    return pdf([PdfPage([Put(72, 100, text)])], catalog=action)


DOCX_BODY = """<?xml version="1.0" encoding="UTF-8"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>"""


def docx(body: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", DOCX_BODY.format(body=body))
    return out.getvalue()


def docx_bomb(megabytes: int) -> bytes:
    """A DOCX of some hundred kilobytes whose one part unpacks to so many megabytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(megabytes):
            part.write(b" " * (1 << 20))
    return out.getvalue()
