"""The parts that the measuring commands use: judged collections, a search pipeline, cited answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.document import PUBLIC
from core.errors import ModelMissing, SondeError
from core.ports import CrossEncoderCard, Embedder, EmbedderCard
from es_mappings.names import alias
from evaluation.answers.measures import Examination
from evaluation.answers.questions import AnswerCollection, AnswerQuestion
from evaluation.collection import Half, JudgedCollection, half_of, lines, read_halves
from evaluation.collections import ncar, public, samples, typed
from evaluation.collections.fetching import Fetching, fetch_collection
from evaluation.temporary_index import passages_of, temporary_records
from evaluation.vector_cache import CachedEmbedder, Progress, VectorCache
from net.gate import Gate, GatePolicy
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import RankingConfig
from search_api.search.retrieval.serving import ServingResolver
from sonde import __version__
from sonde.settings import Settings
from sonde.wiring.checkout import CHECKOUT
from sonde.wiring.clients import elasticsearch_client, index_shape
from sonde.wiring.documents import passage_reader
from sonde.wiring.models import Models
from sonde.wiring.search import answerer_of, language_model, ranking_config, search_parts, search_pipeline

QUALITY = CHECKOUT / "tests" / "quality"
OWN_SHARED = CHECKOUT.parent / "shared"
"""Read where no other folder is named, if it is there."""

Say = Callable[[str], None]

LOADERS: Mapping[str, Callable[[Path], JudgedCollection]] = {
    "cranfield": public.load_cranfield,
    "climate_fever": public.load_climate_fever,
    "pira": public.load_pira,
    "pira_pt": lambda data: public.load_pira(data, "pt"),
    "keyword_questions": ncar.load_keywords,
    "ncar": lambda data: ncar.load(data, QUALITY / "ncar"),
    "ncar_hand": lambda data: ncar.load_hand_checked(data, QUALITY / "ncar"),
    "pubmedqa": public.load_pubmedqa,
    "samples": lambda _: samples.load(CHECKOUT / "samples"),
    "typed": lambda data: typed.load(data, QUALITY / "typed", CHECKOUT / "samples"),
    "typed_quick": lambda data: typed.load_quick(data, QUALITY / "typed", CHECKOUT / "samples"),
    "samples_languages": lambda _: samples.load_languages(CHECKOUT / "samples"),
}


def _ignore_text(_text: str) -> None:
    """For callers that show no progress."""


def judged_collection(
    name: str, shared: Path | None, half: Half | None, settings: Settings | None = None, report: Say = _ignore_text
) -> JudgedCollection:
    """The collection of that name, or one half of it. With ``settings``, what is not on this machine is fetched.

    Raises SondeError where its files are not on this machine and cannot be fetched.
    """
    data = data_folder(name, shared, settings, report)
    if not QUALITY.is_dir():
        raise SondeError(f"{QUALITY} is missing: the judged collections need a checkout of Sonde.")
    collection = LOADERS[name](data)
    return half_of(collection, half, _halves(name)) if half is not None else collection


def data_folder(name: str, shared: Path | None, settings: Settings | None, report: Say = _ignore_text) -> Path:
    """The folder with the collection's files: ``data`` in ``shared``, or the folder of what was fetched."""
    data = (shared or OWN_SHARED) / "data"
    is_mirrored = shared is None and settings is not None and settings.evaluation.mirror is not None
    if name.startswith("samples") or (data.is_dir() and not is_mirrored):
        return data
    if shared is not None or settings is None:
        raise SondeError(f"{data} is missing: --shared names a folder whose data/ has the files of {name}.")
    return fetch_collection(name, _fetching_parts(settings, report))


def _fetching_parts(settings: Settings, report: Say) -> Fetching:
    """Into the folder of `sonde up`'s state, by the gate."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset(settings.net.allowed_hosts), user_agent=f"Sonde/{__version__}"))
    mirror = settings.evaluation.mirror
    return Fetching(settings.stack.folder / "collections", gate, str(mirror).rstrip("/") if mirror else None, report)


def halves_of(name: str) -> dict[str, Half | None]:
    """Each question's half, None for aside. Raises SondeError where a collection has no halves."""
    return read_halves(_halves(name))


def has_halves(name: str) -> bool:
    """Whether its questions are split; else all of them are for testing."""
    return _split_file(name).is_file()


def _halves(name: str) -> Path:
    """Raises SondeError where a collection has no halves."""
    path = _split_file(name)
    if not path.is_file():
        raise SondeError(f"{name} has no halves: all of it is for testing.")
    return path


def _split_file(name: str) -> Path:
    collection_name = name.removesuffix("_quick")
    return (
        QUALITY / collection_name / "split.tsv"
        if collection_name in ("ncar", "typed")
        else QUALITY / "splits" / f"{name.removesuffix('_pt')}.tsv"
    )


_TIMEOUT_S = 120.0
_OFF_TOPIC = ("cranfield", "climate_fever", "pubmedqa")
_OFF_TOPIC_EACH = 100


