"""Which index and model answer a request, resolved together and constant during the request; and whether they can."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, get_args

from cachetools import TTLCache

from core.errors import ModelMissing, SondeError, Unavailable
from core.ports import PLAIN_COSINES, CosineScale, Embedder, TokenCard
from es_gateway.blocks import WriteBlock, explain
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import ServingIndex, lost_aliases, serving
from es_mappings.meta import CELLS_SINCE, NAMES_SINCE, WORDS_SINCE, refuse_other_dimensions, reindex_reasons
from reading.sentences import detect_language
from search_api.http.telemetry import count_cache_lookup
from search_api.search.caches import NO_STATE, IndexState
from search_api.search.ranking.config import Boosts, WordWeights
from search_api.search.request import COUNTED, FacetName
from search_api.search.understanding.understand import STRUCTURED_FIELDS, StructuredField

EmbedderFor = Callable[[str], Embedder]
"""The embedder with that name, loaded at most once. Raises ModelMissing."""

_CACHE_S = 2.0  # an alias can move at any time; the old index remains for a rollback, so a short cache is safe
_LANGUAGES_CACHE_S = 600.0


@dataclass(frozen=True, slots=True)
class Serving:
    """The concrete indices and the embedder of one request; ``embedder`` is None if its model cannot be loaded.

    ``structured``: whether some record has an extent ("place"), and a period ("time"). ``languages``: those of its
    records, empty if not known. ``state``: what the index of records shows.
    """

    records: ServingIndex
    passages: ServingIndex | None
    embedder: Embedder | None
    embedder_problem: str | None = None
    has_passages: bool = False
    structured: frozenset[StructuredField] = STRUCTURED_FIELDS
    languages: frozenset[str] = frozenset()
    state: IndexState = NO_STATE

    def lacks(self, language: str | None) -> bool:
        """Whether the records are surely in other languages (ISO 639-1; None: unknown)."""
        return language is not None and bool(self.languages) and language not in self.languages

    def reading(self, language: str | None) -> Serving:
        """Without the embedder if it does not read that language (ISO 639-1; None: unknown): its cosines are noise.
        Nothing is degraded by that, so ``embedder_problem`` stays None.
        """
        return self if self.embedder is None or self.embedder.card.reads(language) else replace(self, embedder=None)

    @property
    def has_names(self) -> bool:
        """Whether the records have keys of names; those of an older schema get them by a reindex."""
        return self.records.meta.schema_version >= NAMES_SINCE

    @property
    def has_words(self) -> bool:
        """Whether the records have all their words in one field, ``words``; their other texts then only show them."""
        return self.records.meta.schema_version >= WORDS_SINCE

    def countable(self, names: Sequence[FacetName]) -> tuple[FacetName, ...]:
        """The facets that these records can be counted by; those of an older schema have no cells and years."""
        older = self.records.meta.schema_version < CELLS_SINCE
        return tuple(name for name in names if not (older and name in COUNTED))

    def word_fields(self, weights: WordWeights) -> Boosts:
        """Where a search for records looks."""
        return weights.record_fields if self.has_words else weights.separate_fields

    @property
    def tokens(self) -> TokenCard | None:
        """How the token vectors of the records were made, if the embedder makes a question's likewise."""
        made_by = self.records.meta.tokens
        return made_by if self.embedder is not None and self.embedder.card.tokens == made_by else None

    @property
    def cosines(self) -> CosineScale:
        """How the embedder's cosines are read."""
        return PLAIN_COSINES if self.embedder is None else self.embedder.card.cosines


def _state_of(client: Elasticsearch, index: ServingIndex) -> IndexState:
    stats = client.indices.stats(index=index.index, metric="refresh").body
    return IndexState(index.uuid, int(stats["_all"]["total"]["refresh"]["external_total"]))


class Resolver(Protocol):
    """Finds the index for a request; call ``forget`` if that index no longer exists."""

    def resolve(self) -> Serving: ...

    def forget(self) -> None: ...


