"""OCR by tesseract: turns an image into words with positions and confidence, and chooses its language packs.

tesseract runs as a separate process, on one core, with a time limit for each page. It reads any picture with any pack:
Russian letters read as English become Latin ones of low confidence. So the script of the page chooses the packs, then
the confidence of the text that each reads.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import Box, Page, Word

if TYPE_CHECKING:
    from PIL import Image

_LEAST_CONFIDENCE = 25.0
POINTS = 72.0  # an inch
_SIZE_OF_HEIGHT = 1.3  # converts the height of a line whose letters have no long strokes to a type size


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as grey pixels; ``dpi`` converts back to points."""

    image: Image.Image
    dpi: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in points."""
        width, height = self.image.size
        return width * POINTS / self.dpi, height * POINTS / self.dpi

    def cut(self, box: Box) -> Picture:
        """The part in this box (points)."""
        scale = self.dpi / POINTS
        edges = (box.left * scale, box.top * scale, box.right * scale, box.bottom * scale)
        left, top, right, bottom = map(round, edges)
        width, height = self.image.size
        return Picture(self.image.crop((max(0, left), max(0, top), min(width, right), min(height, bottom))), self.dpi)

    def rotate(self, clockwise: int) -> Picture:
        """Turned by a multiple of 90 degrees."""
        return Picture(self.image.rotate(-clockwise, expand=True), self.dpi) if clockwise else self


@dataclass(frozen=True, slots=True)
class OcrText:
    """``confidence``: 0..100, the mean over the letters of all words, the doubtful ones too."""

    page: Page
    confidence: float

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.page.words)


def ocr_image(picture: Picture, number: int, ocr: Ocr, limits: Limits, languages: str = "eng") -> OcrText | None:
    """The words of an image; None if none was recognised or the page took too long.

    Raises DocumentRefused ``unsupported`` if tesseract or its language is not installed.
    """
    output = run_tesseract(picture, ocr, limits, ("-l", languages, "--psm", "3", "tsv"))
    if output is None:
        return None
    words, confidence = _words(output, POINTS / picture.dpi)
    width, height = picture.size
    page = Page(number, width, height, words, read_by="ocr")
    return OcrText(page, confidence) if words else None


def run_tesseract(picture: Picture, ocr: Ocr, limits: Limits, options: Sequence[str]) -> str | None:
    """tesseract's output; None if it took too long. Raises DocumentRefused ``unsupported`` if it fails."""
    image = io.BytesIO()
    picture.image.save(image, format="PNG", compress_level=1)
    command = [str(ocr.command), "stdin", "stdout", "--dpi", str(round(picture.dpi)), *options]
    try:
        completed = subprocess.run(  # noqa: S603  # nosec B603 - nothing of it comes from the document
            command, input=image.getvalue(), capture_output=True, timeout=limits.ocr_seconds_a_page, check=False
        )
    except FileNotFoundError:
        raise DocumentRefused(
            "unsupported", f"Pages without text need OCR, and {ocr.command} is not installed."
        ) from None
    except subprocess.TimeoutExpired:
        return None
    if completed.returncode != 0:
        error_lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
        raise DocumentRefused(
            "unsupported", f"OCR failed: {error_lines[-1][:200] if error_lines else completed.returncode}"
        )
    return completed.stdout.decode("utf-8", "replace")


def _words(tsv: str, scale: float) -> tuple[tuple[Word, ...], float]:
    lines: dict[tuple[str, str, str], list[tuple[str, Box]]] = {}
    letters = surety = 0.0
    for row in csv.DictReader(io.StringIO(tsv), delimiter="\t", quoting=csv.QUOTE_NONE):
        text = (row.get("text") or "").strip()
        if row.get("level") != "5" or not text:
            continue
        letters += len(text)
        surety += len(text) * max(0.0, float(row["conf"]))
        if float(row["conf"]) < _LEAST_CONFIDENCE:
            continue
        left, top = float(row["left"]) * scale, float(row["top"]) * scale
        box = Box(left, top, left + float(row["width"]) * scale, top + float(row["height"]) * scale)
        lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), []).append((text, box))
    return tuple(word for line in lines.values() for word in _of_line(line)), surety / letters if letters else 0.0


