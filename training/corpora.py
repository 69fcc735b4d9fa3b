"""Texts for making questions: descriptions of records, concepts with definitions, passages of documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from core.extent import BBox
from core.passage import Passage
from core.record import Record
from core.timespan import TimeSpan
from training.examples import TrainingError

CorpusKind = Literal["descriptions", "concepts", "literature"]
"""Paper 000's corpora: its 1a is descriptions, 1b adds concepts, 1c literature; any mix is allowed."""

_SPACE = re.compile(r"\s+")
_LEAST_WORDS = 8


@dataclass(frozen=True, slots=True)
class Document:
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
    def whole(self) -> str:
        """The text as the serving reranker reads a record: title, then text."""
        return f"{self.title}\n{self.text}".strip()


def of_records(records: Iterable[Record], corpus: str) -> Iterator[Document]:
    """Records with a meaningful abstract; a record's group is its parent, else itself."""
    for record in records:
        text = plain(record.abstract)
        if len(text.split()) >= _LEAST_WORDS:
            terms = tuple(dict.fromkeys(keyword.term.strip() for keyword in record.keywords if keyword.term.strip()))
            group = record.parent or record.id
            yield Document(
                record.id, plain(record.title), text, terms, record.extents, record.times, corpus, f"{corpus}:{group}"
            )


def of_concepts(concepts: Iterable[tuple[str, str]], corpus: str) -> Iterator[Document]:
    """(label, definition) as separate documents: paper 000's corpus 1b."""
    for label, definition in concepts:
        text = plain(definition)
        if len(text.split()) >= _LEAST_WORDS and label.strip():
            name = f"{corpus}:{label}"
            yield Document(name, plain(label), text, corpus=corpus, group=name, kind="concepts")


def of_passages(passages: Iterable[Passage], corpus: str) -> Iterator[Document]:
    """Passages of running text; all of one document are one group."""
    for passage in passages:
        text = plain(passage.text)
        if passage.kind == "text" and len(text.split()) >= _LEAST_WORDS:
            group = f"{corpus}:{passage.document}"
            yield Document(passage.id, "", text, corpus=corpus, group=group, kind="literature")


def corpus_kinds(text: str) -> frozenset[CorpusKind]:
    """``all`` or a comma-separated list. Raises TrainingError for an unknown name."""
    named = frozenset(part.strip() for part in text.split(",") if part.strip())
    known: frozenset[CorpusKind] = frozenset(get_args(CorpusKind))
    if text == "all":
        return known
    if not named or named - known:
        raise TrainingError(f"{text!r} is not all or a list of {', '.join(sorted(known))}.")
    return frozenset(kind for kind in known if kind in named)


def last_part(term: str) -> str:
    """``EARTH SCIENCE > ATMOSPHERE > CLOUDS`` becomes ``CLOUDS``."""
    return term.rpartition(">")[2].strip().lower() if ">" in term else term


def plain(text: str) -> str:
    """Normalises white space."""
    return _SPACE.sub(" ", text).strip()
