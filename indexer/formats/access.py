"""Recognises restricted access, by code words and by sentences."""

from __future__ import annotations

import re

_RESTRICTED = frozenset(
    {"restricted", "private", "confidential", "secret", "topsecret", "statutory", "in-confidence",
     "sensitivebutunclassified", "sbu", "foruseofficialonly", "forofficialuseonly", "protected", "limiteddistribution",
     "non-public", "nonpublic", "non_public", "sensitive", "restrictedaccess", "closedaccess", "embargoedaccess",
     "restrictedpublic", "restricted public", "closed", "embargoed"}
)  # fmt: skip
_SAYS_RESTRICTED = re.compile(
    r"requires? (?:a |an )?(?:password|registration|log-?in|account)|access (?:is|to .{0,40} is) restricted"
    r"|(?:for |only )?(?:for )?internal (?:use|purposes) only|only for internal (?:use|purposes)"
    r"|^(?:for )?internal (?:use|purposes)\.?$"
    r"|nur (?:für den |zum )?(?:internen|dienst\w+) gebrauch|^usage interne|^uso interno|no public access"
    r"|restricted access|data are restricted|must be a registered|not publicly (?:available|accessible)",
    re.IGNORECASE,
)


def is_restricted_code(code: str) -> bool:
    """Whether a code means restricted: ISO restriction and classification, DCAT access level, DataCite, COAR."""
    return code.replace(" ", "").rpartition("/")[2].rpartition("#")[2].lower() in _RESTRICTED


def says_restricted(text: str) -> bool:
    """Whether a sentence asks for a password or a registration, or states that access is restricted."""
    return _SAYS_RESTRICTED.search(text) is not None
