"""The text layer of a PDF page: pdfium's characters become words; also finds rules and the outlines of figures.

pdfium (pypdfium2, BSD/Apache) is built without JavaScript and XFA: scripts in a document never run.
"""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from indexer.documents.page import Box, Page, Rule, Word, around

_MOST_CHARACTERS = 200_000  # of one page; more means that it is not a real page
_MOST_OBJECTS = 20_000  # a map drawn cell by cell has more; its outline is known long before
_RULE_THICKNESS = 2.5
_SPACE = 0.16  # of the size: a wider gap separates two words
_MONO_SPACE = 0.3
_GUESSED_SPACE = 0.1  # of the size: a space that pdfium guessed counts only above this
_MOST_ACCENTS = 1000
_STRIP = 4.0  # points: letters are looked up by the strips of the page that they cover
_MOST_STRIPS = 20
_BASELINE = 0.6  # of the size: a character farther away is on another line
_BOLD = ("bold", "black", "heavy", "cmbx", "sfbx", "medi", "semib", "cmssbx")
_MONO = ("mono", "cour", "cmtt", "typewriter", "cmsltt", "sftt", "nimbusmonl", "cmitt")
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
_MATHS = ("cmmi", "cmsy", "cmex", "msam", "msbm", "math", "symbol", "eufm", "txsy", "rtxmi")


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    mono: bool
    maths: bool


@dataclass(slots=True)
class _Growing:
    """A word to which characters are added."""

    style: _Style
    baseline: float
    turned: bool
    characters: list[str] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    def takes(self, box: Box, baseline: float, style: _Style, parted: float) -> bool:
        """``parted``: the widest allowed gap, as a share of the size, given what was found between the two.

        Characters with the same box as the last one belong to the same glyph: pdfium reports a font's ffi as three
        letters that all have its full width, with no gap between them.
        """
        if box == self.boxes[-1]:
            return True
        size = max(self.style.size, style.size, 1.0)
        gap = box.left - self.boxes[-1].right
        widest = min(parted, _MONO_SPACE if style.mono else _SPACE) * size
        return abs(baseline - self.baseline) < _BASELINE * size and -0.8 * size < gap < widest

    def word(self) -> Word:
        style = self.style
        text = "".join(self.characters)
        return Word(
            text, around(self.boxes), style.size, self.baseline, style.bold, style.mono, style.maths, self.turned
        )


