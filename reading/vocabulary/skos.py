"""Reads SKOS files (RDF/XML, Turtle, N-Triples) and keyword trees (JSON) as concepts; fetches nothing."""

from __future__ import annotations

import json
import re
import xml.sax
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rdflib import Graph, Literal, URIRef
from rdflib.exceptions import ParserError
from rdflib.namespace import SKOS
from rdflib.plugins.parsers.notation3 import BadSyntax
from rdflib.term import Node

from core.defined_acronyms import defined_acronyms
from core.errors import InvalidInput
from core.json_types import JsonMapping
from core.names import name_key
from reading.vocabulary import Concept, Label

LARGEST_FILE_BYTES = 200 << 20
LONGEST_LABEL = 120
"""Characters; a longer label is a description, not a search term."""

_QUALIFIER = re.compile(r"(?<=\S)\s*\([^()]{1,60}\)\s*$")
_LONG_NAME = re.compile(r"^\s*(?:[A-Za-z]+_)?Long_Name\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_SHORT_NAME = re.compile(r"^\s*(?:[A-Za-z]+_)?Short_Name\s*:\s*(\S.*?)\s*$", re.MULTILINE)
_FORMATS = {".rdf": "xml", ".xml": "xml", ".owl": "xml", ".skos": "xml", ".ttl": "turtle", ".nt": "nt"}
_LABELS = (SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel)
_BROKEN = (xml.sax.SAXException, BadSyntax, ParserError, ValueError, AssertionError)


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
    for above, below in graph.subject_objects(SKOS.narrower):
        narrower[above].add(str(below))
    for below, above in graph.subject_objects(SKOS.broader):
        narrower[above].add(str(below))
    for subject in sorted(set(graph.subjects(SKOS.prefLabel)), key=str):
        labels = tuple(dict.fromkeys(label for kind in _LABELS for label in _labels(graph, subject, kind)))
        if isinstance(subject, URIRef) and labels:
            yield Concept(str(subject), labels, tuple(sorted(narrower[subject] - {str(subject)})))


def _labels(graph: Graph, subject: Node, kind: URIRef) -> list[Label]:
    literals = (node for node in graph.objects(subject, kind) if isinstance(node, Literal))
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
        known = ", ".join([*_FORMATS, ".json"])
        raise InvalidInput("file", f"{path.name}: the suffix is not one of {known}")
    try:
        graph.parse(data=_content(path), format=form, publicID="urn:sonde:vocabulary:")
    except _BROKEN as error:
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
            below = tuple(sorted(_tree_uri(child) for child in node.get("children") or []))
            longer = (_label(name, "en") for name in _long_names(label.text, node.get("definition")))
            labels = dict.fromkeys((label, *(name for name in longer if name is not None)))
            yield Concept(_tree_uri(node), tuple(labels), below)


def _long_names(short: str, definition: object) -> Iterator[str]:
    """What a definition states ("Long_Name: Indian Remote Sensing Satellite-P2") or writes out ("Fluorescence Explorer
    (FLEX)"); the first of each.
    """
    text = definition if isinstance(definition, str) else ""
    stated, about = _LONG_NAME.search(text), _SHORT_NAME.search(text)
    if stated is not None and (about is None or name_key(about[1]) == name_key(short)):
        yield stated[1]
    yield from [pair.long for pair in defined_acronyms(text) if name_key(pair.short) == name_key(short)][:1]


def _nodes(nodes: Iterable[JsonMapping]) -> Iterator[JsonMapping]:
    for node in nodes:
        if not isinstance(node["label"], str) or not isinstance(node["uuid"], str):
            raise TypeError("a label or uuid is no text")
        yield node
        yield from _nodes(node.get("children") or [])


def _tree_uri(node: JsonMapping) -> str:
    return f"urn:uuid:{node['uuid']}"