def off_topic_questions(shared: Path | None, settings: Settings, report: Say) -> list[AnswerQuestion]:
    """Nonsense, and questions of other fields' collections from their test halves: the same ones each time.

    A collection that is not on this machine is reported and left out.
    """
    texts = [str(json.loads(line)["text"]) for _, line in lines(QUALITY / "nonsense.jsonl")]
    for name in _OFF_TOPIC:
        try:
            collection = judged_collection(name, shared, "test" if has_halves(name) else None, settings, report)
        except (SondeError, OSError) as error:
            report(f"No off-topic questions of {name}: {error}")
            continue
        questions = sorted(question.text for question in collection.questions)
        questions.sort(key=lambda text: hashlib.sha256(text.encode()).digest())
        texts += questions[:_OFF_TOPIC_EACH]
    return [
        AnswerQuestion(f"off-topic-{number}", text, "", answerable=False, off_topic=True)
        for number, text in enumerate(texts, 1)
    ]


@dataclass(frozen=True, slots=True)
class Bench:
    """A collection ready to be asked."""

    pipeline: SearchPipeline
    embedder: EmbedderCard
    cross_encoder: CrossEncoderCard | None
    config: RankingConfig


@contextmanager
def bench(
    settings: Settings,
    collection: JudgedCollection,
    *,
    config: RankingConfig | None = None,
    progress: Progress | None = None,
) -> Iterator[Bench]:
    """The collection indexed with its vectors; the index goes when the bench is left, however it is left."""
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True)
    cache = VectorCache(settings.models.folder / "vectors.sqlite")
    models, config = CachingModels(settings, cache, progress), config or ranking_config(settings)
    as_of_ms = collection.as_of_ms
    now_ms: Callable[[], int] | None = (lambda: as_of_ms) if as_of_ms is not None else None
    try:
        embedder = models.embedder()
        with temporary_records(client, collection.records, embedder, index_shape(settings)) as prefix:
            pipeline, _ = search_pipeline(client, prefix, models, config, now_ms=now_ms)
            yield Bench(pipeline, embedder.card, _card(models), config)
    finally:
        cache.close()
        client.close()


class CachingModels(Models):
    """The process's models, the embedder behind a cache."""

    def __init__(self, settings: Settings, cache: VectorCache, progress: Progress | None) -> None:
        super().__init__(settings)
        self._cache = cache
        self._progress = progress

    def embedder(self, name: str | None = None) -> Embedder:
        return CachedEmbedder(super().embedder(name), self._cache, self._progress)


def _card(models: Models) -> CrossEncoderCard | None:
    try:
        return models.cross_encoder().card
    except ModelMissing:
        return None


@dataclass(frozen=True, slots=True)
class Examiner:
    """Ready to be asked; ``model`` says in a sentence what answers."""

    examination: Examination
    model: str


@contextmanager
def examiner(settings: Settings, collection: AnswerCollection | None) -> Iterator[Examiner]:
    """The collection's texts in an index of their own, which is deleted on leaving; without a collection, the public
    documents of the running index, which is only read. Answers are made as the service of the settings makes them.

    Raises Unavailable where Elasticsearch does not answer.
    """
    with ExitStack() as stack:
        client = stack.enter_context(elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True))
        models = Models(settings)
        if collection is not None:
            cache = VectorCache(settings.models.folder / "vectors.sqlite")
            stack.callback(cache.close)
            models = CachingModels(settings, cache, None)
        model = language_model(settings, lambda: models.gate)
        model_name = "Extractive: the best sentences, quoted."
        if model is not None:
            model_name = f"The model {settings.answers.model} at the endpoint of the settings."
        embedder, prefix, place = models.embedder(), settings.index.prefix, f" Index {settings.index.prefix}."
        if collection is not None:
            texts = passages_of(client, collection.texts, embedder, passage_reader(models))
            prefix, place = stack.enter_context(texts), ""
        resolver = ServingResolver(client, prefix, models.embedder)
        search = search_parts(client, resolver, models, ranking_config(settings))
        answerer = answerer_of(settings, prefix, search, resolver, models, model)
        yield Examiner(Examination(answerer, resolver, model), f"{model_name} Embedder {embedder.card.model}.{place}")


def ids_of(settings: Settings, names: Iterable[str]) -> dict[str, str]:
    """The id of each public document, by its id or file name. Raises SondeError for one that is not there, or twice."""
    ids: dict[str, str] = {}
    with elasticsearch_client(settings, timeout_s=_TIMEOUT_S, retry=True) as client:
        for name in sorted(set(names)):
            id_or_name = [{"ids": {"values": [name]}}, {"term": {"name": name}}]
            query = {"bool": {"filter": [{"term": {"owner": PUBLIC}}], "should": id_or_name, "minimum_should_match": 1}}
            body = client.search(index=alias(settings.index.prefix, "documents"), query=query, source=False).body
            hits = [hit["_id"] for hit in body["hits"]["hits"]]
            if len(hits) != 1:
                raise SondeError(f"{len(hits)} public documents are called {name!r}; name one by its id.")
            ids[name] = hits[0]
    return ids
