"""Names and codes of languages as ISO 639-1."""

from __future__ import annotations

import re
from functools import lru_cache

import pycountry

_WORD = re.compile(r"[^\W\d_]+")
_NOT_A_LANGUAGE = frozenset({"und", "zxx", "mul", "mis"})


@lru_cache(maxsize=4096)
def language(text: str) -> str | None:
    """``en`` for ``eng``, ``eng; USA``, ``en-GB``, ``English`` or a URI with such an end.

    ISO 639-2 where there is no 639-1; None where the text names no language.
    """
    words = _WORD.findall(text.rstrip("/").rpartition("/")[2].rpartition("#")[2])
    if not words:
        return None
    return _by_code(words[0].lower()) or _by_name(words[0])


def _by_code(code: str) -> str | None:
    if code in _NOT_A_LANGUAGE:
        return None
    for field in ("alpha_2", "alpha_3", "bibliographic"):
        found = pycountry.languages.get(**{field: code})
        if found is not None:
            return str(getattr(found, "alpha_2", None) or found.alpha_3)
    return None


def _by_name(name: str) -> str | None:
    found = pycountry.languages.get(name=name.capitalize())
    return None if found is None else str(getattr(found, "alpha_2", None) or found.alpha_3)
