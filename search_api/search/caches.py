"""Caches of a search, models with a cache or a breaker before them, and two ways to read a table again.

A search returns the version of each record; a value cached in that version is not read again. The cache shows only
records that the search, with the caller's filters, found.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

import numpy as np
import orjson
import structlog
from cachetools import LRUCache
from numpy.typing import NDArray

from core.deadlines import Breaker
from core.errors import SondeError, Unavailable
from core.geo import Place
from core.json_types import Json, JsonMapping
from core.ports import CrossEncoder, CrossEncoderCard, Embedder, EmbedderCard, Encoded, Geocoder, TextKind, Vectors
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from search_api.http.telemetry import count_cache_lookup

T = TypeVar("T")
Version = tuple[str, int, int]
"""The index (its UUID: a name can be reused for other records), and Elasticsearch's ``_seq_no`` and ``_primary_term``
in it, which are unique per write of a record.
"""

_MOST_ANSWERS = 4_000
"""Some 2 KB each."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index shows: ``refreshes`` counts how often that changed; ``uuid``: a name can be reused."""

    uuid: str
    refreshes: int


NO_STATE = IndexState("", 0)
_Key = tuple[IndexState, frozenset[str], bytes]


def versions_of(index_uuid: str, hits: Mapping[str, JsonMapping]) -> dict[str, Version]:
    """Of hits requested with ``seq_no_primary_term``, by the same keys."""
    return {name: (index_uuid, hit["_seq_no"], hit["_primary_term"]) for name, hit in hits.items()}


class VersionedCache(Generic[T]):
    """One version of each record. Keeps the ``max_entries`` records that were used last. Thread-safe."""

    def __init__(self, name: str, max_entries: int, weight: Callable[[T], int] | None = None) -> None:
        """``weight``: of a value, which then counts as so many entries."""
        self._name = name
        self._lock = threading.Lock()
        self._max_entries = max_entries
        self._weight = weight
        self._size = 0
        self._entries: OrderedDict[str, tuple[Version, T]] = OrderedDict()  # an LRUCache takes four times as long

    def get(self, versions: Mapping[str, Version]) -> dict[str, T]:
        """The requested records that are cached in exactly that version, by id."""
        values: dict[str, T] = {}
        with self._lock:
            entries, is_crowded = self._entries, 2 * self._size > self._max_entries
            for record, version in versions.items():  # hundreds for each search
                entry = entries.get(record)
                if entry is not None:
                    if is_crowded:  # else none has to leave soon
                        entries.move_to_end(record)
                    if entry[0] == version:
                        values[record] = entry[1]
        if versions:
            count_cache_lookup(self._name, hit=len(values) == len(versions))
        return values

    def last(self, records: Iterable[str]) -> dict[str, tuple[Version, T]]:
        """The cached ones with their versions, which the caller must still compare with those in the index."""
        with self._lock:
            entries = {record: self._entries.get(record) for record in records}
        return {record: entry for record, entry in entries.items() if entry is not None}

    def put(self, versions: Mapping[str, Version], values: Mapping[str, T]) -> None:
        """Caches the values whose version is known."""
        with self._lock:
            for record, value in values.items():
                if record in versions:
                    self._drop(record)
                    self._entries[record] = versions[record], value
                    self._size += self._weight_of(value)
            while self._size > self._max_entries:
                self._drop(next(iter(self._entries)))

    def _drop(self, record: str) -> None:
        entry = self._entries.pop(record, None)
        if entry is not None:
            self._size -= self._weight_of(entry[1])

    def _weight_of(self, value: T) -> int:
        return 1 if self._weight is None else self._weight(value)


