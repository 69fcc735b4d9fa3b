"""Tells a hyphen that belongs to a word from one that only breaks it at a line end.

A compound keeps its hyphen: ``data-`` and ``driven``. The document itself says most: it writes the word elsewhere, with
the hyphen or without. Else the usual parts of compounds decide, which no hyphenation leaves at a line end by chance.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import pairwise

_COMPOUND = re.compile(r"\b[^\W\d_]{2,}-[^\W\d_]{2,}\b")
_WORD = re.compile(r"(?<![\w-])[^\W\d_]{4,}(?![\w-])")
_BROKEN = re.compile(r"(?<![^\W\d_])([^\W\d_]{2,40})[-‐]$")
_FIRST = re.compile(r"^([^\W\d_]{2,40})")
_LONG = 5  # letters: shorter words end others, as in "database"
_SECOND_PARTS = """
    adjusted averaged aware balanced based bearing born borne bound controlled corrected coupled covered day days
    dependent depleted derived dimensional dominated driven east enriched equipped fed filled forced free friendly
    funded generated grained hourly independent induced intensive known level like limited linear long made mean month
    off optimal order performance phase poor produced quality range ranging related resolution resolved rich risk
    running saturated scale scaled season sensitive series shaped sided sized southeast southwest specific stage
    standing state step stratified surface temperature term type up validated value varying volume weighted west width
    year years
"""
_BEHIND = frozenset(_SECOND_PARTS.split())
"""Second parts that follow a hyphen in English compounds."""
_FIRST_PARTS = """
    all cross data east ever fine free full half high higher large long longer low lower medium mid multi near new north
    northeast northwest one open post present real self semi short shorter single small so south southeast southwest
    steady third three time two water well west year zero
"""
_BEFORE = frozenset(_FIRST_PARTS.split())
"""First parts of such compounds."""
_PREFIXES = frozenset(("non", "pre", "re", "anti", "co", "de", "sub", "un", "under", "over", "inter", "intra", "trans"))


def hyphenated_words(texts: Iterable[str]) -> frozenset[str]:
    """The compounds that keep their hyphen at a line end: those written inside a line, and those that a line end
    splits. Lower case; ``texts`` are the lines in their order.
    """
    lines = list(texts)
    written = {match[0].lower() for text in lines for match in _COMPOUND.finditer(text)}
    whole = {match[0].lower() for text in lines for match in _WORD.finditer(text)}
    for above, below in pairwise(lines):
        broken, first = _BROKEN.search(above[-41:]), _FIRST.match(below)
        if broken is not None and first is not None and _is_compound(broken[1].lower(), first[1].lower(), whole):
            written.add(f"{broken[1]}-{first[1]}".lower())
    return frozenset(written)


def _is_compound(above: str, below: str, whole: Container[str]) -> bool:
    """``whole``: the words that the document writes without a hyphen."""
    if above + below in whole or above in _PREFIXES:
        return False
    if above in _BEFORE:
        return below in _BEHIND or (len(below) >= _LONG and below in whole)
    return below in _BEHIND and above in whole