def read_page(page: pdfium.PdfPage, number: int) -> Page:
    """Words, rules and figures of one page; a page without a text layer has no words."""
    width, height = page.get_size()
    left, bottom, right, top = page.get_cropbox()
    frame = _Frame(left, bottom, right, top, page.get_rotation())
    textpage = page.get_textpage()
    try:
        words = tuple(word for word in _words(textpage, frame) if word.box.is_finite)
        left_out = max(0, textpage.count_chars() - _MOST_CHARACTERS)
    finally:
        textpage.close()
    rules, figures = _drawings(page, frame, width, height)
    return Page(number, width, height, words, rules, figures, "text" if words else "none", left_out=left_out)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Converts PDF coordinates (y upwards, before rotation) to ours, as the page is shown.

    ``rotation``: degrees clockwise, a multiple of 90.
    """

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self.rotation == 90:
            return y - self.bottom, x - self.left
        if self.rotation == 180:
            return self.right - x, y - self.bottom
        if self.rotation == 270:
            return self.top - y, self.right - x
        return x - self.left, self.top - y

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        (x1, y1), (x2, y2) = self.point(left, bottom), self.point(right, top)
        return Box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))

    def is_turned(self, angle: float) -> bool:
        """Whether a character at this angle (radians, from pdfium) is not upright on the shown page."""
        off = (angle + math.radians(self.rotation)) % (2.0 * math.pi)
        return 0.05 < off < 2.0 * math.pi - 0.05


@dataclass(frozen=True, slots=True)
class _Glyph:
    """A visible character; ``gap`` is the widest gap to the previous one (a share of the size) that joins them."""

    character: str
    box: Box
    baseline: float
    style: _Style
    turned: bool
    gap: float


def _words(textpage: pdfium.PdfTextPage, frame: _Frame) -> Iterator[Word]:
    glyphs = _glyphs(textpage, frame)
    growing: list[_Growing] = []
    for glyph in _with_accents(glyphs):
        last = growing[-1] if growing else None
        if last is None or not last.takes(glyph.box, glyph.baseline, glyph.style, glyph.gap):
            last = _Growing(glyph.style, glyph.baseline, glyph.turned)
            growing.append(last)
        last.characters.append(glyph.character)
        last.boxes.append(glyph.box)
    return (one.word() for one in growing)


def _glyphs(textpage: pdfium.PdfTextPage, frame: _Frame) -> list[_Glyph]:
    handle = textpage.raw
    styles = _Styles(handle)
    rect = [ctypes.c_double() for _ in range(4)]
    origin = [ctypes.c_double() for _ in range(2)]
    loose = raw.FS_RECTF()
    found: list[_Glyph] = []
    gap = math.inf
    for index in range(min(textpage.count_chars(), _MOST_CHARACTERS)):
        code = raw.FPDFText_GetUnicode(handle, index)
        character = "-" if code in (2, 0xAD) else chr(code) if code not in (0xFFFE, 0xFFFF) else " "
        if character.isspace() or code == 0 or unicodedata.category(character) in ("Cc", "Cs"):
            gap = min(gap, _GUESSED_SPACE if raw.FPDFText_IsGenerated(handle, index) == 1 else -1.0)
            continue
        raw.FPDFText_GetCharBox(handle, index, *rect)  # left, right, bottom, top
        raw.FPDFText_GetCharOrigin(handle, index, *origin)
        raw.FPDFText_GetLooseCharBox(handle, index, loose)
        box = _as_wide_as_type(
            frame.box(rect[0].value, rect[2].value, rect[1].value, rect[3].value),
            frame.box(loose.left, loose.bottom, loose.right, loose.top),
        )
        baseline = frame.point(origin[0].value, origin[1].value)[1]
        turned = frame.is_turned(float(raw.FPDFText_GetCharAngle(handle, index)))
        found.append(_Glyph(character, box, baseline, styles.of(index), turned, gap))
        gap = math.inf
    return found


def _as_wide_as_type(tight: Box, loose: Box) -> Box:
    """The height of the ink, and the advance width of the type: a 1 is as wide as a 0."""
    return Box(min(tight.left, loose.left), tight.top, max(tight.right, loose.right), tight.bottom)


def _with_accents(glyphs: list[_Glyph]) -> list[_Glyph]:
    """Puts separate accents (from old TeX fonts) onto the letter below them, in whatever order they were written."""
    accents = [glyph for glyph in glyphs if glyph.character in _ACCENTS][:_MOST_ACCENTS]
    if not accents:
        return glyphs
    letters: dict[int, list[_Glyph]] = defaultdict(list)
    for glyph in glyphs:
        if glyph.character.isalpha():
            for strip in range(*_strips(glyph.box.left - 0.5, glyph.box.right + 0.5)):
                letters[strip].append(glyph)
    under: dict[int, str] = {}
    gone: set[int] = set()
    for accent in accents:
        (strip, _) = _strips(accent.box.middle_x, accent.box.middle_x)
        letter = next((one for one in letters[strip] if _stands_over(accent, one)), None)
        if letter is not None:
            under[id(letter)] = _accented(letter.character, accent.character)
            gone.add(id(accent))
    return [
        replace(glyph, character=under.get(id(glyph), glyph.character)) for glyph in glyphs if id(glyph) not in gone
    ]


def _strips(left: float, right: float) -> tuple[int, int]:
    """The upright strips of the page from the first one to behind the last one."""
    if not (math.isfinite(left) and math.isfinite(right)):
        return 0, 1
    first = int(left // _STRIP)
    return first, min(int(right // _STRIP), first + _MOST_STRIPS) + 1


def _stands_over(accent: _Glyph, letter: _Glyph) -> bool:
    inside = letter.box.left - 0.5 <= accent.box.middle_x <= letter.box.right + 0.5
    height = 0.5 * max(letter.style.size, 1.0)
    return inside and -height <= letter.box.top - accent.box.bottom <= height


def _accented(letter: str, accent: str) -> str:
    letter = {"ı": "i", "ȷ": "j"}.get(letter, letter)
    composed = unicodedata.normalize("NFC", letter + _ACCENTS[accent])
    return composed if len(composed) == 1 else letter


class _Styles:
    """Size and font of characters, looked up once per text object."""

    def __init__(self, handle: object) -> None:
        self._handle = handle
        self._known: dict[tuple[int, float], _Style] = {}
        self._buffer = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()

    def of(self, index: int) -> _Style:
        size = round(float(raw.FPDFText_GetFontSize(self._handle, index)), 1)
        pointer = raw.FPDFText_GetTextObject(self._handle, index)
        key = (ctypes.cast(pointer, ctypes.c_void_p).value or 0, size)
        if key not in self._known:
            self._known[key] = self._asked(index, size)
        return self._known[key]

    def _asked(self, index: int, size: float) -> _Style:
        length = raw.FPDFText_GetFontInfo(self._handle, index, self._buffer, 256, self._flags)
        name = self._buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace").lower()
        # A size of 1 means that the text matrix scales the font; the height of the letters is the better measure.
        scaled = size if size > 1.5 else self._height(index)
        return _Style(
            scaled,
            any(part in name for part in _BOLD),
            any(part in name for part in _MONO),
            any(part in name for part in _MATHS),
        )

    def _height(self, index: int) -> float:
        rect = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self._handle, index, rect)
        return float(round(abs(rect.top - rect.bottom), 1))


def _drawings(
    page: pdfium.PdfPage, frame: _Frame, width: float, height: float
) -> tuple[tuple[Rule, ...], tuple[Box, ...]]:
    """Rules, and boxes of images and of drawings with many strokes."""
    rules: list[Rule] = []
    images: list[Box] = []
    strokes: list[tuple[Box, bool]] = []
    for number, drawn in enumerate(page.get_objects(max_depth=3)):
        if number >= _MOST_OBJECTS:
            break
        if drawn.type not in (raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_SHADING):
            continue
        outer = _outer(drawn)
        try:
            bounds = drawn.get_bounds()
        except pdfium.PdfiumError:
            continue
        box = frame.box(*(bounds if outer is None else outer.on_rect(*bounds)))
        if drawn.type == raw.FPDF_PAGEOBJ_IMAGE:
            images.append(box)
            continue
        if max(box.width, box.height) <= _SHORTEST_RULE and drawn.type == raw.FPDF_PAGEOBJ_PATH:
            strokes.append((box, not _is_dot(box)))
            continue
        found = _rules_of(drawn, box, frame, outer)
        rules += found
        strokes.append((box, not found))
    whole = 0.85 * width * height
    figures = [box for box in (*images, *_clusters(strokes)) if 400 < box.width * box.height < whole]
    return tuple(rule for rule in rules if rule.box.is_finite), tuple(box for box in figures if box.is_finite)


def _outer(drawn: pdfium.PdfObject) -> pdfium.PdfMatrix | None:
    """The matrix from a form's coordinates (a drawing placed on the page as a unit) to the page's."""
    outer = None
    form = drawn.container
    while form is not None:
        outer = form.get_matrix() if outer is None else outer.multiply(form.get_matrix())
        form = form.container
    return outer


_SHORTEST_RULE = 5.0  # points: the border of a cell drawn alone
_MOST_SEGMENTS = 200  # of one path that can be a grid


def _rules_of(drawn: pdfium.PdfObject, box: Box, frame: _Frame, outer: pdfium.PdfMatrix | None) -> list[Rule]:
    """The rules in a path: the path itself if it is thin, or the sides of rectangles; none if a line is not straight
    and either horizontal or vertical.
    """
    if min(box.width, box.height) <= _RULE_THICKNESS:
        return [Rule(box)] if max(box.width, box.height) > _SHORTEST_RULE else []
    points = _points(drawn, outer)
    if points is None:
        return []
    found = []
    for (x1, y1), (x2, y2) in points:
        side = frame.box(min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
        if min(side.width, side.height) > 1.0:
            return []
        if max(side.width, side.height) > _SHORTEST_RULE:
            found.append(Rule(side))
    return found


def _is_dot(box: Box) -> bool:
    """Whether it is a dot as wide as a border, which some programs draw where borders meet. Map marks are larger."""
    return max(box.width, box.height) <= 1.5


def _points(
    drawn: pdfium.PdfObject, outer: pdfium.PdfMatrix | None
) -> list[tuple[tuple[float, float], tuple[float, float]]] | None:
    """The straight pieces of a path, in PDF coordinates; None if it has a curve or too many pieces."""
    count = raw.FPDFPath_CountSegments(drawn.raw) if drawn.type == raw.FPDF_PAGEOBJ_PATH else 0
    if not 2 <= count <= _MOST_SEGMENTS:
        return None
    matrix = drawn.get_matrix() if outer is None else drawn.get_matrix().multiply(outer)
    x, y = ctypes.c_float(), ctypes.c_float()
    pieces = []
    begun = last = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(drawn.raw, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_BEZIERTO:
            return None
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            begun = point
        else:
            pieces.append((last, point))
        last = point
        if raw.FPDFPathSegment_GetClose(segment):
            pieces.append((last, begun))
    return pieces


_FEWEST_STROKES = 12
_NEAR = 8.0


def _clusters(strokes: list[tuple[Box, bool]]) -> list[Box]:
    """Outlines of drawings: at least a dozen strokes that touch each other. They must not all be rules (flag False),
    because rules alone border a table or a text. The outline encloses the other strokes.
    """
    found: list[_Cluster] = []
    for box, free in sorted(strokes[:4000], key=lambda one: (one[0].top, one[0].left)):
        joined = _Cluster(box, box if free else None, 1)
        kept: list[_Cluster] = []
        for other in found:
            if _touch(joined.box, other.box):
                joined = joined.with_(other)
            else:
                kept.append(other)
        found = [*kept, joined]
    drawn = [one.drawn for one in found if one.count >= _FEWEST_STROKES and one.drawn is not None]
    return [box for box in drawn if min(box.width, box.height) > 30]


@dataclass(frozen=True, slots=True)
class _Cluster:
    """``drawn``: the outline of all strokes that are not rules."""

    box: Box
    drawn: Box | None
    count: int

    def with_(self, other: _Cluster) -> _Cluster:
        drawn = [box for box in (self.drawn, other.drawn) if box is not None]
        return _Cluster(around((self.box, other.box)), around(drawn) if drawn else None, self.count + other.count)


def _touch(a: Box, b: Box) -> bool:
    return (
        a.left <= b.right + _NEAR
        and b.left <= a.right + _NEAR
        and a.top <= b.bottom + _NEAR
        and b.top <= a.bottom + _NEAR
    )
