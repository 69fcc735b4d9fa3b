"""The characters of a PDF page as pdfium finds them: with their place, font, direction, and whether they are inked.

Only upright characters are placed exactly; ``text_layer`` turns a page before it reads text of another direction.

A font of symbols often has codes instead of characters. Adobe's Symbol has the same ones everywhere; other fonts
number their characters as they please, so only the shape says which one it is.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from indexer.documents.parse.model import Box, Word

UNKNOWN = "\ufffd"
"""Stands for a character whose meaning the file does not give."""

_SYMBOL_TABLE = """
    22∀ 24∃ 2B+ 2D− 3C< 3D= 3E> 7E∼ A2′ A3≤ A5∞ AB↔ AC← AD↑ AE→ AF↓ B0° B1± B2″ B3≥ B4× B5∝ B6∂ B7• B8÷ B9≠ BA≡ BB≈
    D1∇ D6√ D7⋅ E5∑ F2∫
"""
"""Code in hexadecimal, then its character."""
_SYMBOL = (
    {int(entry[:2], 16): entry[2:] for entry in _SYMBOL_TABLE.split()}
    | dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41))
    | dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0x61))
)
_PIECES = dict(enumerate("⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎪⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF8EB))
"""Pieces of brackets over several lines, as Adobe codes them."""
_TEX: dict[str, dict[int, str]] = {
    "ex": dict(enumerate("()[]⌊⌋⌈⌉{}⟨⟩|‖/\\()()[]⌊⌋⌈⌉{}⟨⟩")),
    "sy": dict(enumerate("−⋅×∗÷⋄±∓⊕⊖⊗⊘⊙○∘∙≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻")),
    "mi": dict(enumerate("ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχ")),
}
"""The codes of TeX's fonts, which old files give without names."""
_TEX_FONT = re.compile(r"(?:^|\+)(?:cm|bl|lm|tx|px|eu)\w{0,2}?(?P<kind>ex|sy|mi)(?:b?\d*)$")
_MARKS = ("wingding", "dingbat", "webding")  # fonts whose characters are bullets and arrows
_FLAT, _LONG = 0.14, 0.3  # of the size: a bar
_SMALL = 0.45  # of the size: a ring or a star
_AXIS = (0.12, 0.42)  # of the size above the baseline: where a minus is


def symbol_of_font(character: str, font: str) -> str | None:
    """What a control code, or a private one, means in this font (its name in small letters); None if it is unknown."""
    code = ord(character)
    if code in _PIECES:
        return _PIECES[code]
    tex = _TEX_FONT.search(font)
    if code < 0x20 and tex is not None:
        return _TEX[tex["kind"]].get(code)
    code -= 0xF000
    if not 0x20 <= code <= 0xFF:
        return None
    if any(mark in font for mark in _MARKS):
        return "•"
    if "symbol" in font or code == 0xB7:
        return _SYMBOL.get(code) or (chr(code) if 0x20 < code < 0x41 else None)
    return None


def symbol_by_shape(ink: Box, baseline: float, size: float) -> str:
    """A minus is a flat bar at half the height of the digits; other shapes are :data:`UNKNOWN`."""
    height, height_above = ink.height / max(size, 1.0), (baseline - ink.middle_y) / max(size, 1.0)
    if 0.0 < height <= _FLAT and ink.width >= _LONG * size and _AXIS[0] <= height_above <= _AXIS[1]:
        return "−"
    return UNKNOWN


def symbol_in_text(ink: Box, size: float, text_before: str, text_after: str) -> str:
    """An unknown character that the text around it gives away: ``5 � 10`` is a product, ``25 �C`` a temperature."""
    if text_before[-1:].isdigit() and text_after.startswith("10"):
        return "×"
    if text_before[-1:].isdigit() and text_after[:1] in ("C", "F") and ink.height <= _SMALL * size:
        return "°"
    return UNKNOWN


_FEWEST = 60  # characters: fewer tell nothing
_UNKNOWN_SHARE = 0.2  # of the characters
_SYMBOL_SHARE = 0.5
_WITHOUT_VOWEL = 0.6  # of the words
_FEWEST_WORDS = 20
_SINGLE = 0.6  # of the pieces with letters
_FEWEST_SINGLE = 40
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýÿıāēīōūăąęěőűůά-ώаеёиоуыэюяіїєў]", re.IGNORECASE)
_TOKEN = re.compile(r"[^\W\d_]{4,}")
_SPELT = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]")  # scripts that write vowels

