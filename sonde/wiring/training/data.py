"""What a training on the command line is fed with: the samples, a source of the index, or metadata files."""

from __future__ import annotations

import subprocess  # nosec B404
from collections.abc import Iterator
from pathlib import Path

from core.ports import Embedder
from core.record import Record
from evaluation.collections.catalogue import records_of
from evaluation.vector_cache import CachedEmbedder, VectorCache
from search_api.catalogue.listing.query import ListRequest, Selection
from search_api.catalogue.listing.reader import RecordReader
from search_api.search.retrieval.serving import ServingResolver
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.evaluation.judged import CHECKOUT
from sonde.wiring.models import Models
from training.corpora import CorpusDocument, of_records
from training.examples import TrainingError

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
    found = False
    for page in reader.pages(ListRequest(Selection(source=source))):
        for stored in page.records:
            found = True
            yield stored.record
    if not found:
        raise TrainingError(
            f"{source!r} is neither {SAMPLES}, a file or folder here, nor a source with records in the index."
        )


def texts_from(source: str, settings: Settings) -> list[CorpusDocument]:
    """The records' descriptions alone."""
    return list(of_records(records_from(source, settings), Path(source).name))


def remembering(settings: Settings) -> Embedder:
    """The embedder of the settings; texts that it read before are not read again."""
    return CachedEmbedder(Models(settings).embedder(), VectorCache(settings.models.folder / "vectors.sqlite"))


def own_commit() -> str:
    """The commit of this checkout, with ``+`` where it holds changes; empty where it is none."""
    commit = _git("rev-parse", "--short=12", "HEAD")
    return commit + "+" if commit and _git("status", "--porcelain", "--untracked-files=no") else commit


def _git(*words: str) -> str:
    try:
        # Our own words; no shell reads them.
        done = subprocess.run(  # noqa: S603 # nosec B603 B607
            ["git", *words],  # noqa: S607
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