class ServingResolver:
    """Resolves aliases with a cache of two seconds; thread-safe."""

    def __init__(self, client: Elasticsearch, prefix: str, embedder_for: EmbedderFor) -> None:
        self._client = client
        self._prefix = prefix
        self._embedder_for = embedder_for
        self._lock = threading.Lock()
        self._cached: TTLCache[str, Serving] = TTLCache(1, _CACHE_S)
        self._languages: TTLCache[str, frozenset[str]] = TTLCache(4, _LANGUAGES_CACHE_S)

    def resolve(self) -> Serving:
        """The current index and model.

        Raises Unavailable if Elasticsearch does not answer or nothing was harvested yet, IndexMismatch if these
        settings do not fit the index.
        """
        with self._lock:
            from_cache = self._cached.get(self._prefix)
        count_cache_lookup("serving", hit=from_cache is not None)
        if from_cache is not None:
            return from_cache
        serving = self._resolve()
        with self._lock:
            self._cached[self._prefix] = serving
        return serving

    def forget(self) -> None:
        """Clears the cache, after an index was not found because another process deleted it."""
        with self._lock:
            self._cached.clear()

    def _resolve(self) -> Serving:
        records = serving(self._client, self._prefix, "records")
        if records is None:
            for lost in lost_aliases(self._client, self._prefix, ["records"]):
                raise Unavailable(lost.remedy)
            raise Unavailable(
                f"There is no index {self._prefix}-records yet. Run `sonde harvest` (or `sonde demo`) to fill it."
            )
        passages = serving(self._client, self._prefix, "passages")
        has_passages = passages is not None and self._client.count(index=passages.index).body["count"] > 0
        fields = structured_fields(self._client, records.index)
        languages = self._languages_of(records)
        state = _state_of(self._client, records)
        try:
            embedder = self._embedder_for(records.meta.embedding_model)
        except ModelMissing as error:
            return Serving(records, passages, None, str(error), has_passages, fields, languages, state)
        refuse_other_dimensions(records.index, records.meta, embedder.card)
        return Serving(records, passages, embedder, None, has_passages, fields, languages, state)

    def _languages_of(self, records: ServingIndex) -> frozenset[str]:
        """A catalogue's languages change slowly, and reading them costs more than the rest."""
        with self._lock:
            from_cache = self._languages.get(records.uuid)
        if from_cache is not None:
            return from_cache
        languages = catalogue_languages(self._client, records.index)
        with self._lock:
            self._languages[records.uuid] = languages
        return languages


_SAMPLED = 200
_LEAST_SHARE = 0.02


def catalogue_languages(client: Elasticsearch, index: str) -> frozenset[str]:
    """The languages that at least one in fifty of the sampled records is written in; empty if none is recognised."""
    sample = {"function_score": {"query": {"match_all": {}}, "random_score": {"seed": 7, "field": "_seq_no"}}}
    answer = client.search(index=index, query=sample, source={"includes": ["title", "abstract"]}, size=_SAMPLED)
    sources = (hit["_source"] for hit in answer["hits"]["hits"])
    texts = (f"{source.get('title') or ''}. {source.get('abstract') or ''}" for source in sources)
    return common_languages([language for text in texts if (language := detect_language(text)) is not None])


def common_languages(languages: list[str]) -> frozenset[str]:
    """Those of at least one in fifty of ``languages``: fewer may be misread."""
    return frozenset(code for code, count in Counter(languages).items() if count >= _LEAST_SHARE * len(languages))


_FIELDS: dict[StructuredField, str] = {"place": "extent", "time": "time"}


def structured_fields(client: Elasticsearch, index: str) -> frozenset[StructuredField]:
    """Which of place and time any record of the index has; the search stops at the first."""
    searches: list[dict[str, object]] = []
    for name in get_args(StructuredField):
        searches.append({"index": index})
        searches.append({"query": {"exists": {"field": _FIELDS[name]}}, "size": 0, "terminate_after": 1})
    answers = client.msearch(searches=searches).body["responses"]
    named = zip(get_args(StructuredField), answers, strict=True)
    return frozenset(name for name, answer in named if "error" in answer or answer["hits"]["total"]["value"])


@dataclass(frozen=True, slots=True)
class ReadinessReport:
    """``dependencies``: maps a name to "ok" or the problem."""

    ready: bool
    dependencies: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Readiness:
    """Checks Elasticsearch, the index and the embedder; a missing embedder only degrades the service.

    ``blocks``: what stops writes. Searches are answered under a block, so the service stays ready and names it as the
    dependency ``writes``. ``notices``: about parts without which it answers.
    """

    def __init__(
        self,
        client: Elasticsearch,
        resolver: ServingResolver,
        configured_model: str,
        *,
        blocks: Callable[[], Sequence[WriteBlock]] = tuple,
        notices: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._blocks = blocks
        self._notices = notices
        self._client = client
        self._resolver = resolver
        self._configured_model = configured_model

    def __call__(self) -> ReadinessReport:
        try:
            status = self._client.cluster.health(timeout="1s").body["status"]
        except ElasticsearchError as error:
            return ReadinessReport(False, {"elasticsearch": f"does not answer ({error.type or type(error).__name__})"})
        notices = list(self._notices())
        dependencies = {
            "elasticsearch": "ok" if status != "red" else "the cluster is red: some shards are missing"
        } | self._writes()
        try:
            serving = self._resolver.resolve()
        except SondeError as error:
            return ReadinessReport(False, {**dependencies, "index": str(error)}, notices)
        dependencies |= {"index": "ok", "embedder": serving.embedder_problem or "ok"}
        card = serving.embedder.card if serving.embedder is not None else None
        reasons = reindex_reasons(serving.records.meta, self._configured_model, card)
        return ReadinessReport(status != "red", dependencies, reasons + notices)

    def _writes(self) -> dict[str, str]:
        """What stops writes; empty if nothing does, or if it is not known."""
        try:
            blocks = self._blocks()
        except ElasticsearchError:
            return {}
        return {"writes": explain(blocks)} if blocks else {}
