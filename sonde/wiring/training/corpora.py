"""Which texts a training asks questions of, as the command line names them: records, concepts, literature."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from core.document import PUBLIC, Passage
from core.ports import Embedder
from core.record import Record
from encoders.segmenter import load_segmenter
from es_gateway.errors import IndexGone
from es_mappings.codecs.passages import from_document
from es_mappings.names import alias
from evaluation.collections.ncar import records_of
from evaluation.vector_cache import CachedEmbedder, VectorCache
from indexer.documents.index.store import passages_kind
from indexer.documents.parse.isolation import read_isolated
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.documents.segment.passages import SegmentOptions, segment, uniform_coherence
from indexer.store.ledger import scan
from search_api.catalogue.listing import ListRequest, RecordReader, Selection
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.checkout import CHECKOUT
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.search import language_model
from training.corpora import (
    CorpusDocument,
    CorpusKind,
    documents_of_concepts,
    documents_of_passages,
    documents_of_records,
    read_definitions,
)
from training.examples import Example, TrainingError, read_examples
from training.hard_negatives import Mining, mine_negatives
from training.questions.language_model import CachedLanguageModel
from training.questions.ways import QuestionModels, QuestionSettings, questions
from training.segmenter.train import RunningText, running_of_documents, running_of_read

SAMPLES = "samples"
LICENCES = {
    SAMPLES: "CC0-1.0",
    "ncar": "CC BY 4.0",
    "pira": "CC BY 4.0",
    "climate_fever": "CC BY-SA 4.0",
    "pubmedqa": "MIT",
    "gemet": "CC BY 2.5 DK",
    "gcmd": "public domain (NASA)",
}
"""Corpus -> licence of the texts that Sonde's own trainings read, as their sources state it."""
_TIMEOUT_S = 60.0


def records_from(source: str, settings: Settings) -> Iterator[Record]:
    """``samples``, a folder or archive of metadata files, or the name of a source that was harvested.

    Raises TrainingError where it is none of these.
    """
    path = Path(source).expanduser()
    if source == SAMPLES:
        yield from records_of(CHECKOUT / SAMPLES / "records", SAMPLES)
        return
    if path.exists():
        yield from records_of(path, path.name.partition(".")[0])
        return
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    resolver = ServingResolver(client, settings.index.prefix, Models(settings).embedder)
    reader = RecordReader(client, settings.index.prefix, resolver)
    has_records = False
    for page in reader.pages(ListRequest(Selection(source=source))):
        for stored_record in page.records:
            has_records = True
            yield stored_record.record
    if not has_records:
        raise TrainingError(
            f"{source!r} is neither {SAMPLES}, a file or folder here, nor a source with records in the index."
        )


def texts_from(source: str, settings: Settings) -> list[CorpusDocument]:
    """The records' descriptions alone."""
    return list(documents_of_records(records_from(source, settings), Path(source).name))


def caching_embedder(settings: Settings) -> Embedder:
    """The embedder of the settings; texts that it read before are not read again."""
    return CachedEmbedder(Models(settings).embedder(), VectorCache(settings.models.folder / "vectors.sqlite"))


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
        for kind, option, names in (
            ("concepts", "--concepts FILE (SKOS or a keyword tree with definitions)", self.concepts),
            ("literature", f"--literature FOLDER or {LIBRARY}", self.literature),
        ):
            if kind in self.corpus and not names:
                raise TrainingError(f"The corpus holds {kind}; name them with {option}.")
            if names and kind not in self.corpus:
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
    documents: list[CorpusDocument] = []
    if "descriptions" in sources.corpus:
        documents += texts_from(sources.records, settings)
    if "concepts" in sources.corpus:
        for file in sources.concepts:
            documents += documents_of_concepts(read_definitions(file), file.stem.partition("-")[0])
    if "literature" in sources.corpus:
        for name in sources.literature:
            documents += documents_of_passages(_passages(name, settings), Path(name).name)
    if not documents:
        raise TrainingError("There is no text with at least eight words in the corpus.")
    return documents


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
    document_settings = settings.documents
    coherence = (
        load_segmenter(document_settings.segmenter, settings.models.folder)
        if document_settings.segmenter
        else uniform_coherence
    )
    embedder = caching_embedder(settings)
    for file, document in read_files(path):
        yield from segment(document, file, embedder, SegmentOptions(), coherence).passages


