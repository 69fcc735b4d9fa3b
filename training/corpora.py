"""Texts for making questions: descriptions of records, concepts with definitions, passages of documents; and the
questions made from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import rdflib
from rdflib.namespace import SKOS
from rdflib.term import Node

from core.document import Passage
from core.geo import BBox
from core.record import Record
from core.timespan import TimeSpan
from reading.concepts import graph_of, is_tree, nodes_of
from training.examples import TrainingError

CorpusKind = Literal["descriptions", "concepts", "literature"]
"""The corpora of Wetzel and Mäs (doi:10.3390/ijgi13110380): their 1a is descriptions, 1b adds concepts, 1c literature.

Any mix is allowed."""

_SPACE = re.compile(r"\s+")
_LEAST_WORDS = 8
_NO_DEFINITION = "no definition"  # GCMD's text for a missing definition


@dataclass(frozen=True, slots=True)
class CorpusDocument:
    """``title`` may be empty (a passage), ``keywords`` too; ``boxes`` and ``times`` are the record's own extents.
    ``kind`` is the kind of corpus, ``corpus`` its name there.

    ``group`` stays on one side of a split: a field project, a document.
    """

    id: str
    title: str
    text: str
    keywords: tuple[str, ...] = ()
    boxes: tuple[BBox, ...] = ()
    times: tuple[TimeSpan, ...] = ()
    corpus: str = ""
    group: str = ""
    kind: CorpusKind = "descriptions"

    @property
    def labels(self) -> tuple[str, ...]:
        """The last parts of its keywords, case folded, each once: a question for one of these is answered by it."""
        return tuple(dict.fromkeys(last_part(term).casefold() for term in self.keywords))

    @property
    def title_and_text(self) -> str:
        """The text as the serving reranker reads a record: title, then text."""
        return f"{self.title}\n{self.text}".strip()


def documents_of_records(records: Iterable[Record], corpus: str) -> Iterator[CorpusDocument]:
    """Records with a meaningful abstract; a record's group is its parent, else itself."""
    for record in records:
        text = normalise_space(record.abstract)
        if len(text.split()) >= _LEAST_WORDS:
            terms = tuple(dict.fromkeys(keyword.term.strip() for keyword in record.keywords if keyword.term.strip()))
            group = record.parent or record.id
            yield CorpusDocument(
                record.id,
                normalise_space(record.title),
                text,
                terms,
                record.extents,
                record.times,
                corpus,
                f"{corpus}:{group}",
            )


def documents_of_concepts(concepts: Iterable[tuple[str, str]], corpus: str) -> Iterator[CorpusDocument]:
    """(label, definition) as separate documents."""
    for label, definition in concepts:
        text = normalise_space(definition)
        if len(text.split()) >= _LEAST_WORDS and label.strip():
            name = f"{corpus}:{label}"
            yield CorpusDocument(name, normalise_space(label), text, corpus=corpus, group=name, kind="concepts")


def documents_of_passages(passages: Iterable[Passage], corpus: str) -> Iterator[CorpusDocument]:
    """Passages of running text; all of one document are one group."""
    for passage in passages:
        text = normalise_space(passage.text)
        if passage.kind == "text" and len(text.split()) >= _LEAST_WORDS:
            group = f"{corpus}:{passage.document}"
            yield CorpusDocument(passage.id, "", text, corpus=corpus, group=group, kind="literature")


def corpus_kinds(text: str) -> frozenset[CorpusKind]:
    """``all`` or a comma-separated list. Raises TrainingError for an unknown name."""
    names = frozenset(part.strip() for part in text.split(",") if part.strip())
    all_kinds: frozenset[CorpusKind] = frozenset(get_args(CorpusKind))
    if text == "all":
        return all_kinds
    if not names or names - all_kinds:
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(sorted(all_kinds))}.")
    return frozenset(kind for kind in all_kinds if kind in names)


def last_part(term: str) -> str:
    """``EARTH SCIENCE > ATMOSPHERE > CLOUDS`` becomes ``CLOUDS``."""
    return term.rpartition(">")[2].strip().lower() if ">" in term else term


def normalise_space(text: str) -> str:
    """Normalises white space."""
    return _SPACE.sub(" ", text).strip()


def read_definitions(path: Path) -> list[tuple[str, str]]:
    """English (label, definition) of a SKOS file or a keyword tree, by label; of two definitions the first.

    Raises InvalidInput for a file that cannot be read, TrainingError if it defines nothing in English.
    """
    concepts = _concepts_of_tree(path) if is_tree(path) else _concepts_of_graph(graph_of([path]))
    by_label = {label.lower(): (label, text) for label, text in reversed(concepts) if _is_definition(text)}
    if not by_label:
        raise TrainingError(f"{path.name} defines no concept in English: name a file that holds skos:definition.")
    return [by_label[label] for label in sorted(by_label)]


def _concepts_of_tree(path: Path) -> list[tuple[str, str]]:
    return [(str(node["label"]), str(node.get("definition") or "")) for node in nodes_of(path)]


def _concepts_of_graph(graph: rdflib.Graph) -> list[tuple[str, str]]:
    """For each subject the alphabetically first label and definition, so that a file gives the same each time."""
    concepts = []
    for subject in sorted(set(graph.subjects(SKOS.definition)), key=str):
        labels, texts = (_english(graph, subject, kind) for kind in (SKOS.prefLabel, SKOS.definition))
        concepts += [(label, text) for label, text in zip(labels[:1], texts[:1], strict=False)]
    return concepts


def _english(graph: rdflib.Graph, subject: Node, kind: Node) -> list[str]:
    """Texts in English; one without a language counts as English."""
    literals = (node for node in graph.objects(subject, kind) if isinstance(node, rdflib.Literal))
    return sorted(str(literal) for literal in literals if (literal.language or "en").lower().startswith("en"))


def _is_definition(text: str) -> bool:
    return bool(text.strip()) and not text.strip().lower().startswith(_NO_DEFINITION)


@dataclass(frozen=True, slots=True)
class PseudoQuestion:
    """``answer`` is the positive text, without the question if that was cut from it. ``shared``: every document
    with the question as a label answers it, not only this one.
    """

    question: str
    answer: str
    origin: str
    document: CorpusDocument
    shared: bool = False


def distinct(questions: Iterable[PseudoQuestion]) -> Iterator[PseudoQuestion]:
    """Drops questions made from several documents, because they have no single answer; shared ones are kept, at the
    end.
    """
    by_text: dict[str, PseudoQuestion | None] = {}
    shared_questions: list[PseudoQuestion] = []
    for question in questions:
        if question.shared:
            shared_questions.append(question)
            continue
        key = question.question.casefold()
        earlier_question = by_text.get(key, question)
        by_text[key] = (
            question if earlier_question is not None and earlier_question.document.id == question.document.id else None
        )
    yield from (question for question in by_text.values() if question is not None)
    yield from shared_questions
