"""OCR: what is read by it, in which script, language and direction, and what is said where it is not."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from core.document import DocumentEntry
from indexer.documents.index.ingest import IngestResult
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.parse.pdf.read_pdf import read_pdf
from indexer.documents.parse.pdf.tesseract import Posture, ocr_problem, packs_for, parse_posture
from indexer.documents.parse.read import read_document
from sonde.cli.documents import notes
from sonde.document_settings import DocumentsSettings
from sonde.ops.doctor.content import ocr as ocr_finding
from sonde.settings import Settings
from tests.pdf_files import CODED_OTHER, PdfPage, Put, Shown, paragraph, pdf

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract") is None, reason="tesseract is not installed (.ci/run installs it)"
)
SCANNED = [
    "Annual report of the gauge at Saal",
    "The water level has been measured every hour",
    "since the spring of that year, and the record",
    "has no gap of more than two days. Each station",
    "is levelled against three fixed points on the",
    "river bank by the surveyor of the county.",
]
PRINTED = [
    "This letter was printed over the page by the archive that keeps it,",
    "and it says nothing about what the page below it tells of the river.",
]


def scan(lines: list[str] = SCANNED, size: int = 40, turn: int = 0) -> Image.Image:
    image = Image.new("L", (1300, 120 + 70 * len(lines)), 255)
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(size)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 70 * number), line, font=font, fill=0)
    return image.rotate(turn, expand=True)


def file_of(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", dpi=(170, 170))
    return out.getvalue()


def on_page(image: Image.Image, *puts: Put) -> PdfPage:
    width = 440.0
    return PdfPage(list(puts), pictures=[Shown(image, 72, 200, width, width * image.height / image.width)])


def read(*pages: PdfPage, ocr: Ocr | None = None) -> ReadDocument:
    return read_pdf(pdf(pages), Limits(), ocr or Ocr())


def texts(document: ReadDocument) -> str:
    return " ".join(block.text for block in document.blocks)


@needs_tesseract
def test_a_picture_with_text_on_a_page_with_text_is_read_and_the_page_is_named() -> None:
    document = read(on_page(scan(), *paragraph(72, 80, PRINTED)), PdfPage(paragraph(72, 80, SCANNED[4:])))
    assert "measured every hour" in texts(document)
    assert "printed over the page" in texts(document)
    assert document.ocr_pages == (1,)
    block = next(one for one in document.blocks if "measured" in one.text)
    assert all(70 < word.left < 520 and 190 < word.top < 600 for word in block.words)  # where the picture is


@needs_tesseract
@pytest.mark.parametrize("turn", [90, 180])
def test_a_scan_that_is_turned_is_read_upright(turn: int) -> None:
    document = read_document(file_of(scan(turn=turn)), Limits(), Ocr())
    assert "has no gap of more than two days" in texts(document)


@needs_tesseract
def test_a_turned_picture_on_a_page_is_marked_as_it_lies() -> None:
    document = read(on_page(scan(turn=270), *paragraph(72, 80, PRINTED)))
    block = next(one for one in document.blocks if "two days" in one.text)
    assert sum(word.bottom - word.top > word.right - word.left for word in block.words) > 0.6 * len(block.words)
    assert all(70 < word.left < 520 and word.top > 190 for word in block.words)


@needs_tesseract
def test_a_photograph_and_a_picture_under_a_text_layer_are_left_alone() -> None:
    noise = Image.effect_noise((900, 600), 90)
    document = read(on_page(noise, *paragraph(72, 80, PRINTED)))
    assert document.ocr_pages == ()
    layer = [Put(80, 222 + 24 * n, line, 10, mode=3) for n, line in enumerate(SCANNED)]
    document = read(on_page(scan(), *layer, *paragraph(72, 80, PRINTED)))
    assert document.ocr_pages == ()
    assert "measured every hour" in texts(document)
    assert document.warnings == ()


@needs_tesseract
def test_a_text_layer_without_meaning_is_replaced_by_what_the_page_shows() -> None:
    garbage = [CODED_OTHER * 30] * 4
    layer = [Put(90, 210 + 30 * n, line, 8, mode=3) for n, line in enumerate(garbage)]
    document = read(on_page(scan(), *layer))
    assert "measured every hour" in texts(document)
    assert "\ufffd" not in texts(document)
    assert document.ocr_pages == (1,)


def test_a_text_layer_without_meaning_is_said_where_there_is_no_ocr() -> None:
    garbage = PdfPage(paragraph(72, 100, [CODED_OTHER * 30] * 4))
    document = read(garbage, PdfPage(paragraph(72, 80, PRINTED)), ocr=Ocr(command=None, missing=True))
    assert document.front.title == "" or "\ufffd" not in document.front.title
    (warning,) = document.warnings
    assert warning.startswith("Page 1: not read: its font does not say")
    assert "tesseract is not installed" in warning


def test_absent_ocr_is_said_in_the_refusal_and_for_each_page() -> None:
    scanned, printed = on_page(scan()), PdfPage(paragraph(72, 80, PRINTED))
    with pytest.raises(DocumentRefused, match=r"Pages 1-2: not read: .* tesseract is not installed") as refused:
        read(scanned, scanned, ocr=Ocr(command=None, missing=True))
    assert refused.value.reason == "no_text"
    document = read(scanned, printed, on_page(scan(SCANNED * 3), *paragraph(72, 80, PRINTED)), ocr=Ocr(command=None))
    assert document.warnings == (
        "Page 1: not read: it has no text layer, and OCR is turned off (SONDE_DOCUMENTS__OCR).",
        "Page 3: a large picture was not read: OCR is turned off (SONDE_DOCUMENTS__OCR).",
    )
    with pytest.raises(DocumentRefused, match="tesseract is not installed"):
        read_document(file_of(scan()), Limits(), Ocr(command=None, missing=True))


@needs_tesseract
def test_pages_beyond_the_limits_are_named() -> None:
    document = read(*[on_page(scan())] * 2, ocr=Ocr(most_pages=1))
    assert document.blank_pages == (2,)
    assert "Page 2: not read" in document.warnings[0]
    assert "at most 1 pages" in document.warnings[0]


OSD = """Page number: 0
Orientation in degrees: {degrees}
Rotate: {rotate}
Orientation confidence: {turned}
Script: {script}
Script confidence: {sure}
"""


def test_script_and_direction_count_where_tesseract_is_sure() -> None:
    cyrillic = OSD.format(degrees=270, rotate=90, turned="8.1", script="Cyrillic", sure="3.2")
    assert parse_posture(cyrillic) == Posture("Cyrillic", 90)
    assert parse_posture(cyrillic.replace("3.2", "0.4").replace("8.1", "0.9")) == Posture(None, 0)
    assert parse_posture("Too few characters. Skipping this page") == Posture(None, 0)


def test_only_packs_of_the_script_are_tried() -> None:
    installed = ("deu", "eng", "nld", "rus", "ukr")
    assert packs_for("Cyrillic", "auto", installed) == ("rus", "ukr")
    assert packs_for("Latin", "auto", installed) == packs_for(None, "auto", installed) == ("eng", "deu", "nld")
    assert packs_for("Cyrillic", "eng", installed) == ()
    assert packs_for("Greek", "auto", installed) == ()
    assert packs_for("Latin", "fra+deu", installed) == ("fra+deu",)


def tesseract(folder: Path, answers: dict[str, tuple[str, float]], script: str = "Latin") -> Ocr:
    """Stands for a tesseract with other language packs: gives each pack's text with its confidence."""
    head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
    cases = ""
    for pack, (text, confidence) in answers.items():
        places = [(word, at // 6, at % 6) for at, word in enumerate(text.split())]
        rows = [
            f"5\t1\t1\t1\t{1 + row}\t{1 + at}\t{60 + 150 * at}\t{60 + 60 * row}\t130\t40\t{confidence}\t{word}"
            for word, row, at in places
        ]
        (folder / f"{pack}.tsv").write_text("\n".join([head, *rows]) + "\n", "utf-8")
        cases += f'*" -l {pack} "*) cat "{folder}/{pack}.tsv" ;;\n'
    (folder / "osd").write_text(OSD.format(degrees=0, rotate=0, turned=9, script=script, sure=5), "utf-8")
    (folder / "packs").write_text("List of available languages (9):\n" + "\n".join([*answers, "osd"]) + "\n")
    command = folder / "tesseract"
    command.write_text(
        f'#!/bin/sh\necho "$*" >> "{folder}/calls"\ncase " $* " in\n*" --list-langs "*) cat "{folder}/packs" ;;\n'
        f'*" --psm 0 "*) cat > /dev/null; cat "{folder}/osd" ;;\n{cases}esac\n'
    )
    command.chmod(0o755)
    return Ocr(command=str(command))


GERMAN = (
    "Der Wasserstand der Saale wird seit dem Frühjahr stündlich gemessen und die Aufzeichnung hat keine größere Lücke "
    "von mehr als zwei Tagen im Jahr"
)


def test_the_pack_of_the_texts_own_language_is_tried_and_the_surer_text_kept(tmp_path: Path) -> None:
    plain = GERMAN.replace("ü", "u").replace("ö", "o")
    ocr = tesseract(tmp_path, {"eng": (plain, 88.0), "deu": (GERMAN, 94.0), "fra": ("rien du tout", 20.0)})
    document = read_document(file_of(scan()), Limits(), ocr)
    assert "Frühjahr stündlich" in texts(document)
    assert document.warnings == ()
    assert "-l fra" not in (tmp_path / "calls").read_text()


def test_a_language_without_its_pack_is_said(tmp_path: Path) -> None:
    ocr = tesseract(tmp_path, {"eng": (GERMAN.replace("ü", "u").replace("ö", "o"), 88.0)})
    (warning,) = read_document(file_of(scan()), Limits(), ocr).warnings
    assert "seems to be German" in warning
    assert "tesseract-ocr-deu" in warning


def test_a_script_without_a_pack_and_text_of_low_confidence_are_not_indexed_but_said(tmp_path: Path) -> None:
    letters = "Ypoeub BogbI u3mepaetca kaxgbIi yac c 1956 roga u nepepbIBoB B 3anucax HeT BecHoi ctaHuna"
    for script, confidence, said in (("Cyrillic", 80.0, "Cyrillic letters"), ("Latin", 41.0, "too unsure")):
        ocr = tesseract(tmp_path, {"eng": (letters, confidence)}, script)
        with pytest.raises(DocumentRefused, match=said):
            read_document(file_of(scan()), Limits(), ocr)


def test_what_a_machine_lacks_for_ocr(tmp_path: Path) -> None:
    ocr = tesseract(tmp_path, {"eng": ("a", 90.0)})
    assert ocr_problem(ocr) == ""
    assert ocr_problem(Ocr(command=None)) == ""
    assert "tesseract is not installed" in ocr_problem(Ocr(command=str(tmp_path / "none")))
    assert "tesseract-ocr-fra" in ocr_problem(Ocr(command=ocr.command, languages="eng+fra"))


def test_doctor_and_ingest_say_what_a_machine_lacks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    state, told = ocr_finding(Settings())
    assert state == "warning"
    assert "tesseract is not installed: scanned pages and page images are not read" in told
    off = Settings(documents=DocumentsSettings(ocr=False))
    assert ocr_finding(off) == ("ok", "turned off: scanned pages are not read (SONDE_DOCUMENTS__OCR)")
    failed = DocumentEntry("1", "public", "a.pdf", "a.pdf", "failed", reason="no_text", message="No page holds text.")
    ready = DocumentEntry(
        "2", "public", "b.pdf", "b.pdf", "ready", warnings=tuple(f"Page {n}: lost." for n in range(7))
    )
    lines = notes([IngestResult(failed), IngestResult(ready)])
    assert lines[:2] == ["a.pdf: No page holds text.", "b.pdf: Page 0: lost."]
    assert lines[-1].startswith("b.pdf: and 2 more")