@dataclass(slots=True)
class AnswerCache:
    """Answers of Elasticsearch about all records, until the index shows other records. Thread-safe.

    ``groups``: of the current caller; people who see other records get answers of their own.
    """

    groups: Callable[[], frozenset[str]] = frozenset
    max_answers: int = _MOST_ANSWERS
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _entries: LRUCache[_Key, JsonMapping] = field(init=False)

    def __post_init__(self) -> None:
        self._entries = LRUCache(self.max_answers)

    def ask(self, client: Elasticsearch, index: str, state: IndexState, bodies: Sequence[Json]) -> list[JsonMapping]:
        """One request for those that are not cached, none if all are. Raises Unavailable."""
        keys = [orjson.dumps(body) for body in bodies]
        answers = self.get("names", state, keys)
        misses = {key: body for key, body in zip(keys, bodies, strict=True) if key not in answers}
        if misses:
            replies = search_all(client, [part for body in misses.values() for part in ({"index": index}, body)])
            fresh = dict(zip(misses, replies, strict=True))
            self.put(state, fresh)
            answers |= fresh
        return [answers[key] for key in keys]

    def get(self, name: str, state: IndexState, keys: Sequence[bytes]) -> dict[bytes, JsonMapping]:
        """The cached ones; ``name``: of the lookup, for the metrics."""
        groups = self.groups()
        with self._lock:
            entries = {key: self._entries.get((state, groups, key)) for key in keys}
        answers = {key: answer for key, answer in entries.items() if answer is not None}
        count_cache_lookup(name, hit=len(answers) == len(entries))
        return answers

    def put(self, state: IndexState, answers: Mapping[bytes, JsonMapping]) -> None:
        """Caches what the current caller was answered."""
        groups = self.groups()
        with self._lock:
            self._entries.update({(state, groups, key): answer for key, answer in answers.items()})


MOST_BYTES = 8 * 1024 * 1024
"""A question of ten words with its token vectors takes some 6 KB."""
_ENTRY_BYTES = 500

_Texts = tuple[str, ...]


def _bytes_of(encoded: Encoded) -> int:
    return _ENTRY_BYTES + encoded.vectors.nbytes + sum(tokens.nbytes for tokens in encoded.tokens or ())


def _question_cache() -> LRUCache[_Texts, Encoded]:
    return LRUCache(MOST_BYTES, _bytes_of)


@dataclass(frozen=True, slots=True)
class CachingEmbedder:
    """Implements the port ``Embedder``; thread-safe. Documents are read once and not remembered.

    Equal texts give equal vectors, so an entry cannot be stale. The arrays are read-only, because many searches share
    them.
    """

    embedder: Embedder
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _cache: LRUCache[_Texts, Encoded] = field(default_factory=_question_cache)

    @property
    def card(self) -> EmbedderCard:
        return self.embedder.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Not remembered: searches use ``encode``."""
        return self.embedder.embed(texts, kind)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """The vectors of remembered questions without a reading."""
        if kind == "document":
            return self.embedder.encode(texts, kind)
        questions = tuple(texts)
        with self._lock:
            encoded = self._cache.get(questions)
        count_cache_lookup("questions", hit=encoded is not None)
        if encoded is None:
            encoded = self.embedder.encode(texts, kind)
            for array in (encoded.vectors, *(encoded.tokens or ())):
                array.setflags(write=False)
            if _bytes_of(encoded) <= MOST_BYTES:
                with self._lock:
                    self._cache[questions] = encoded
        return encoded

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.embedder.count_tokens(texts)


@dataclass(frozen=True, slots=True)
class GuardedEmbedder:
    """Implements the port ``Embedder``. The time of large document batches does not count."""

    embedder: Embedder
    breaker: Breaker

    @property
    def card(self) -> EmbedderCard:
        return self.embedder.card

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Raises Unavailable, immediately while the circuit is open."""
        if kind == "document":
            return self.embedder.embed(texts, kind)
        with self.breaker.guarding(Unavailable):
            return self.embedder.embed(texts, kind)

    def encode(self, texts: Sequence[str], kind: TextKind) -> Encoded:
        """Raises Unavailable, immediately while the circuit is open."""
        if kind == "document":
            return self.embedder.encode(texts, kind)
        with self.breaker.guarding(Unavailable):
            return self.embedder.encode(texts, kind)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.embedder.count_tokens(texts)


