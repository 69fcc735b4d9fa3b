"""Licences as metadata write them, brought to SPDX identifiers."""

from __future__ import annotations

import re

_CC_URL = re.compile(r"creativecommons\.org/licen[cs]es/(by(?:-nc)?(?:-sa|-nd)?)/([1-4]\.\d)", re.IGNORECASE)
_CC_SHORT = re.compile(r"\bcc[\s-]*(by(?:[\s-]*nc)?(?:[\s-]*(?:sa|nd))?)[\s-]*v?([1-4]\.\d)\b", re.IGNORECASE)
_CC_LONG = re.compile(
    r"creative\s*commons\s*:?\s*attribution((?:[\s,–-]*(?:non[\s-]?commercial|share[\s-]?alike|no[\s-]?deriv(?:ative)?s?))*)"
    r"[\s(]*(?:v(?:ersion)?\s*)?([1-4]\.\d)",
    re.IGNORECASE,
)
_CC_EU = re.compile(r"authority/licence/CC_?(BY(?:_?NC)?(?:_?(?:SA|ND))?)_?([1-4])_?(\d)", re.IGNORECASE)
_NAMED = tuple(
    (re.compile(pattern, re.IGNORECASE), spdx)
    for pattern, spdx in (
        (
            r"creativecommons\.org/publicdomain/zero/1\.0|\bcc[\s-]?0\b|creative commons zero|^cc-zero$|licence/CC0",
            "CC0-1.0",
        ),
        (r"creativecommons\.org/publicdomain/mark/1\.0", "PDM-1.0"),
        (r"opendatacommons\.org/licenses/odbl|\bodbl\b|open database licen[cs]e", "ODbL-1.0"),
        (r"opendatacommons\.org/licenses/by\b|\bodc[\s-]by\b", "ODC-By-1.0"),
        (r"opendatacommons\.org/licenses/pddl|\bpddl\b", "PDDL-1.0"),
        (
            r"open-government-licence/version/([123])|open government licen[cs]e\s*\(?v?(?:ersion\s*)?([123])",
            "OGL-UK-{}.0",
        ),
        (
            r"open-government-licence-canada|ouvert\.canada\.ca/fr/licence|open government licen[cs]e\s*[-–]\s*canada",
            "OGL-Canada-2.0",
        ),
        (r"govdata\.de/dl-de/by-2-0|\bdl-de/by-2-0", "DL-DE-BY-2.0"),
        (r"govdata\.de/dl-de/zero-2-0|\bdl-de/zero-2-0", "DL-DE-ZERO-2.0"),
        (r"etalab.*licen[cs]e[\s-]*ouverte|licen[cs]e[\s-]*ouverte|etalab-2\.0", "etalab-2.0"),
        (r"apache\.org/licenses/license-2\.0|\bapache[\s-]*(?:licen[cs]e)?,?[\s-]*(?:version\s*)?2\.0", "Apache-2.0"),
        (r"opensource\.org/licenses/mit\b|\bmit licen[cs]e", "MIT"),
    )
)
_URL = re.compile(r"^https?://\S+$")


def spdx(text: str) -> str | None:
    """``CC-BY-4.0`` for the licence's URL, its short or its long name inside ``text``; None where none is recognised.

    A Creative Commons licence without its version is not recognised: which one is meant cannot be known.
    """
    if match := _CC_URL.search(text) or _CC_SHORT.search(text):
        return f"CC-{re.sub(r'[^A-Z]+', '-', match[1].upper())}-{match[2]}"
    if match := _CC_EU.search(text):
        return f"CC-{match[1].upper().replace('_', '-')}-{match[2]}.{match[3]}"
    if match := _CC_LONG.search(text):
        return f"CC-BY{_conditions(match[1])}-{match[2]}"
    for pattern, identifier in _NAMED:
        if match := pattern.search(text):
            version = next((group for group in match.groups() if group), "")
            return identifier.format(version)
    return None


def licence_url(text: str) -> str | None:
    """The text itself where it is one URL and nothing else."""
    stripped = text.strip()
    return stripped if _URL.match(stripped) else None


def _conditions(words: str) -> str:
    lowered = re.sub(r"[^a-z]", "", words.lower())
    return (
        ("-NC" if "noncommercial" in lowered else "")
        + ("-SA" if "sharealike" in lowered else "")
        + ("-ND" if "noderiv" in lowered else "")
    )
