"""Sections: which blocks belong to which headings, and their role in a paper."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from indexer.documents.model import Block

ROLES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for role, words in (
        ("abstract", "abstract|summary|zusammenfassung|résumé|resumen|riassunto|resumo"),
        (
            "data_availability",
            r"(?:data|code)(?: and (?:code|data|software))? (?:availability|access|sources?)|data and resources"
            r"|availability of data",
        ),
        ("acknowledgements", "acknowledge?ments?|danksagung|remerciements"),
        ("references", "references(?: cited)?|bibliography|literature cited|literatur|bibliographie|referencias"),
        ("conclusions", "conclusions?|concluding|outlook|schlussfolgerung(?:en)?|conclusiones"),
        ("results", "results?|findings|ergebnisse|résultats|resultados"),
        ("discussion", "discussion|diskussion|discusión"),
        ("methods", "methods?|methodology|materials?|study (?:area|site)|experimental|procedures?|methoden|méthodes"),
        ("data", "data|datasets?|data ?sets?|measurements|observations"),
        ("introduction", "introduction|background|motivation|einleitung|statement of need|introducción"),
        ("appendix", "appendix|supplement(?:ary)?|anhang|annexe?"),
    )
)
"""Maps a role to the words that mark it in a heading; the first match wins."""

NUMBERED = re.compile(
    r"^(?P<number>\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}\.)\.?\s+(?P<title>\S.*)$"
)
_SECTION_WORDS = """
    abstract summary introduction background methods method methodology materials results discussion conclusion
    conclusions acknowledgments acknowledgements acknowledgement references bibliography appendix contents
    zusammenfassung einleitung methoden ergebnisse diskussion literatur résumé resume introducción resultados
    discusión conclusiones referencias bibliographie
"""
SECTION_NAMES = frozenset(_SECTION_WORDS.split())
"""Headings that need no other sign; in small letters."""
_NUMBER = re.compile(r"^(?:\d{1,2}(?:\.\d{1,2})*|[A-Z](?:\.\d{1,2})+|[IVX]+\.)\.?\s+")


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under one heading (without the heading); ``path`` holds its parents and itself."""

    path: tuple[str, ...]
    role: str | None
    blocks: tuple[Block, ...] = field(default=())


def sections(blocks: Sequence[Block]) -> list[Section]:
    """In document order; blocks before the first heading have an empty path. Leaves out empty sections."""
    return [Section(path, role_of(path), tuple(own)) for path, own in _grouped(blocks) if own]


def _grouped(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    above: list[tuple[int, str]] = []
    own: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            own.append(block)
            continue
        yield tuple(title for _, title in above), own
        own = []
        above = [*(one for one in above if one[0] < block.level), (block.level, block.text)]
    yield tuple(title for _, title in above), own


def role_of(path: Sequence[str]) -> str | None:
    """The role by the nearest heading that has one; None if none has."""
    for title in reversed(path):
        bare = _NUMBER.sub("", title)
        for role, words in ROLES:
            if words.search(bare):
                return role
    return None


def without_number(title: str) -> str:
    """``2.3. Long format`` as ``Long format``."""
    return _NUMBER.sub("", title).strip()
