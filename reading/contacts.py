"""The parts of a question that may be a person or an organisation: ``Konrad Steffen``, ``University of Washington``.

Which of them stand behind records, only the index knows (:mod:`search_api.search.retrieval.known_contacts`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reading.small_words import SAYING_NOTHING
from reading.spans import Range

_MOST_WORDS = 10  # of a question that are looked at
_LONGEST = 5  # words of a name within a question
_MOST = 24  # candidates of a question
_WORD = re.compile(r"[^\W\d_][\w.'’&-]*")


@dataclass(frozen=True, slots=True)
class ContactCandidate:
    """``is_whole``: the question says nothing else."""

    text: str
    start: int
    end: int
    is_whole: bool


def contact_candidates(text: str, taken: Sequence[Range] = ()) -> list[ContactCandidate]:
    """Longest first, at most ``_MOST``. ``taken``: places and times, which an organisation's name may hold but which
    are none alone.
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    if not words or len(words) > _MOST_WORDS:
        words = words[:_MOST_WORDS]
    runs = [
        words[start:end]
        for start in range(len(words))
        for end in range(start + 2, min(start + _LONGEST, len(words)) + 1)
    ]
    found = [ContactCandidate(text[run[0][0] : run[-1][1]], run[0][0], run[-1][1], False) for run in runs]
    found = [one for one in found if _may_be_name(one, taken)]
    stripped = text.strip(" .,;:?!")
    start = text.find(stripped)
    if words and not any(one.isdigit() for one in stripped):
        whole = ContactCandidate(stripped, start, start + len(stripped), True)
        found = [whole, *(one for one in found if one.text != stripped)]
    return sorted(found, key=lambda one: (one.start - one.end, one.start))[:_MOST]


def _may_be_name(one: ContactCandidate, taken: Sequence[Range]) -> bool:
    edges = (one.text.split()[0], one.text.split()[-1])
    if any(edge.lower().strip(".,") in SAYING_NOTHING for edge in edges):
        return False
    return not any(start <= one.start and one.end <= end for start, end in taken)