UNNAMED_CHARACTERS = "its font does not say which characters it holds"
SYMBOLS = "its text layer has symbols instead of letters"
MEANINGLESS = (UNNAMED_CHARACTERS, SYMBOLS)
"""Such text is left out even where OCR gives no other."""


def legibility_problem(words: Sequence[Word]) -> str:
    """What is wrong with these words, as the end of a sentence; empty if they can be read."""
    upright_words = [word for word in words if not word.maths and not word.turned]
    characters = "".join(word.text for word in upright_words)
    if len(characters) < _FEWEST:
        return ""
    if characters.count(UNKNOWN) > _UNKNOWN_SHARE * len(characters):
        return UNNAMED_CHARACTERS
    if sum(map(_is_symbol, characters)) > _SYMBOL_SHARE * len(characters):
        return SYMBOLS
    tokens = [token for word in upright_words for token in _TOKEN.findall(word.text) if _SPELT.match(token)]
    mute = sum(_VOWEL.search(token) is None for token in tokens)
    if len(tokens) >= _FEWEST_WORDS and mute > _WITHOUT_VOWEL * len(tokens):
        return "its text layer has letters that form no words"
    pieces = [word.text for word in upright_words if word.text[:1].isalpha() and _SPELT.match(word.text)]
    single = sum(len(piece) == 1 for piece in pieces)
    if single >= _FEWEST_SINGLE and single > _SINGLE * len(pieces):
        return "its letters stand apart and form no words"
    return ""


def _is_symbol(character: str) -> bool:
    if character.isalnum() or character in ".,-–−()":
        return False
    return unicodedata.category(character)[0] not in ("M", "Z")


@dataclass(frozen=True, slots=True)
class Frame:
    """Converts PDF coordinates (y upwards) of a page without rotation to ours (y downwards from the upper left)."""

    left: float
    bottom: float
    right: float
    top: float

    @classmethod
    def of(cls, page: pdfium.PdfPage) -> Frame:
        return cls(*page.get_cropbox())

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        x1, x2 = left - self.left, right - self.left
        y1, y2 = self.top - bottom, self.top - top
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))


def turn_page(
    document: pdfium.PdfDocument, index: int, angle: int, size: tuple[float, float] | None = None
) -> pdfium.PdfPage:
    """The page with all its content turned clockwise by ``angle`` degrees about its middle, so that text written at
    that angle (in PDF coordinates) is upright; it is shown without a rotation. The document keeps the turned page.
    ``size``: width and height of the turned page; by default as much as the content needs.

    pdfium measures the width of letters only in text that is upright, so turned text is turned before it is read.
    """
    page = document[index]
    try:
        left, bottom, right, top = page.get_cropbox()
        cosine, sine = (round(value, 12) for value in (math.cos(math.radians(angle)), math.sin(math.radians(angle))))
        width = abs((right - left) * cosine) + abs((top - bottom) * sine)
        height = abs((right - left) * sine) + abs((top - bottom) * cosine)
        width, height = size or (width, height)
        middle_x, middle_y = (left + right) / 2.0, (bottom + top) / 2.0
        matrix = raw.FS_MATRIX(
            cosine,
            -sine,
            sine,
            cosine,
            width / 2.0 - middle_x * cosine - middle_y * sine,
            height / 2.0 + middle_x * sine - middle_y * cosine,
        )
        raw.FPDFPage_TransFormWithClip(page.raw, ctypes.byref(matrix), None)
        page.set_mediabox(0.0, 0.0, width, height)
        page.set_cropbox(0.0, 0.0, width, height)
        page.set_rotation(0)
    finally:
        page.close()
    return document[index]


MOST_CHARACTERS = 200_000  # of one page; more means that it is not a real page
_GUESSED_SPACE = 0.1  # of the size: a space that pdfium guessed counts only above this
_MOST_ACCENTS = 1000
_STRIP = 4.0  # points: letters are looked up by the strips of the page that they cover
_MOST_STRIPS = 20
_UPRIGHT = 3  # degrees: a scanned page lies askew
_WHITE = 235  # of 255: lighter ink needs a darker ground to be seen
_CLEAR = 26  # of 255: more transparent ink cannot be seen
_INVISIBLE_MODES = (raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP)
_FILLED_MODES = (raw.FPDF_TEXTRENDERMODE_FILL, raw.FPDF_TEXTRENDERMODE_FILL_CLIP)
_BOLD = ("bold", "black", "heavy", "cmbx", "sfbx", "medi", "semib", "cmssbx")
_MONO = ("mono", "cour", "cmtt", "typewriter", "cmsltt", "sftt", "nimbusmonl", "cmitt")
_MATHS = ("cmmi", "cmsy", "cmex", "msam", "msbm", "math", "symbol", "eufm", "txsy", "rtxmi")
_ACCENTS = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "˜": "\u0303",
    "ˆ": "\u0302",
    "¯": "\u0304",
    "˚": "\u030a",
    "ˇ": "\u030c",
}

