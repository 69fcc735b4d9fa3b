"""PDFs that tests make: pages of text and ruled lines at known places, and files that mean harm."""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from PIL import Image

WIDTH, HEIGHT = 595, 842
LIGATURE = "\x81"
"""In the text of a ``Put``: one glyph, as wide as an M, that the font calls ffi."""
ASTRAL = "\x82"
"""The same for a character beyond the basic plane: 𝜏."""
CODED_MINUS, CODED_TIMES, CODED_OTHER = "\x02", "\x03", "\x04"
"""A minus, a multiplication sign and an ampersand that the font calls by control codes."""


@dataclass(frozen=True)
class Put:
    """Text at points from the left and from the top of the page (its baseline).

    ``turn``: degrees anticlockwise. ``scale``: the share of the size that the matrix gives. ``mode``: how it is
    rendered (3: without ink), ``grey``: 0 to 1 (white), ``spacing``: points between letters.
    """

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False
    turn: float = 0.0
    scale: float = 1.0
    mode: int = 0
    grey: float = 0.0
    spacing: float = 0.0

    def operators(self) -> str:
        cosine, sine = self.scale * math.cos(math.radians(self.turn)), self.scale * math.sin(math.radians(self.turn))
        matrix = f"{cosine:.5f} {sine:.5f} {-sine:.5f} {cosine:.5f} {self.x} {HEIGHT - self.y}"
        style = f"/{_font(self)} {self.size / self.scale} Tf {self.mode} Tr {self.spacing} Tc {self.grey} g"
        return f"BT {style} {matrix} Tm ({_escaped(self.text)}) Tj ET"


@dataclass(frozen=True)
class Shown:
    """A grey picture in a box: its left, top, width and height in points."""

    image: Image.Image
    x: float
    y: float
    width: float
    height: float


@dataclass
class PdfPage:
    texts: list[Put] = field(default_factory=list)
    rules: list[tuple[float, float, float, float]] = field(default_factory=list)  # x1, y1, x2, y2 from the top
    rotate: int = 0
    pictures: list[Shown] = field(default_factory=list)
    below: str = ""  # operators before the text

    def content(self) -> bytes:
        parts = [self.below]
        parts += [
            f"q {one.width} 0 0 {one.height} {one.x} {HEIGHT - one.y - one.height} cm /P{number} Do Q"
            for number, one in enumerate(self.pictures)
        ]
        parts += [put.operators() for put in self.texts]
        parts += [f"{x1} {HEIGHT - y1} m {x2} {HEIGHT - y2} l S" for x1, y1, x2, y2 in self.rules]
        return "\n".join(parts).encode("latin-1")


def _font(put: Put) -> str:
    return "F2" if put.bold else "F3" if any(ord(c) < 32 or c in (LIGATURE, ASTRAL) for c in put.text) else "F1"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def paragraph(x: float, y: float, lines: Sequence[str], size: float = 10, leading: float = 12) -> list[Put]:
    return [Put(x, y + number * leading, line, size) for number, line in enumerate(lines)]


_CALLED_FFI = b"""begincmap
1 begincodespacerange <00> <FF> endcodespacerange
5 beginbfchar <81> <006600660069> <82> <D835DF0F> <02> <0002> <03> <0003> <04> <0004> endbfchar
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
        b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [2 /minus /multiply /ampersand 129 /M /M] >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(_CALLED_FFI), _CALLED_FFI),
    ]
    kids = []
    for page in pages:
        images = ""
        for number, one in enumerate(page.pictures):
            grey = one.image.convert("L")
            data = zlib.compress(grey.tobytes())
            head = f"<< /Type /XObject /Subtype /Image /Width {grey.width} /Height {grey.height} /BitsPerComponent 8 "
            head += f"/ColorSpace /DeviceGray /Filter /FlateDecode /Length {len(data)} >>"
            objects.append(head.encode() + b"\nstream\n" + data + b"\nendstream")
            images += f"/P{number} {len(objects)} 0 R "
        content = page.content()
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] "
            f"/Rotate {page.rotate} /Resources << {fonts} /XObject << {images} >> >> "
            f"/Contents {len(objects)} 0 R >>".encode()
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


def docx(body: str, styles: str = "", **notes: str) -> bytes:
    """``notes``: the content of ``footnotes`` and ``endnotes``."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", DOCX_BODY.format(body=body))
        if styles:
            space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            archive.writestr("word/styles.xml", f'<w:styles xmlns:w="{space}">{styles}</w:styles>')
        for kind, content in notes.items():
            space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            archive.writestr(f"word/{kind}.xml", f'<w:{kind} xmlns:w="{space}">{content}</w:{kind}>')
    return out.getvalue()


def docx_bomb(megabytes: int) -> bytes:
    """A DOCX of some hundred kilobytes whose one part unpacks to so many megabytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("word/document.xml", "w") as part:
        for _ in range(megabytes):
            part.write(b" " * (1 << 20))
    return out.getvalue()
