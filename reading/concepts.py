"""Concepts of vocabularies, read from SKOS and from lists of names.

Records write ``AQUA``, ``Aqua satellite`` or the long name; the list's short name is the one that they share.
"""

from __future__ import annotations

import hashlib
import json
import re
import xml.sax
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

from rdflib import Graph, URIRef
from rdflib import Literal as RdfLiteral
from rdflib.exceptions import ParserError
from rdflib.namespace import SKOS
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.term import Node

from core.errors import InvalidInput
from core.json_types import JsonMapping
from core.names import name_key
from core.record_keys import defined_acronyms


@dataclass(frozen=True, slots=True)
class Label:
    """One name; ``language`` is ISO 639-1, None if the vocabulary does not state it."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Concept:
    """``labels``: at least one, preferred ones first. ``narrower``: URIs of the directly narrower concepts."""

    uri: str
    labels: tuple[Label, ...]
    narrower: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedVocabulary:
    """Concepts with the name of their vocabulary ("gemet"), which is the source of each term found."""

    name: str
    concepts: tuple[Concept, ...]


LARGEST_FILE_BYTES = 200 << 20
LONGEST_LABEL = 120
"""Characters; a longer label is a description, not a search term."""

_QUALIFIER = re.compile(r"(?<=\S)\s*\([^()]{1,60}\)\s*$")
_LONG_NAME = re.compile(r"^\s*(?:[A-Za-z]+_)?Long_Name\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_SHORT_NAME = re.compile(r"^\s*(?:[A-Za-z]+_)?Short_Name\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_FORMATS = {".rdf": "xml", ".xml": "xml", ".owl": "xml", ".skos": "xml", ".ttl": "turtle", ".nt": "nt"}
_LABELS = (SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel)
_PARSE_ERRORS = (xml.sax.SAXException, BadSyntax, ParserError, ValueError, AssertionError)


def read_files(paths: Sequence[Path]) -> tuple[Concept, ...]:
    """The concepts of all files together (labels of one language are often in a separate file), by URI.

    Raises InvalidInput with the file and its error, or if there is no concept in them.
    """
    trees = [path for path in paths if is_tree(path)]
    graph = graph_of([path for path in paths if path not in trees])
    concepts = [*concepts_of(graph), *(concept for path in trees for concept in _read_tree(path))]
    if not concepts:
        raise InvalidInput("file", f"{', '.join(path.name for path in paths)}: no skos:Concept with a label is in it")
    return tuple(sorted(concepts, key=lambda concept: concept.uri))


def is_tree(path: Path) -> bool:
    """Whether the file is a keyword tree, by its suffix."""
    return path.suffix.lower() == ".json"


def graph_of(paths: Sequence[Path]) -> Graph:
    """The graph of the SKOS files. Raises InvalidInput as :func:`read_files`."""
    graph = Graph()
    for path in paths:
        _parse(graph, path)
    return graph


def nodes_of(path: Path) -> list[JsonMapping]:
    """Every node of a keyword tree, each before its children. Raises InvalidInput if it is not such a tree."""
    try:
        return list(_nodes(json.loads(_content(path))))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidInput("file", f"{path.name}: is no tree of uuid, label and children: {error!r}"[:300]) from error


def concepts_of(graph: Graph) -> Iterator[Concept]:
    """Every resource with a ``skos:prefLabel``; ``broader`` and ``narrower`` are inverse to each other."""
    narrower: defaultdict[Node, set[str]] = defaultdict(set)
    for broader, below in graph.subject_objects(SKOS.narrower):
        narrower[broader].add(str(below))
    for below, broader in graph.subject_objects(SKOS.broader):
        narrower[broader].add(str(below))
    for subject in sorted(set(graph.subjects(SKOS.prefLabel)), key=str):
        labels = tuple(dict.fromkeys(label for kind in _LABELS for label in _labels(graph, subject, kind)))
        if isinstance(subject, URIRef) and labels:
            yield Concept(str(subject), labels, tuple(sorted(narrower[subject] - {str(subject)})))


def _labels(graph: Graph, subject: Node, kind: URIRef) -> list[Label]:
    literals = (node for node in graph.objects(subject, kind) if isinstance(node, RdfLiteral))
    labels = filter(None, (_label(str(literal), literal.language) for literal in literals))
    return sorted(labels, key=lambda label: (label.language or "", label.text))


def _label(written: str, language: str | None) -> Label | None:
    """Normalises white space, ``en-GB`` to ``en``, and removes a final qualifier in brackets ("flow (movement)").

    None if it is empty or too long for a name.
    """
    text = " ".join(_QUALIFIER.sub("", written).split())
    if not text or len(text) > LONGEST_LABEL:
        return None
    return Label(text, language.partition("-")[0].lower() if language else None)


def _parse(graph: Graph, path: Path) -> None:
    form = _FORMATS.get(path.suffix.lower())
    if form is None:
        formats = ", ".join([*_FORMATS, ".json"])
        raise InvalidInput("file", f"{path.name}: the suffix is not one of {formats}")
    try:
        graph.parse(data=_content(path), format=form, publicID="urn:sonde:vocabulary:")
    except _PARSE_ERRORS as error:
        raise InvalidInput("file", f"{path.name}: is no {form} that can be read: {_first_line(error)}") from error


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise InvalidInput("file", f"{path.name}: is larger than {LARGEST_FILE_BYTES >> 20} MB")
        return path.read_bytes()
    except OSError as error:
        raise InvalidInput("file", f"{path}: cannot be read: {error.strerror}") from error


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0][:200]


def _read_tree(path: Path) -> Iterator[Concept]:
    """A tree of ``{uuid, label, definition, children}``, the form in which mdKeywords publishes GCMD, in English.

    Its only place for a long name is the definition.
    """
    for node in nodes_of(path):
        label = _label(node["label"], "en")
        if label is not None:
            narrower = tuple(sorted(_tree_uri(child) for child in node.get("children") or []))
            longer = (_label(name, "en") for name in _long_names(label.text, node.get("definition")))
            labels = dict.fromkeys((label, *(name for name in longer if name is not None)))
            yield Concept(_tree_uri(node), tuple(labels), narrower)


def _long_names(short_name: str, definition: object) -> Iterator[str]:
    """What a definition states ("Long_Name: Indian Remote Sensing Satellite-P2") or writes out ("Fluorescence Explorer
    (FLEX)"); the first of each.
    """
    text = definition if isinstance(definition, str) else ""
    long_name_match, about = _LONG_NAME.search(text), _SHORT_NAME.search(text)
    if long_name_match is not None and (about is None or name_key(about[1]) == name_key(short_name)):
        yield long_name_match[1]
    yield from [
        acronym_pair.long
        for acronym_pair in defined_acronyms(text)
        if name_key(acronym_pair.short) == name_key(short_name)
    ][:1]


def _nodes(nodes: Iterable[JsonMapping]) -> Iterator[JsonMapping]:
    for node in nodes:
        if not isinstance(node["label"], str) or not isinstance(node["uuid"], str):
            raise TypeError("a label or uuid is no text")
        yield node
        yield from _nodes(node.get("children") or [])


def _tree_uri(node: JsonMapping) -> str:
    return f"urn:uuid:{node['uuid']}"


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

    def preferred(self, kind: ListKind, name: str) -> str | None:
        """The list's name for what a record writes; None if the list does not know it.

        A qualifier in brackets that the list does not know is kept, because it may tell two things apart.
        """
        names_of_kind = self.names.get(kind)
        if not names_of_kind:
            return None
        preferred = names_of_kind.get(name_key(name)) or names_of_kind.get(name_key(_GENERIC_END.sub("", name)))
        parts = _IN_BRACKETS.fullmatch(name)
        if preferred is not None or parts is None:
            return preferred
        outside_name, inside_name = names_of_kind.get(name_key(parts[1])), names_of_kind.get(name_key(parts[2]))
        return inside_name if outside_name in (None, inside_name) else None


def _concepts_by_kind(vocabulary: NamedVocabulary) -> Iterator[tuple[ListKind, list[Concept]]]:
    by_uri = {concept.uri: concept for concept in vocabulary.concepts}
    narrower_uris = {uri for concept in vocabulary.concepts for uri in concept.narrower}
    list_kind = _kind_of(vocabulary.name.removeprefix(PREFIX))
    for top in (concept for concept in vocabulary.concepts if concept.uri not in narrower_uris):
        top_kind = _kind_of(top.labels[0].text)
        if top_kind is not None:
            yield top_kind, [concept for concept in _with_narrower(top, by_uri) if concept is not top]
        elif list_kind is not None:
            yield list_kind, list(_with_narrower(top, by_uri))


def _kind_of(text: str) -> ListKind | None:
    return _LISTS.get(name_key(text))


def _with_narrower(top: Concept, by_uri: Mapping[str, Concept]) -> Iterator[Concept]:
    """The concept and all below it, each once."""
    uris_found, pending = {top.uri}, [top]
    while pending:
        concept = pending.pop()
        yield concept
        new_uris = [uri for uri in concept.narrower if uri in by_uri and uri not in uris_found]
        uris_found.update(new_uris)
        pending += [by_uri[uri] for uri in new_uris]


def _preferred_by_key(concepts: Iterable[Concept]) -> Mapping[str, str]:
    """A preferred name counts before another concept's long name; what several concepts are called alike, for none."""
    names_by_key: dict[str, str] = {}
    also: defaultdict[str, set[str]] = defaultdict(set)
    for concept in concepts:
        labels = [label.text for label in concept.labels if label.language in (None, "en")]
        if labels:
            names_by_key.setdefault(name_key(labels[0]), labels[0])
            for label in labels[1:]:
                also[name_key(label)].add(labels[0])
    clear = {key: next(iter(names)) for key, names in also.items() if len(names) == 1}
    return {key: name for key, name in {**clear, **names_by_key}.items() if key}


NO_LISTS = NameLists()