Ink = Literal["seen", "pale", "none"]
"""``pale``: white or transparent; ``none``: written without ink, as OCR does under the picture of a page."""


@dataclass(frozen=True, slots=True)
class Style:
    """``size`` in points as it is shown; ``angle`` in whole degrees, anticlockwise in PDF coordinates."""

    size: float
    bold: bool
    mono: bool
    maths: bool
    font: str
    angle: int
    ink: Ink

    @property
    def is_upright(self) -> bool:
        return min(self.angle, 360 - self.angle) <= _UPRIGHT


class Glyph(NamedTuple):
    """A character; ``gap`` is the widest gap to the previous one (a share of the size) that joins them."""

    character: str
    box: Box
    baseline: float
    style: Style
    gap: float


def read_glyphs(
    textpage: pdfium.PdfTextPage, frame: Frame, is_read: Callable[[Style], bool] | None = None
) -> list[Glyph]:
    """The characters of the styles that are read, in the order of the file, with separate accents on their letters.

    This loop takes most of the time of a page: it asks pdfium only for what each character needs.
    """
    handle, page_left, page_top = textpage.raw, frame.left, frame.top
    styles = _Styles(handle)
    left, right, bottom, top, origin_x, origin_y = (ctypes.c_double() for _ in range(6))
    loose = raw.FS_RECTF()
    glyphs: list[Glyph] = []
    gap = math.inf
    high_half = (
        0  # the first half of a character beyond the basic plane: pdfium gives the two halves one after the other
    )
    for index in range(min(textpage.count_chars(), MOST_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(handle, index)
        if 0xD800 <= code < 0xDC00:
            high_half = code
            continue
        character = chr(code) if 0x20 <= code < 0x7F else _character(handle, index, code, high_half)
        high_half = 0
        if character.isspace():
            gap = min(gap, _GUESSED_SPACE if raw.FPDFText_IsGenerated(handle, index) == 1 else -1.0)
            continue
        style = styles.of(index)
        if is_read is not None and not is_read(style):
            gap = math.inf
            continue
        raw.FPDFText_GetCharBox(handle, index, left, right, bottom, top)
        raw.FPDFText_GetCharOrigin(handle, index, origin_x, origin_y)
        raw.FPDFText_GetLooseCharBox(handle, index, loose)
        x1, x2, y1, y2 = left.value, right.value, bottom.value, top.value
        baseline = page_top - origin_y.value
        if character == "\0" and (x2 - x1) * (y2 - y1) == 0.0:
            gap = min(gap, -1.0)  # no character, but a space that the font does not name
            continue
        is_plain = " " < character <= "~" or character.isalnum()
        if not is_plain and unicodedata.category(character) in ("Cc", "Co"):
            tight = frame.box(x1, y1, x2, y2)
            character = symbol_of_font(character, style.font) or symbol_by_shape(tight, baseline, style.size)
        # the height of the ink, and the advance width of the type: a 1 is as wide as a 0
        x3, x4 = loose.left, loose.right
        low, high = (y1, y2) if y1 <= y2 else (y2, y1)
        box = Box(min(x1, x2, x3, x4) - page_left, page_top - high, max(x1, x2, x3, x4) - page_left, page_top - low)
        glyphs.append(Glyph(character, box, baseline, style, gap))
        gap = math.inf
    return _place_accents(_name_symbols(glyphs))


def _name_symbols(glyphs: list[Glyph]) -> list[Glyph]:
    """Names unknown characters by their neighbours, where these tell."""
    named_glyphs = list(glyphs)
    for place, glyph in enumerate(glyphs):
        if glyph.character == UNKNOWN:
            text_before = "".join(neighbour.character for neighbour in glyphs[max(0, place - 1) : place])
            next_characters = "".join(neighbour.character for neighbour in glyphs[place + 1 : place + 3])
            symbol = symbol_in_text(glyph.box, glyph.style.size, text_before, next_characters)
            named_glyphs[place] = glyph._replace(character=symbol)
    return named_glyphs


def _character(handle: object, index: int, code: int, high_half: int) -> str:
    """A space for a code that is no character."""
    if 0xDC00 <= code < 0xE000:
        return chr(0x10000 + ((high_half - 0xD800) << 10) + code - 0xDC00) if high_half else UNKNOWN
    if code == 0xAD or (code == 2 and raw.FPDFText_IsHyphen(handle, index) == 1):
        return "-"
    if code in (0xFFFE, 0xFFFF):
        return " "
    return chr(code)


def _place_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """Puts separate accents (from old TeX fonts) onto the letter below them, in whatever order they were written."""
    accents = [glyph for glyph in glyphs if glyph.character in _ACCENTS][:_MOST_ACCENTS]
    if not accents:
        return glyphs
    letters: dict[int, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        if glyph.character.isalpha():
            for strip in range(*_strips(glyph.box.left - 0.5, glyph.box.right + 0.5)):
                letters[strip].append(glyph)
    accent_by_letter: dict[int, str] = {}
    joined_accents: set[int] = set()
    for accent in accents:
        (strip, _) = _strips(accent.box.middle_x, accent.box.middle_x)
        letter = next((candidate for candidate in letters[strip] if _is_above(accent, candidate)), None)
        if letter is not None:
            accent_by_letter[id(letter)] = _accent(letter.character, accent.character)
            joined_accents.add(id(accent))
    return [
        glyph._replace(character=accent_by_letter[id(glyph)]) if id(glyph) in accent_by_letter else glyph
        for glyph in glyphs
        if id(glyph) not in joined_accents
    ]


def _strips(left: float, right: float) -> tuple[int, int]:
    """The upright strips of the page from the first one to behind the last one."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return 0, 1
    first = int(left // _STRIP)
    return first, min(int(right // _STRIP), first + _MOST_STRIPS) + 1


def _is_above(accent: Glyph, letter: Glyph) -> bool:
    is_inside = letter.box.left - 0.5 <= accent.box.middle_x <= letter.box.right + 0.5
    height = 0.5 * max(letter.style.size, 1.0)
    return is_inside and -height <= letter.box.top - accent.box.bottom <= height


def _accent(letter: str, accent: str) -> str:
    letter = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    composed_letter = unicodedata.normalize("NFC", letter + _ACCENTS[accent])
    return composed_letter if len(composed_letter) == 1 else letter


class _Styles:
    """Size, font, direction and ink of characters, looked up once per text object."""

    def __init__(self, handle: object) -> None:
        self._handle = handle
        self._style_by_address: dict[int, Style] = {}
        self._styles: dict[Style, Style] = {}
        """Equal styles as one object."""
        self._buffer = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()
        self._matrix = raw.FS_MATRIX()

    def of(self, index: int) -> Style:
        """A text object has one size, so its address alone tells the style."""
        pointer = raw.FPDFText_GetTextObject(self._handle, index)
        address = ctypes.addressof(pointer.contents) if pointer else 0
        style = self._style_by_address.get(address) if address else None
        if style is None:
            size = float(raw.FPDFText_GetFontSize(self._handle, index))
            style = self._look_up(index, size, pointer)
            style = self._style_by_address[address] = self._styles.setdefault(style, style)
        return style

    def _look_up(self, index: int, size: float, text: object) -> Style:
        length = raw.FPDFText_GetFontInfo(self._handle, index, self._buffer, 256, self._flags)
        name = self._buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace").lower()
        matrix = self._matrix
        angle, scale = 0, 1.0
        if raw.FPDFText_GetMatrix(self._handle, index, matrix):
            angle = round(math.degrees(math.atan2(matrix.b, matrix.a))) % 360
            scale = math.hypot(matrix.c, matrix.d)
        size_shown = round(size * scale, 1)
        return Style(
            size_shown if size_shown > 1.5 else self._height(index),  # a bitmap font states no useful size
            any(part in name for part in _BOLD),
            any(part in name for part in _MONO),
            any(part in name for part in _MATHS),
            name,
            angle,
            self._ink(text),
        )

    def _height(self, index: int) -> float:
        rect = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._handle, index, rect)
        return float(round(abs(rect.top - rect.bottom), 1))

    def _ink(self, text: object) -> Ink:
        mode = raw.FPDFTextObj_GetTextRenderMode(text)
        if mode in _INVISIBLE_MODES:
            return "none"
        colour = [ctypes.c_uint() for _ in range(4)]
        if mode in _FILLED_MODES and raw.FPDFPageObj_GetFillColor(text, *colour):
            red, green, blue, alpha = (part.value for part in colour)
            if alpha < _CLEAR or min(red, green, blue) >= _WHITE:
                return "pale"
        return "seen"
