"""Chooses the language packs of OCR: by the script of the page, then by the confidence of the text that each reads.

tesseract reads any picture with any pack: Russian letters read as English become Latin ones of low confidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from indexer.documents.failures import DocumentRefused
from indexer.documents.limits import Limits, Ocr
from indexer.documents.ocr import Picture, run_tesseract

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
    return told_posture(output or "")


def told_posture(output: str) -> Posture:
    """What tesseract's report on orientation and script says."""
    told = {match["name"]: match["value"] for match in _FIELD.finditer(output)}
    sure = _number(told.get("Script confidence")) >= _SURE_SCRIPT
    turned = _number(told.get("Orientation confidence")) >= _SURE_TURN
    return Posture(told.get("Script") if sure else None, int(_number(told.get("Rotate"))) % 360 if turned else 0)


def _number(text: str | None) -> float:
    try:
        return float(text or 0.0)
    except ValueError:
        return 0.0


def packs_for(script: str | None, wanted: str, installed: tuple[str, ...]) -> tuple[str, ...]:
    """The packs, or sums of packs (``fra+deu``), to try for a script; empty if none that is installed reads it.

    ``wanted``: the setting, ``auto`` for all that are installed.
    """
    own = _OF_SCRIPT.get(script or "", "").split()
    if wanted != "auto":
        given = [name for name in wanted.split("+") if (name in own) == bool(own)]
        if own and not given:
            return ()
        return (wanted,)
    if own:
        return tuple(name for name in own if name in installed)[:MOST_TRIED]
    latin = [name for name in installed if name not in _OTHER_SCRIPTS]
    return tuple(sorted(latin, key=lambda name: (_rank(name), name)))[:MOST_TRIED]


def _rank(name: str) -> int:
    return _LATIN_FIRST.index(name) if name in _LATIN_FIRST else len(_LATIN_FIRST)


def pack_of_script(script: str) -> str:
    """The usual pack of a script, to name what is missing."""
    return _OF_SCRIPT.get(script, "").partition(" ")[0] or f"the script {script}"
