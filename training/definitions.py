"""Concepts with their definitions in a vocabulary: paper 000's corpus 1b, from GEMET, GCMD or your own."""

from __future__ import annotations

from pathlib import Path

from rdflib import Graph, Literal
from rdflib.namespace import SKOS
from rdflib.term import Node

from reading.vocabulary.skos import graph_of, is_tree, nodes_of
from training.examples import TrainingError

_NONE_GIVEN = "no definition"  # GCMD's text for a missing definition


def read_definitions(path: Path) -> list[tuple[str, str]]:
    """English (label, definition) of a SKOS file or a keyword tree, by label; of two definitions the first.

    Raises InvalidInput for a file that cannot be read, TrainingError if it defines nothing in English.
    """
    found = _of_tree(path) if is_tree(path) else _of_graph(graph_of([path]))
    told = {label.lower(): (label, text) for label, text in reversed(found) if _says(text)}
    if not told:
        raise TrainingError(f"{path.name} defines no concept in English: name a file that holds skos:definition.")
    return [told[label] for label in sorted(told)]


def _of_tree(path: Path) -> list[tuple[str, str]]:
    return [(str(node["label"]), str(node.get("definition") or "")) for node in nodes_of(path)]


def _of_graph(graph: Graph) -> list[tuple[str, str]]:
    """For each subject the alphabetically first label and definition, so that a file gives the same each time."""
    found = []
    for subject in sorted(set(graph.subjects(SKOS.definition)), key=str):
        labels, texts = (_english(graph, subject, kind) for kind in (SKOS.prefLabel, SKOS.definition))
        found += [(label, text) for label, text in zip(labels[:1], texts[:1], strict=False)]
    return found


def _english(graph: Graph, subject: Node, kind: Node) -> list[str]:
    """Texts in English; one without a language counts as English."""
    given = (one for one in graph.objects(subject, kind) if isinstance(one, Literal))
    return sorted(str(one) for one in given if (one.language or "en").lower().startswith("en"))


def _says(text: str) -> bool:
    return bool(text.strip()) and not text.strip().lower().startswith(_NONE_GIVEN)
