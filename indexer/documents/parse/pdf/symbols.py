"""Characters that a font does not name, and text layers whose characters give no words.

A font of symbols often has codes instead of characters. Adobe's Symbol has the same ones everywhere; other fonts
number their characters as they please, so only the shape says which one it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

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
