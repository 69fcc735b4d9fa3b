"""Vocabularies that an operator loaded: stored in the index ``{prefix}-vocabulary``, cached in memory and refreshed.

A vocabulary is written in parts with its own version; its manifest, written last, names the valid version. An
interrupted load changes nothing; the next one removes its leftovers.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from core.batched import batched
from core.errors import NotFound
from core.json_types import Json
from es_gateway.client import Elasticsearch
from es_mappings.names import alias
from reading.concepts import Concept, Label, NamedVocabulary
from search_api.search.caches import PeriodicReader

_CONCEPTS_PER_PART = 500
_MOST_VOCABULARIES = 100
_MOST_PARTS = 1_000


@dataclass(frozen=True, slots=True)
class Manifest:
    """A loaded vocabulary's metadata; ``loaded`` is an ISO 8601 time."""

    name: str
    version: str
    parts: int
    concepts: int
    labels: int
    languages: tuple[str, ...]
    loaded: str


class VocabularyStore:
    """Reads and writes loaded vocabularies. Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._index = alias(prefix, "vocabulary")

    def save(self, vocabulary: NamedVocabulary, loaded_at: str) -> Manifest:
        """Replaces any earlier vocabulary with the same name; the index must exist."""
        version = uuid.uuid4().hex
        concepts = vocabulary.concepts
        parts = list(batched(concepts, _CONCEPTS_PER_PART))
        for number, part in enumerate(parts):
            document = {"kind": "part", "vocabulary": vocabulary.name, "version": version, "part": number}
            self._write(f"{vocabulary.name}:{version}:{number}", document | {"content": _pack(part)})
        manifest = _manifest(vocabulary, version, len(parts), loaded_at)
        self._write(vocabulary.name, _manifest_document(manifest))
        self._drop_parts(vocabulary.name, but=version)
        return manifest

    def remove(self, name: str) -> None:
        """Raises NotFound if no vocabulary with that name is loaded."""
        answer = self._client.options(ignore_status=404).delete(index=self._index, id=name, refresh=True).body
        if answer.get("result") != "deleted":
            raise NotFound(f"No vocabulary {name!r} is loaded.")
        self._drop_parts(name, but=None)

    def manifests(self) -> list[Manifest]:
        """By name; empty if the index does not exist yet."""
        answer = self._client.search(
            index=self._index,
            query={"term": {"kind": "manifest"}},
            sort=["vocabulary"],
            size=_MOST_VOCABULARIES,
            ignore_unavailable=True,
            source_excludes=["content"],
        )
        return [_read_manifest(hit["_source"]) for hit in answer.body["hits"]["hits"]]

    def load(self, manifest: Manifest) -> NamedVocabulary:
        """Raises NotFound if its parts are gone because another version replaced it meanwhile."""
        ids = [f"{manifest.name}:{manifest.version}:{number}" for number in range(min(manifest.parts, _MOST_PARTS))]
        documents = self._client.mget(index=self._index, ids=ids).body["docs"] if ids else []
        if not all(document.get("found") for document in documents):
            raise NotFound(f"The vocabulary {manifest.name} was replaced while it was read.")
        concepts = tuple(_concept(row) for document in documents for row in document["_source"]["content"]["concepts"])
        return NamedVocabulary(manifest.name, concepts)

    def _write(self, document_id: str, document: Json) -> None:
        self._client.index(index=self._index, id=document_id, document=document, refresh=True, require_alias=True)

    def _drop_parts(self, name: str, *, but: str | None) -> None:
        query: Json = {"bool": {"filter": [{"term": {"kind": "part"}}, {"term": {"vocabulary": name}}]}}
        if but is not None:
            query["bool"]["must_not"] = [{"term": {"version": but}}]
        self._client.delete_by_query(index=self._index, query=query, conflicts="proceed", refresh=True)


def _manifest(vocabulary: NamedVocabulary, version: str, parts: int, loaded_at: str) -> Manifest:
    labels = [label for concept in vocabulary.concepts for label in concept.labels]
    languages = tuple(sorted({label.language for label in labels if label.language}))
    return Manifest(vocabulary.name, version, parts, len(vocabulary.concepts), len(labels), languages, loaded_at)


def _manifest_document(manifest: Manifest) -> Json:
    values = asdict(manifest)
    return {"kind": "manifest", "vocabulary": values.pop("name"), **values}


def _read_manifest(source: Json) -> Manifest:
    numbers = {name: int(source[name]) for name in ("parts", "concepts", "labels")}
    languages = tuple(source.get("languages", ()))
    return Manifest(source["vocabulary"], source["version"], **numbers, languages=languages, loaded=source["loaded"])


def _pack(concepts: Sequence[Concept]) -> Json:
    rows = [
        [concept.uri, [[label.text, label.language] for label in concept.labels], list(concept.narrower)]
        for concept in concepts
    ]
    return {"concepts": rows}


def _concept(row: list[Any]) -> Concept:
    uri, labels, narrower = row
    return Concept(uri, tuple(Label(text, language) for text, language in labels), tuple(narrower))


LOOKED_AFTER_S = 30.0
"""A loaded vocabulary is in use after at most this many seconds."""

T = TypeVar("T")


def loaded_vocabularies(
    store: VocabularyStore,
    build: Callable[[Sequence[NamedVocabulary]], T],
    clock: Callable[[], float] = time.monotonic,
) -> Callable[[], T]:
    """What ``build`` makes of the vocabularies that are loaded now; one request every 30 seconds looks for others."""

    built_versions: frozenset[tuple[str, str]] = frozenset()

    def read(last: T) -> T:
        nonlocal built_versions
        manifests = store.manifests()
        versions = frozenset((manifest.name, manifest.version) for manifest in manifests)
        if versions == built_versions:
            return last
        built = build([store.load(manifest) for manifest in manifests])
        built_versions = versions
        return built

    return PeriodicReader(read, build(()), LOOKED_AFTER_S, "vocabularies", clock)