@dataclass(frozen=True, slots=True)
class GuardedCrossEncoder:
    """Implements the port ``CrossEncoder``: a slow one is left out for a while."""

    cross_encoder: CrossEncoder
    breaker: Breaker

    @property
    def card(self) -> CrossEncoderCard:
        return self.cross_encoder.card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Raises Unavailable, immediately while the circuit is open."""
        with self.breaker.guarding(Unavailable):
            return self.cross_encoder.score(question, texts)


MOST_SCORES = 30_000
"""Of thirty hits of a thousand questions; some 200 bytes each."""


def _score_cache() -> LRUCache[bytes, float]:
    return LRUCache(MOST_SCORES)


@dataclass(frozen=True, slots=True)
class CachingCrossEncoder:
    """Implements the port ``CrossEncoder``; thread-safe. The next page of an answer reads nothing again.

    A score is remembered by the question and the text itself, so a version with another text is read anew.
    ``scores_all``: a score may depend on the other texts. All texts are scored again unless all scores are cached.
    """

    cross_encoder: CrossEncoder
    scores_all: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _cache: LRUCache[bytes, float] = field(default_factory=_score_cache)

    @property
    def card(self) -> CrossEncoderCard:
        return self.cross_encoder.card

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """logits: (n,), in the order of ``texts``. Raises Unavailable only if a text must be read."""
        keys = [_pair_key(question, text) for text in texts]
        with self._lock:
            cached = {key: self._cache[key] for key in keys if key in self._cache}
        misses = {key: text for key, text in zip(keys, texts, strict=True) if key not in cached}
        if keys:
            count_cache_lookup("reranker", hit=not misses)
        if misses:
            texts_to_score = dict(zip(keys, texts, strict=True)) if self.scores_all else misses
            scores = self.cross_encoder.score(question, list(texts_to_score.values()))
            fresh = dict(zip(texts_to_score, map(float, scores), strict=True))
            with self._lock:
                self._cache.update(fresh)
            cached |= fresh
        return np.array([cached[key] for key in keys], dtype=np.float64)


def _pair_key(question: str, text: str) -> bytes:
    """The length tells where the question ends."""
    pair = f"{len(question)} {question}{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(pair, digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class GuardedGeocoder:
    """Implements the port ``Geocoder``."""

    geocoder: Geocoder
    breaker: Breaker

    def lookup(self, name: str) -> list[Place]:
        """Raises Unavailable, immediately while the circuit is open."""
        with self.breaker.guarding(Unavailable):
            return self.geocoder.lookup(name)


log = structlog.get_logger(__name__)


class PeriodicReader(Generic[T]):
    """Call it for a table that a caller reads again when it is ``every_s`` old. Thread-safe.

    ``read`` gets the last table, and returns it if nothing changed. The first callers wait; later ones use the last
    table while one reads, and keep it if reading fails: a search does not fail because of a table.
    """

    def __init__(
        self, read: Callable[[T], T], first: T, every_s: float, name: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._read = read
        self._table = first
        self._every_s = every_s
        self._name = name
        self._clock = clock
        self._lock = threading.Lock()
        self._read_at: float | None = None

    def __call__(self) -> T:
        if self._is_due() and self._lock.acquire(blocking=self._read_at is None):
            try:
                if self._is_due():
                    self._refresh()
            finally:
                self._lock.release()
        return self._table

    def _is_due(self) -> bool:
        return self._read_at is None or self._clock() - self._read_at >= self._every_s

    def _refresh(self) -> None:
        now = self._clock()
        try:
            self._table = self._read(self._table)
        except SondeError as error:
            log.warning("table.unread", table=self._name, error=type(error).__name__)
        self._read_at = now  # last: from now on callers use the table without the lock


class PeriodicTask(Protocol):
    """Work that a Ticker repeats."""

    def tick(self) -> None: ...


class Ticker:
    """Calls ``task.tick()`` every ``every_s`` seconds from the first ``start`` on, as long as ``task`` exists.

    A process that was forked starts its own thread at its next ``start``, which is cheap to call with every request.
    """

    def __init__(self, task: PeriodicTask, every_s: float, name: str) -> None:
        self._task = weakref.ref(task)
        self._every_s = every_s
        self._name = name
        self._of_process: int | None = None
        self._starting = threading.Lock()

    def start(self) -> None:
        if self._of_process == os.getpid():
            return
        with self._starting:
            if self._of_process != os.getpid():
                self._of_process = os.getpid()
                run = _loop(self._task, self._every_s, self._name)
                threading.Thread(target=run, name=self._name, daemon=True).start()


def _loop(task: weakref.ref[PeriodicTask], every_s: float, name: str) -> Callable[[], None]:
    """Holds no reference to the work between two ticks, so that it can end."""
    pause = threading.Event()

    def run() -> None:
        while not pause.wait(every_s):
            current = task()
            if current is None:
                return
            try:
                current.tick()
            except SondeError as error:
                log.warning("tick.failed", work=name, error=type(error).__name__)
            except Exception:  # the thread must not end: nothing would start it again
                log.exception("tick.failed", work=name)
            del current

    return run