log = structlog.get_logger(__name__)

_SUFFIXES = (".pdf", ".html", ".htm", ".docx", ".txt", ".md")


def read_files(path: Path) -> Iterator[tuple[str, ReadDocument]]:
    """One file, or every document in a folder, by name; one that cannot be read is named in the log and passed over."""
    files = [path] if path.is_file() else sorted(file for file in path.iterdir() if file.suffix.lower() in _SUFFIXES)
    for file in files:
        try:
            yield file.name, read_isolated(file.read_bytes(), Limits(), Ocr(None)).document
        except DocumentRefused as refusal:
            log.warning("training.document_refused", document=file.name, reason=refusal.reason)


def running_texts_of(source: str, settings: Settings) -> list[RunningText]:
    """Sections of the documents in a folder, else descriptions of records."""
    path = Path(source).expanduser()
    if source != SAMPLES and path.is_dir() and any(file.suffix.lower() in _SUFFIXES for file in path.iterdir()):
        return [text for name, document in read_files(path) for text in running_of_read(document, name)]
    return running_of_documents(texts_from(source, settings))


def passages_from(settings: Settings, owner: str = PUBLIC) -> tuple[list[Passage], dict[str, str]]:
    """Every text passage of the owner that was ingested, and document id -> title.

    Raises Unavailable, and TrainingError where there is none.
    """
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    query = {"bool": {"filter": [{"term": {"owner": owner}}, {"term": {"kind": "text"}}]}}
    passages: list[Passage] = []
    titles: dict[str, str] = {}
    fields = ["document", "ordinal", "text", "title", "section_path", "first_page", "last_page"]
    with suppress(IndexGone):  # nothing was ever ingested
        for hit in scan(client, alias(settings.index.prefix, passages_kind(owner)), query, fields):
            passage, title = from_document(hit["_id"], {**hit["_source"], "owner": owner})
            titles[passage.document] = title
            passages.append(passage)
    if not passages:
        raise TrainingError(f"There are no passages of {owner!r}; `sonde ingest FILES` makes some.")
    return sorted(passages, key=lambda passage_hit: (passage_hit.document, passage_hit.ordinal)), titles


@dataclass(frozen=True, slots=True)
class CorpusExamples:
    """``documents``: what the examples were made of; none for a file of examples."""

    examples: list[Example]
    documents: list[CorpusDocument]


def examples_from(
    sources: Sources, settings: Settings, cache_file: Path, report: Callable[[str], None] = lambda _: None
) -> list[Example]:
    """The examples of :func:`corpus_examples` alone."""
    return corpus_examples(sources, settings, cache_file, report).examples


def corpus_examples(
    sources: Sources, settings: Settings, cache_file: Path, report: Callable[[str], None] = lambda _: None
) -> CorpusExamples:
    """Examples of a ``.jsonl`` file as they are; else of the corpus, with hard negatives found by words and by the
    embedder of the settings.

    ``cache_file``: the file that keeps what a language model said until the examples are used. Raises TrainingError.
    """
    if sources.has_examples:
        return CorpusExamples(read_examples(Path(sources.records).expanduser()), [])
    documents = documents_from(sources, settings)
    report(f"{len(documents)} texts")
    embedder = caching_embedder(settings)
    model = asking_model(settings, cache_file) if "language-model" in sources.questions.ways else None
    training_questions = questions(documents, sources.questions, QuestionModels(embedder, model))
    if not training_questions:
        raise TrainingError("No question could be made of these texts; give more of them, or other --questions.")
    report(f"{len(training_questions)} questions")
    return CorpusExamples(mine_negatives(training_questions, documents, embedder, sources.mining), documents)


def asking_model(settings: Settings, cache_file: Path) -> CachedLanguageModel:
    """The model of SONDE_ANSWERS__URL; ``cache_file`` keeps its answers. Raises TrainingError if none is named."""
    model = language_model(settings, lambda: Models(settings).gate)
    if model is None:
        raise TrainingError("No language model is named; set SONDE_ANSWERS__URL and SONDE_ANSWERS__MODEL.")
    return CachedLanguageModel(model, str(settings.answers.model), cache_file)
