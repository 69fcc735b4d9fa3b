"""GCMD's lists of platforms, instruments, projects and science keywords, if loaded: one name for each thing.

Records write ``AQUA``, ``Aqua satellite`` or the long name; the list's short name is the one that they share.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from core.names import name_key
from reading.vocabulary import Concept, NamedVocabulary

ListKind = Literal["platforms", "instruments", "projects", "variables"]

PREFIX = "gcmd"
"""A loaded vocabulary with such a name holds lists; any other one only widens questions."""

_LISTS: dict[str, ListKind] = {
    "platforms": "platforms",
    "instruments": "instruments",
    "projects": "projects",
    "sciencekeywords": "variables",
}
_GENERIC_END = re.compile(
    r"\s+(?:satellites?|spacecraft|platforms?|missions?|instruments?|sensors?|projects?|campaigns?)$", re.IGNORECASE
)
_IN_BRACKETS = re.compile(r"(.+?)\s*\(([^()]+)\)")


@dataclass(frozen=True)
class NameLists:
    """``names``: the preferred name by kind and key. Empty where no list is loaded. Immutable."""

    names: Mapping[ListKind, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, vocabularies: Iterable[NamedVocabulary]) -> NameLists:
        """The lists of the vocabularies whose names begin with ``gcmd``; the name or the top concept gives the kind."""
        by_kind: defaultdict[ListKind, list[Concept]] = defaultdict(list)
        for vocabulary in vocabularies:
            if vocabulary.name.startswith(PREFIX):
                for kind, concepts in _concepts_by_kind(vocabulary):
                    by_kind[kind] += concepts
        return cls({kind: _preferred_by_key(concepts) for kind, concepts in by_kind.items()})

    @cached_property
    def version(self) -> str:
        """Equal for equal lists, empty for none: when it changes, records are read again."""
        rows = [f"{kind}\t{key}\t{name}" for kind, names in self.names.items() for key, name in names.items()]
        return hashlib.sha256("\n".join(sorted(rows)).encode()).hexdigest()[:16] if rows else ""

    def preferred(self, kind: ListKind, written: str) -> str | None:
        """The list's name for what a record writes; None if the list does not know it.

        A qualifier in brackets that the list does not know is kept, because it may tell two things apart.
        """
        known = self.names.get(kind)
        if not known:
            return None
        whole = known.get(name_key(written)) or known.get(name_key(_GENERIC_END.sub("", written)))
        parts = _IN_BRACKETS.fullmatch(written)
        if whole is not None or parts is None:
            return whole
        outside, inside = known.get(name_key(parts[1])), known.get(name_key(parts[2]))
        return inside if outside in (None, inside) else None


def _concepts_by_kind(vocabulary: NamedVocabulary) -> Iterator[tuple[ListKind, list[Concept]]]:
    by_uri = {concept.uri: concept for concept in vocabulary.concepts}
    below = {uri for concept in vocabulary.concepts for uri in concept.narrower}
    named = _kind_of(vocabulary.name.removeprefix(PREFIX))
    for top in (concept for concept in vocabulary.concepts if concept.uri not in below):
        own = _kind_of(top.labels[0].text)
        if own is not None:
            yield own, [concept for concept in _under(top, by_uri) if concept is not top]
        elif named is not None:
            yield named, list(_under(top, by_uri))


def _kind_of(text: str) -> ListKind | None:
    return _LISTS.get(name_key(text))


def _under(top: Concept, by_uri: Mapping[str, Concept]) -> Iterator[Concept]:
    """The concept and all below it, each once."""
    seen, waiting = {top.uri}, [top]
    while waiting:
        concept = waiting.pop()
        yield concept
        new = [uri for uri in concept.narrower if uri in by_uri and uri not in seen]
        seen.update(new)
        waiting += [by_uri[uri] for uri in new]


def _preferred_by_key(concepts: Iterable[Concept]) -> Mapping[str, str]:
    """A preferred name counts before another concept's long name; what several concepts are called alike, for none."""
    preferred: dict[str, str] = {}
    also: defaultdict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        labels = [label.text for label in concept.labels if label.language in (None, "en")]
        if labels:
            preferred.setdefault(name_key(labels[0]), labels[0])
            for label in labels[1:]:
                also[name_key(label)].add(labels[0])
    clear = {key: next(iter(names)) for key, names in also.items() if len(names) == 1}
    return {key: name for key, name in {**clear, **preferred}.items() if key}


NO_LISTS = NameLists()
