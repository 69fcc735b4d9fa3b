"""Which texts a training asks questions of, as the command line names them: records, concepts, literature."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.passage import Passage
from encoders.segmenter import load_segmenter
from indexer.documents.segment.passages import SegmentOptions, segment, uniform_coherence
from sonde.settings import Settings
from sonde.wiring.training.data import remembering, texts_from
from sonde.wiring.training.documents import passages_from, read_files
from training.corpora import CorpusDocument, CorpusKind, of_concepts, of_passages, read_definitions
from training.examples import TrainingError
from training.negatives.mine import Mining
from training.questions.ways import QuestionSettings

LIBRARY = "library"
"""In the place of a folder: what was ingested for everybody."""


@dataclass(frozen=True, slots=True)
class Sources:
    """``records`` as ``data.records_from`` takes them, or a file of examples (.jsonl) as they are.

    ``corpus``: of which kinds of text; of what a kind is made is named in ``concepts`` (SKOS files and keyword
    trees with definitions) and ``literature`` (folders, files, ``library``).
    """

    records: str
    corpus: frozenset[CorpusKind] = frozenset({"descriptions"})
    concepts: tuple[Path, ...] = ()
    literature: tuple[str, ...] = ()
    questions: QuestionSettings = field(default_factory=QuestionSettings)
    mining: Mining = field(default_factory=Mining)

    def __post_init__(self) -> None:
        """Raises TrainingError where a corpus is asked for that nothing is named for, or the other way round."""
        for kind, option, given in (
            ("concepts", "--concepts FILE (SKOS or a keyword tree with definitions)", self.concepts),
            ("literature", f"--literature FOLDER or {LIBRARY}", self.literature),
        ):
            if kind in self.corpus and not given:
                raise TrainingError(f"The corpus holds {kind}; name them with {option}.")
            if given and kind not in self.corpus:
                raise TrainingError(
                    f"There are {kind}, but the corpus leaves them out; add them to --corpus, or say all."
                )
        if self.has_examples and self.corpus != {"descriptions"}:
            raise TrainingError(f"{self.records} holds examples; a corpus is chosen where they are made, from records.")

    @property
    def has_examples(self) -> bool:
        return self.records.endswith(".jsonl")


def documents_from(sources: Sources, settings: Settings) -> list[CorpusDocument]:
    """Of every kind that the corpus names, in that order. Raises TrainingError, InvalidInput, Unavailable."""
    found: list[CorpusDocument] = []
    if "descriptions" in sources.corpus:
        found += texts_from(sources.records, settings)
    if "concepts" in sources.corpus:
        for file in sources.concepts:
            found += of_concepts(read_definitions(file), file.stem.partition("-")[0])
    if "literature" in sources.corpus:
        for name in sources.literature:
            found += of_passages(_passages(name, settings), Path(name).name)
    if not found:
        raise TrainingError("There is no text with at least eight words in the corpus.")
    return found


def _passages(name: str, settings: Settings) -> Iterator[Passage]:
    """Of a library those that were ingested; of files those that an ingestion would make, by the configured segmenter.

    Raises TrainingError where there is no such file or folder.
    """
    if name == LIBRARY:
        yield from passages_from(settings)[0]
        return
    path = Path(name).expanduser()
    if not path.exists():
        raise TrainingError(f"{name!r} is neither {LIBRARY} nor a file or folder of documents here.")
    given = settings.documents
    coherence = load_segmenter(given.segmenter, settings.models.folder) if given.segmenter else uniform_coherence
    embedder = remembering(settings)
    for file, document in read_files(path):
        yield from segment(document, file, embedder, SegmentOptions(given.most_tokens), coherence).passages
