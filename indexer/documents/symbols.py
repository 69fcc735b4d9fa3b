"""Characters of symbol fonts that the file does not name: known by their font, or by their shape.

A font of symbols often has codes instead of characters. Adobe's Symbol has the same ones everywhere; other fonts
number their characters as they please, so only the shape says which one it is.
"""

from __future__ import annotations

import re

from indexer.documents.page import Box

UNKNOWN = "\ufffd"
"""Stands for a character whose meaning the file does not give."""

_SYMBOL = {
    0x22: "∀",
    0x24: "∃",
    0x2B: "+",
    0x2D: "−",
    0x3C: "<",
    0x3D: "=",
    0x3E: ">",
    0x7E: "∼",
    0xA2: "′",
    0xA3: "≤",
    0xA5: "∞",
    0xAB: "↔",
    0xAC: "←",
    0xAD: "↑",
    0xAE: "→",
    0xAF: "↓",
    0xB0: "°",
    0xB1: "±",
    0xB2: "″",
    0xB3: "≥",
    0xB4: "×",
    0xB5: "∝",
    0xB6: "∂",
    0xB7: "•",
    0xB8: "÷",
    0xB9: "≠",
    0xBA: "≡",
    0xBB: "≈",
    0xD1: "∇",
    0xD6: "√",
    0xD7: "⋅",
    0xE5: "∑",
    0xF2: "∫",
} | {
    0x41 + place: letter
    for place, letter in enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ")
} | {
    0x61 + place: letter
    for place, letter in enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ")
}  # fmt: skip
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
    height, above = ink.height / max(size, 1.0), (baseline - ink.middle_y) / max(size, 1.0)
    if 0.0 < height <= _FLAT and ink.width >= _LONG * size and _AXIS[0] <= above <= _AXIS[1]:
        return "−"
    return UNKNOWN


def symbol_in_text(ink: Box, size: float, before: str, behind: str) -> str:
    """An unknown character that the text around it gives away: ``5 � 10`` is a product, ``25 �C`` a temperature."""
    if before[-1:].isdigit() and behind.startswith("10"):
        return "×"
    if before[-1:].isdigit() and behind[:1] in ("C", "F") and ink.height <= _SMALL * size:
        return "°"
    return UNKNOWN
