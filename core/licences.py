"""Which licences allow anybody to pass a work on unchanged."""

from __future__ import annotations

import re

_OPEN = re.compile(
    r"(?:.*creativecommons\.org/(?:licenses/by(?:-sa|-nd)?/\d|publicdomain/).*"
    r"|CC[- ]BY(?:[- ](?:SA|ND))?(?:[- ]\d(?:\.\d)?)?(?: (?:International|Deed|Unported))?"
    r"|CC0(?:[- ]1\.0)?|PDM[- ]1\.0|public domain"
    r"|(?:.*spdx\.org/licenses/)?(?:ODbL|ODC-By|PDDL|OGL-UK|OGL-Canada|DL-DE-BY|DL-DE-ZERO|etalab)-\d\.\d)",
    re.IGNORECASE,
)


def is_open(licence: str | None) -> bool:
    """Whether it is one of the known licences for that, as an address, an SPDX identifier or a usual short name.

    Not those for non-commercial use only: who runs the service decides whether it is one.
    """
    return licence is not None and _OPEN.fullmatch(licence.strip()) is not None
