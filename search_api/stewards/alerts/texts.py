"""Texts of mails about saved searches and of the pages of their links, in six languages, from ``texts.json``.

Numbers come after a colon, so that no language needs a plural. In French a no-break space goes before a colon.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, get_args

Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "en"


@dataclass(frozen=True, slots=True)
class AlertTexts:
    """``{...}`` are replaced by values; ``search`` and ``catalogues``: links above each page."""

    search: str
    catalogues: str
    confirm_subject: str
    confirm_text: str
    digest_subject: str
    several: str
    window: str
    new: str
    changed: str
    more: str
    stop: str
    confirm: str
    confirm_asks: str
    confirmed: str
    unsubscribe: str
    unsubscribe_asks: str
    unsubscribed: str


def _read_texts() -> Mapping[Language, AlertTexts]:
    stored = json.loads(files(__package__).joinpath("texts.json").read_text(encoding="utf-8"))
    return {language: AlertTexts(**stored[language]) for language in LANGUAGES}


TEXTS = _read_texts()
