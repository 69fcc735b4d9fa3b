"""Documents as trainings read them: running text of files and records, and passages that were ingested."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import structlog

from core.document import PUBLIC, Passage
from es_gateway.errors import IndexGone
from es_mappings.codecs.passages import from_document
from es_mappings.names import alias
from indexer.documents.index.store import passages_kind
from indexer.documents.parse.isolation import read_isolated
from indexer.documents.parse.limits import DocumentRefused, Limits, Ocr
from indexer.documents.parse.model import ReadDocument
from indexer.store.ledger import scan
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.training.data import SAMPLES, texts_from
from training.examples import TrainingError
from training.segmenter.boundaries import RunningText, running_of_documents, running_of_read

log = structlog.get_logger(__name__)

_SUFFIXES = (".pdf", ".html", ".htm", ".docx", ".txt", ".md")
_TIMEOUT_S = 60.0


def read_files(path: Path) -> Iterator[tuple[str, ReadDocument]]:
    """One file, or every document in a folder, by name; one that cannot be read is named in the log and passed over."""
    files = [path] if path.is_file() else sorted(one for one in path.iterdir() if one.suffix.lower() in _SUFFIXES)
    for file in files:
        try:
            yield file.name, read_isolated(file.read_bytes(), Limits(), Ocr(None)).document
        except DocumentRefused as refused:
            log.warning("training.document_refused", document=file.name, reason=refused.reason)


def running_from(source: str, settings: Settings) -> list[RunningText]:
    """Sections of the documents in a folder, else descriptions of records."""
    path = Path(source).expanduser()
    if source != SAMPLES and path.is_dir() and any(one.suffix.lower() in _SUFFIXES for one in path.iterdir()):
        return [text for name, document in read_files(path) for text in running_of_read(document, name)]
    return running_of_documents(texts_from(source, settings))


def passages_from(settings: Settings, owner: str = PUBLIC) -> tuple[list[Passage], dict[str, str]]:
    """Every text passage of the owner that was ingested, and document id -> title.

    Raises Unavailable, and TrainingError where there is none.
    """
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    query = {"bool": {"filter": [{"term": {"owner": owner}}, {"term": {"kind": "text"}}]}}
    found: list[Passage] = []
    titles: dict[str, str] = {}
    fields = ["document", "ordinal", "text", "title", "section_path", "first_page", "last_page"]
    with suppress(IndexGone):  # nothing was ever ingested
        for hit in scan(client, alias(settings.index.prefix, passages_kind(owner)), query, fields):
            passage, title = from_document(hit["_id"], {**hit["_source"], "owner": owner})
            titles[passage.document] = title
            found.append(passage)
    if not found:
        raise TrainingError(f"There are no passages of {owner!r}; `sonde ingest FILES` makes some.")
    return sorted(found, key=lambda one: (one.document, one.ordinal)), titles