def _of_line(line: Sequence[tuple[str, Box]]) -> Iterator[Word]:
    """The words of a line share its baseline and size."""
    heights = sorted(box.height for _, box in line)
    height = heights[len(heights) // 2]
    bottoms = sorted(box.bottom for _, box in line)
    baseline = bottoms[len(bottoms) // 3]  # letters with descenders reach lower
    for text, box in line:
        yield Word(text, box, round(height * _SIZE_OF_HEIGHT), baseline)


_FIELD = re.compile(r"^(?P<name>[A-Z][A-Za-z ]+):\s*(?P<value>\S+)$", re.MULTILINE)
_SURE_SCRIPT = 1.0  # tesseract's own measure; below, the script is a guess
_SURE_TURN = 2.0
MOST_TRIED = 6
_OF_SCRIPT = {
    "Cyrillic": "rus ukr bul bel srp mkd kaz mon kir tat tgk uzb_cyrl",
    "Greek": "ell grc",
    "Arabic": "ara fas urd pus snd uig kur_ara",
    "Hebrew": "heb yid",
    "Devanagari": "hin mar nep san",
    "Bengali": "ben asm",
    "Tamil": "tam",
    "Telugu": "tel",
    "Thai": "tha",
    "Georgian": "kat",
    "Armenian": "hye",
    "Japanese": "jpn jpn_vert",
    "Hangul": "kor kor_vert",
    "Korean": "kor kor_vert",
    "Han": "chi_sim chi_tra chi_sim_vert chi_tra_vert",
    "HanS": "chi_sim chi_sim_vert",
    "HanT": "chi_tra chi_tra_vert",
}
_OTHER_SCRIPTS = frozenset(" ".join(_OF_SCRIPT.values()).split())
_LATIN_FIRST = ("eng", "deu", "fra", "spa", "ita", "por")  # tried in this order, then the others
PACK_OF_LANGUAGE = {"en": "eng", "de": "deu", "fr": "fra", "es": "spa", "it": "ita", "pt": "por"}
LANGUAGE_NAMES = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
}


@dataclass(frozen=True, slots=True)
class Posture:
    """``script``: as tesseract names it, None if it is not sure; ``turn``: degrees clockwise that make it upright."""

    script: str | None = None
    turn: int = 0


def posture(picture: Picture, ocr: Ocr, limits: Limits) -> Posture:
    """Script and direction of the text in a picture; neither if there is too little text, or no ``osd`` pack."""
    try:
        output = run_tesseract(picture, ocr, limits, ("--psm", "0"))
    except DocumentRefused:  # "Too few characters" is an error of tesseract's, too
        return Posture()
    return parse_posture(output or "")


def parse_posture(output: str) -> Posture:
    """Reads tesseract's report on orientation and script."""
    fields = {match["name"]: match["value"] for match in _FIELD.finditer(output)}
    is_sure = _number(fields.get("Script confidence")) >= _SURE_SCRIPT
    is_turned = _number(fields.get("Orientation confidence")) >= _SURE_TURN
    return Posture(
        fields.get("Script") if is_sure else None, int(_number(fields.get("Rotate"))) % 360 if is_turned else 0
    )


def _number(text: str | None) -> float:
    try:
        return float(text or 0.0)
    except ValueError:
        return 0.0


def packs_for(script: str | None, wanted_languages: str, installed_packs: tuple[str, ...]) -> tuple[str, ...]:
    """The packs, or sums of packs (``fra+deu``), to try for a script; empty if none that is installed reads it.

    ``wanted_languages``: the setting, ``auto`` for all that are installed.
    """
    script_packs = _OF_SCRIPT.get(script or "", "").split()
    if wanted_languages != "auto":
        chosen_packs = [name for name in wanted_languages.split("+") if (name in script_packs) == bool(script_packs)]
        if script_packs and not chosen_packs:
            return ()
        return (wanted_languages,)
    if script_packs:
        return tuple(name for name in script_packs if name in installed_packs)[:MOST_TRIED]
    latin = [name for name in installed_packs if name not in _OTHER_SCRIPTS]
    return tuple(sorted(latin, key=lambda name: (_rank(name), name)))[:MOST_TRIED]


def _rank(name: str) -> int:
    return _LATIN_FIRST.index(name) if name in _LATIN_FIRST else len(_LATIN_FIRST)


def pack_of_script(script: str) -> str:
    """The usual pack of a script, to name what is missing."""
    return _OF_SCRIPT.get(script, "").partition(" ")[0] or f"the script {script}"


_LIST_SECONDS = 20.0
_LANGUAGE = re.compile(r"^[A-Za-z_]+$")


def installed_languages(command: str) -> tuple[str, ...]:
    """The language packs that tesseract finds, without those that only tell scripts apart; empty if it does not run."""
    try:
        completed = subprocess.run(  # noqa: S603  # nosec B603
            [command, "--list-langs"], capture_output=True, timeout=_LIST_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    names = completed.stdout.decode("utf-8", "replace").split("\n")
    return tuple(sorted(name for name in names if _LANGUAGE.match(name) and name not in ("osd", "equ", "snum")))


def ocr_problem(ocr: Ocr) -> str:
    """A sentence about what cannot be read and why; empty if OCR is complete, or not wanted."""
    if ocr.command is None and not ocr.missing:
        return ""
    command = shutil.which(ocr.command) if ocr.command is not None else None
    if command is None:
        return (
            "tesseract is not installed: scanned pages and page images are not read. Install it on the machines of the "
            "workers (Debian's package tesseract-ocr), or set SONDE_DOCUMENTS__OCR=false"
        )
    installed_packs = installed_languages(command)
    wanted_packs = () if ocr.languages == "auto" else ocr.languages.split("+")
    missing_packs = [name for name in wanted_packs if name not in installed_packs]
    if missing_packs:
        return (
            f"tesseract lacks the language packs {', '.join(missing_packs)} of SONDE_DOCUMENTS__OCR_LANGUAGES: scanned "
            "pages are not read. Install them (Debian's packages "
            f"{', '.join(f'tesseract-ocr-{name}' for name in missing_packs)})"
        )
    return "" if installed_packs else "tesseract has no language pack: install one (Debian's package tesseract-ocr-eng)"
