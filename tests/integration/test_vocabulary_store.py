"""Loaded vocabularies on a real Elasticsearch: replaced as a whole, whatever breaks off, and used by searches."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import InvalidInput, NotFound, SondeError
from core.ports import EmbedderCard
from es_gateway.client import Elasticsearch
from es_gateway.errors import NotReachable
from es_mappings.indices import ensure_indices
from es_mappings.names import alias
from reading.concepts import Concept, Label, NamedVocabulary
from reading.vocabulary import Vocabulary
from search_api.search.understanding.vocabularies import LOOKED_AFTER_S, VocabularyStore, loaded_vocabularies
from sonde.cli import vocabulary as command

CARD = EmbedderCard(model="none", dims=4, max_tokens=1, min_score=0.0)
WHEN = "2026-01-01T00:00:00+00:00"
OWN = NamedVocabulary("sonde", (Concept("own", (Label("rain", "en"), Label("rainfall", "en"))),))


def own_and(loaded: Sequence[NamedVocabulary]) -> Vocabulary:
    return Vocabulary.of([OWN, *loaded])


def words(name: str, *labels: str, count: int = 1) -> NamedVocabulary:
    concepts = tuple(Concept(f"{name}:{n}", tuple(Label(label, "en") for label in labels)) for n in range(count))
    return NamedVocabulary(name, concepts)


@pytest.fixture
def store(es_client: Elasticsearch, prefix: str) -> VocabularyStore:
    ensure_indices(es_client, prefix, CARD, kinds=("vocabulary",))
    return VocabularyStore(es_client, prefix)


def parts(client: Elasticsearch, prefix: str) -> int:
    return int(client.count(index=alias(prefix, "vocabulary"), query={"term": {"kind": "part"}}).body["count"])


def test_what_is_saved_is_what_is_read(store: VocabularyStore) -> None:
    saved = NamedVocabulary("a", (Concept("u", (Label("rain", "en"), Label("Regen", "de"), Label("x")), ("v", "w")),))
    manifest = store.save(saved, WHEN)
    assert (manifest.concepts, manifest.labels, manifest.languages) == (1, 3, ("de", "en"))
    assert store.manifests() == [manifest]
    assert store.load(manifest) == saved


def test_a_large_one_is_parted_and_a_second_load_replaces_the_first(
    store: VocabularyStore, es_client: Elasticsearch, prefix: str
) -> None:
    store.save(words("a", "old", count=1_001), WHEN)  # 500 + 500 + 1
    assert parts(es_client, prefix) == 3
    store.save(words("b", "other"), WHEN)
    manifest = store.save(words("a", "new"), WHEN)
    assert parts(es_client, prefix) == 2
    assert [one.name for one in store.manifests()] == ["a", "b"]
    assert store.load(manifest).concepts[0].labels == (Label("new", "en"),)


class CutOff:
    """A client whose connection breaks after a number of writes."""

    def __init__(self, client: Elasticsearch, writes: int) -> None:
        self._client = client
        self._left = writes

    def index(self, **given: object) -> object:
        if self._left == 0:
            raise NotReachable("cut off")
        self._left -= 1
        return self._client.index(**given)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Callable[..., object]:
        found: Callable[..., object] = getattr(self._client, name)
        return found


def test_a_load_that_is_cut_off_changes_nothing_and_the_next_one_clears_up(
    store: VocabularyStore, es_client: Elasticsearch, prefix: str
) -> None:
    before = store.save(words("a", "old"), WHEN)
    broken = VocabularyStore(CutOff(es_client, 2), prefix)  # type: ignore[arg-type]
    with pytest.raises(NotReachable):
        broken.save(words("a", "new", count=1_400), WHEN)  # two of three parts, no manifest
    assert store.manifests() == [before]
    assert store.load(before).concepts[0].labels == (Label("old", "en"),)
    store.save(words("a", "newest"), WHEN)
    assert parts(es_client, prefix) == 1


def test_a_version_that_was_replaced_meanwhile_is_not_found(store: VocabularyStore) -> None:
    old = store.save(words("a", "old"), WHEN)
    store.save(words("a", "new"), WHEN)
    with pytest.raises(NotFound):
        store.load(old)


def test_removing(store: VocabularyStore, es_client: Elasticsearch, prefix: str) -> None:
    store.save(words("a", "rain"), WHEN)
    store.remove("a")
    assert (store.manifests(), parts(es_client, prefix)) == ([], 0)
    with pytest.raises(NotFound):
        store.remove("a")


def test_the_vocabulary_takes_up_what_was_loaded_and_goes_on_where_nothing_answers(
    store: VocabularyStore, es_client: Elasticsearch, prefix: str
) -> None:
    now = [0.0]
    vocabularies = loaded_vocabularies(store, own_and, lambda: now[0])

    def sources() -> list[str]:
        return [one.vocabulary for one in vocabularies().find("rain", [(0, 4)], "en")]

    assert sources() == ["sonde"]
    store.save(words("a", "rain", "wet stuff"), WHEN)
    assert sources() == ["sonde"]  # not looked at again yet
    now[0] += LOOKED_AFTER_S
    assert sources() == ["sonde", "a"]
    kept = vocabularies()
    es_client.indices.delete(index=f"{alias(prefix, 'vocabulary')}-000001")
    assert vocabularies() is kept
    now[0] += LOOKED_AFTER_S
    assert sources() == ["sonde"]  # the index is gone, and so is what was in it


def test_without_an_elasticsearch_the_own_vocabulary_serves() -> None:
    nowhere = Elasticsearch("http://127.0.0.1:9", request_timeout=1, max_retries=0)
    vocabularies = loaded_vocabularies(VocabularyStore(nowhere, "sonde-test-none"), own_and)
    assert [one.vocabulary for one in vocabularies().find("rain", [(0, 4)], "en")] == ["sonde"]


@pytest.fixture
def cli(elasticsearch_url: str, prefix: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)
    monkeypatch.setenv("SONDE_INDEX__PREFIX", prefix)

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(command.vocabulary, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run


SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<urn:x> a skos:Concept ; skos:prefLabel "soil"@en, "Boden"@de ."""


def test_load_list_and_remove_on_the_command_line(cli: Callable[..., str], tmp_path: Path) -> None:
    assert "None is loaded" in cli("list")
    path = tmp_path / "My Soils.ttl"
    path.write_text(SKOS, encoding="utf-8")
    (loaded,) = json.loads(cli("load", str(path), "--json"))
    assert (loaded["name"], loaded["concepts"], loaded["labels"], loaded["languages"]) == (
        "my-soils",
        1,
        2,
        ["de", "en"],
    )
    assert "my-soils" in cli("list")
    assert "removed" in cli("remove", "my-soils")
    assert json.loads(cli("list", "--json")) == []


def test_the_command_refuses_by_name(cli: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "soils.ttl"
    path.write_text(SKOS, encoding="utf-8")
    with pytest.raises(SondeError, match="sonde"):
        cli("load", str(path), "--name", "sonde")
    with pytest.raises(InvalidInput, match=r"absent\.rdf"):
        cli("load", str(tmp_path / "absent.rdf"))
    with pytest.raises(NotFound, match="nothing"):
        cli("remove", "nothing")
