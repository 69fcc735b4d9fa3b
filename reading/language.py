"""The language of a question or a record: en, de, fr, es, it or pt; None rather than a guess."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import structlog

LANGUAGES = ("en", "de", "fr", "es", "it", "pt")
LEAST_CONFIDENCE = 0.87
"""Under it the answer is None; set on 30 short questions of two to seven words where every wrong guess lay below."""
_LONGEST_CHARACTERS = 600  # more does not change the answer

_log = structlog.get_logger()


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of one of LANGUAGES, None where the text is too short or too mixed to be sure.

    By letter n-grams (lingua, its small models): 22 MB, 0.1 s at the first call, then 0.05 ms for a question.
    None for every text where the optional package ``lingua-language-detector`` is not installed.
    """
    return _detector()(text[:_LONGEST_CHARACTERS]) if any(letter.isalpha() for letter in text) else None


@cache
def _detector() -> Callable[[str], str | None]:
    try:  # imported on first use: the wheel is 96 MB of models for 75 languages, six of which are read
        import lingua  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        _log.warning("language.unavailable", package="lingua-language-detector")
        return lambda _: None
    codes = [getattr(lingua.IsoCode639_1, code.upper()) for code in LANGUAGES]
    builder = lingua.LanguageDetectorBuilder.from_iso_codes_639_1(*codes)
    detector = builder.with_low_accuracy_mode().build()

    def detect(text: str) -> str | None:
        best = detector.compute_language_confidence_values(text)[0]
        code: str = best.language.iso_code_639_1.name.lower()
        return code if best.value >= LEAST_CONFIDENCE else None

    return detect
