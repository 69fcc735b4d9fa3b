"""`sonde evaluate` and `sonde judge` on the real parts: a small collection in BEIR layout, end to end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from elasticsearch import Elasticsearch

from core.errors import SondeError
from es_mappings.names import concrete
from evaluation.collection import JudgedCollection
from evaluation.collections.beir import BeirFiles, load
from evaluation.temporary_index import PREFIX, abandoned_indices, sweep_abandoned, temporary_records
from evaluation.trec import read_qrels, read_run
from evaluation.variants import Variant, ask_all
from evaluation.vector_cache import CachedEmbedder, VectorCache
from search_api.search.flow import SearchPipeline
from search_api.search.ranking.config import default_config
from sonde.cli.evaluate import evaluate_command
from sonde.cli.judge import judge
from sonde.settings import ElasticsearchSettings, IndexSettings, Settings
from sonde.wiring.evaluating import bench
from sonde.wiring.models import Models
from sonde.wiring.search import search_pipeline

pytestmark = [pytest.mark.elasticsearch, pytest.mark.models]

_CORPUS = [
    {"_id": "rain-za", "title": "Rain gauges of South Africa", "text": "Daily rainfall.", "bbox": [16, -35, 33, -22]},
    {"_id": "rain-no", "title": "Rain gauges of Norway", "text": "Daily rainfall.", "bbox": [4, 57, 32, 72]},
    {"_id": "ice", "title": "Ice sheet mass of Greenland", "text": "Loss of land ice.", "start": "2002", "end": "2017"},
    {"_id": "sst", "title": "", "text": "Temperature of the sea surface from satellites."},
    {"_id": "empty", "title": "", "text": ""},
]
_QUERIES = [
    {"_id": "q1", "text": "rainfall in Norway"},
    {"_id": "q2", "text": "how much ice has Greenland lost"},
    {"_id": "unjudged", "text": "volcanoes"},
]
_QRELS = "query-id\tcorpus-id\tscore\nq1\train-no\t2\nq1\train-za\t1\nq2\tice\t2\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> BeirFiles:
    folder = tmp_path_factory.mktemp("small")
    files = BeirFiles(folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv")
    files.corpus.write_text("".join(json.dumps(row) + "\n" for row in _CORPUS))
    files.queries.write_text("".join(json.dumps(row) + "\n" for row in _QUERIES))
    files.qrels.write_text(_QRELS)
    return files


@pytest.fixture(scope="module")
def settings(elasticsearch_url: str) -> Settings:
    return Settings(elasticsearch=ElasticsearchSettings(url=elasticsearch_url))


@dataclass(frozen=True)
class Ready:
    """The small collection indexed, and the pipeline over it."""

    collection: JudgedCollection
    pipeline: SearchPipeline
    prefix: str


@pytest.fixture(scope="module")
def ready(
    es_client: Elasticsearch, settings: Settings, files: BeirFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ready]:
    collection, models = load(files), Models(settings)
    cache = VectorCache(tmp_path_factory.mktemp("vectors") / "v.sqlite")
    with temporary_records(es_client, collection.records, CachedEmbedder(models.embedder(), cache)) as prefix:
        pipeline, _ = search_pipeline(es_client, prefix, models, default_config())
        yield Ready(collection, pipeline, prefix)
    cache.close()


def _marked(corpus: Path) -> str:
    """Writes the corpus with one more document; its title is a word that no other run beside this one has."""
    word = f"mark{uuid.uuid4().hex}"
    rows = [*_CORPUS, {"_id": "marked", "title": word, "text": "A text of its own."}]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return word


def _indices_with(client: Elasticsearch, word: str) -> set[str]:
    """The temporary indices with a marked document; other tests make and delete theirs at the same time."""
    found = client.search(index=f"{PREFIX}*", query={"query_string": {"query": word}}, ignore_unavailable=True)
    return {hit["_index"] for hit in found["hits"]["hits"]}


def test_right_answers_come_first_and_place_decides(ready: Ready) -> None:
    answers = {one.question.id: one for one in ask_all(ready.pipeline, ready.collection, Variant())}
    assert [document for document, _ in answers["q1"].hits[:2]] == ["rain-no", "rain-za"]
    assert answers["q1"].areas
    assert answers["q2"].hits[0][0] == "ice"


def test_evaluation_and_serving_give_the_same_order(ready: Ready) -> None:
    """The law that makes a measured figure a promise."""
    for one in ask_all(ready.pipeline, ready.collection, Variant()):
        request = Variant().request(one.question.text)
        served = ready.pipeline.search(request)
        shown = [(ready.collection.documents[found.hit.id], found.hit.score) for found in served.hits]
        assert list(one.hits[: len(shown)]) == shown
        assert len(one.hits) == served.matched


def test_threads_change_nothing(ready: Ready) -> None:
    alone = ask_all(ready.pipeline, ready.collection, Variant(), threads=1)
    together = ask_all(ready.pipeline, ready.collection, Variant(), threads=4)
    assert [one.hits for one in alone] == [one.hits for one in together]


def test_a_fresh_pipeline_answers_the_same_whatever_the_threads(
    es_client: Elasticsearch, settings: Settings, ready: Ready
) -> None:
    """What is loaded with the first question (models, vocabularies) must not show in the order."""
    found = []
    for threads in (1, 4):
        pipeline, _ = search_pipeline(es_client, ready.prefix, Models(settings), default_config())
        found.append([one.hits for one in ask_all(pipeline, ready.collection, Variant(), threads=threads)])
    assert found[0] == found[1]


def test_progress_is_told_to_the_end(ready: Ready) -> None:
    told: list[tuple[int, int]] = []
    ask_all(ready.pipeline, ready.collection, Variant(algorithm="bm25"), progress=lambda *state: told.append(state))
    assert told == [(1, 2), (2, 2)]


def test_the_index_goes_when_the_evaluation_fails(es_client: Elasticsearch, settings: Settings, ready: Ready) -> None:
    seen: list[str] = []

    def interrupted() -> None:
        with temporary_records(es_client, ready.collection.records, Models(settings).embedder()) as prefix:
            seen.append(concrete(prefix, "records", 1))
            assert es_client.count(index=seen[0])["count"] == len(_CORPUS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert not es_client.indices.exists(index=seen[0])


def test_the_graph_that_the_settings_name_is_evaluated(
    es_client: Elasticsearch, settings: Settings, ready: Ready
) -> None:
    own = settings.model_copy(update={"index": IndexSettings(vector_index="bbq_hnsw")})
    with bench(own, ready.collection):
        found = es_client.indices.get_mapping(index=f"{PREFIX}*").body.values()
        graphs = {one["mappings"]["properties"]["vector"]["index_options"]["type"] for one in found}
    assert "bbq_hnsw" in graphs  # the other is the usual one of `ready`


def test_only_indices_of_a_dead_evaluation_are_swept(es_client: Elasticsearch, ready: Ready) -> None:
    """The rule on values; on the server only that a living one stays (others may be evaluating there too)."""
    day_ms = 24 * 3_600_000
    created = {f"{PREFIX}old": 0, f"{PREFIX}new": 1, "sonde-records-000001": 0}
    assert abandoned_indices(created, day_ms) == []
    assert abandoned_indices(created, day_ms + 1) == [f"{PREFIX}old"]
    assert concrete(ready.prefix, "records", 1) not in sweep_abandoned(es_client)


def _evaluate(files: BeirFiles, *options: str) -> Result:
    given = ["--corpus", str(files.corpus), "--queries", str(files.queries), "--qrels", str(files.qrels)]
    return CliRunner().invoke(evaluate_command, [*given, *options])


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, elasticsearch_url: str) -> None:
    monkeypatch.setenv("SONDE_ELASTICSEARCH__URL", elasticsearch_url)


@pytest.mark.usefixtures("here")
def test_the_command_prints_writes_and_cleans_up(files: BeirFiles, tmp_path: Path, es_client: Elasticsearch) -> None:
    out, run, page = tmp_path / "out.json", tmp_path / "out.trec", tmp_path / "out.html"
    word = _marked(tmp_path / "marked.jsonl")
    done = _evaluate(
        replace(files, corpus=tmp_path / "marked.jsonl"),
        "--algorithm",
        "hybrid",
        "--no-rerank",
        "--ablate",
        "--json",
        str(out),
        "--run",
        str(run),
        "--html",
        str(page),
    )
    assert done.exit_code == 0, done.output
    assert "nDCG@10 1.0000" in done.output
    assert "left out 1 questions that nobody judged" in done.output
    report = json.loads(out.read_text())
    assert report["measured"]["machine"]["cores"]
    assert report["metrics"]["nDCG@10"] == 1.0
    assert report["by_question"]["q2"]["RR"] == 1.0
    assert report["beyond_topic"]["questions_with_place"] == 2
    assert {one["name"] for one in report["compared"]} >= {"bm25 alone", "dense alone", "no place", "text alone"}
    assert [document for document, _ in read_run(run)["q1"]][:2] == ["rain-no", "rain-za"]
    assert "<svg" in page.read_text()
    assert "http" not in page.read_text()
    assert _indices_with(es_client, word) == set()


@pytest.mark.usefixtures("here")
def test_a_run_is_compared_with_an_earlier_one(files: BeirFiles, tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.trec"
    earlier.write_text("q1 Q0 rain-za 1 2.0 x\n")
    out = tmp_path / "out.json"
    done = _evaluate(files, "--compare", str(earlier), "--json", str(out))
    assert done.exit_code == 0, done.output
    compared = json.loads(out.read_text())["compared"][0]
    assert (compared["better"], compared["worse"], compared["metrics"]["RR"]) == (2, 0, 0.5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--interpret", "place,mood"], "mood is not all, none or one of"),
        (["--collection", "samples"], "or --collection"),
        (["--half", "test"], "or --collection"),
    ],
)
def test_contradicting_options_are_refused(files: BeirFiles, options: Sequence[str], said: str) -> None:
    done = _evaluate(files, *options)
    assert isinstance(done.exception, SondeError)
    assert said in str(done.exception)


def _sonde(*arguments: str, url: str) -> subprocess.Popen[str]:
    command = [str(Path(sys.executable).parent / "sonde"), *arguments]
    environment = {**os.environ, "SONDE_ELASTICSEARCH__URL": url}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def test_a_bad_collection_is_exit_code_2_with_a_sentence(
    files: BeirFiles, tmp_path: Path, elasticsearch_url: str
) -> None:
    bad = tmp_path / "bad.tsv"
    bad.write_text("q1\tnowhere\t1\n")
    given = ["--corpus", str(files.corpus), "--queries", str(files.queries), "--qrels", str(bad)]
    process = _sonde("evaluate", *given, url=elasticsearch_url)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "name the document 'nowhere', which is absent" in errors
    assert "Traceback" not in errors


def test_a_killed_evaluation_leaves_no_index(tmp_path: Path, elasticsearch_url: str, es_client: Elasticsearch) -> None:
    """SIGTERM while it asks; a hundred questions give the time for it."""
    word = _marked(tmp_path / "c")
    (tmp_path / "q").write_text("".join(json.dumps({"_id": f"q{n}", "text": f"rain {n}"}) + "\n" for n in range(3000)))
    (tmp_path / "r").write_text("".join(f"q{n}\tice\t1\n" for n in range(3000)))
    given = ["--corpus", str(tmp_path / "c"), "--queries", str(tmp_path / "q"), "--qrels", str(tmp_path / "r")]
    process = _sonde("evaluate", *given, url=elasticsearch_url)
    deadline = time.monotonic() + 60
    while not _indices_with(es_client, word) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert _indices_with(es_client, word), process.communicate()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert not _indices_with(es_client, word)


def test_two_people_judge_a_pool_and_the_qrels_are_written(files: BeirFiles, tmp_path: Path) -> None:
    run, kept, qrels = tmp_path / "a.trec", tmp_path / "j.jsonl", tmp_path / "q.tsv"
    run.write_text("q1 Q0 rain-no 1 2.0 x\nq1 Q0 rain-za 2 1.0 x\nq2 Q0 ice 1 1.0 x\n")
    texts = ["--corpus", str(files.corpus), "--queries", str(files.queries), "--judgements", str(kept)]

    def sit(who: str, keys: str) -> str:
        done = CliRunner().invoke(judge, [str(run), *texts, "--judge", who], input="".join(f"{key}\n" for key in keys))
        assert done.exit_code == 0, done.output
        return done.output

    assert "[1/3]" in sit("ada", "3q")
    assert "[2/3]" in sit("ada", "1u23")  # the 1 taken back and given as 2, then the last
    assert "ada has judged all 3." in sit("ada", "")
    assert "kappa 1.00" in sit("bob", "323")
    done = CliRunner().invoke(judge, [str(run), *texts, "--qrels", str(qrels)])
    assert "3 pairs of question and document are judged." in done.output
    assert sorted(grade for found in read_qrels(qrels).values() for grade in found.values()) == [2, 3, 3]


def test_a_run_over_another_corpus_cannot_be_judged(files: BeirFiles, tmp_path: Path) -> None:
    run = tmp_path / "a.trec"
    run.write_text("q1 Q0 elsewhere 1 2.0 x\n")
    done = CliRunner().invoke(
        judge, [str(run), "--corpus", str(files.corpus), "--queries", str(files.queries), "--judge", "a"]
    )
    assert "'elsewhere', which is not in the corpus" in str(done.exception)


def test_vectors_are_embedded_once_for_ever(settings: Settings, tmp_path: Path) -> None:
    inner = Models(settings).embedder()
    told: list[tuple[int, int]] = []
    for _ in range(2):
        cache = VectorCache(tmp_path / "v.sqlite")
        vectors = CachedEmbedder(inner, cache, lambda *state: told.append(state)).embed(
            ["rain", "ice", "rain"], "document"
        )
        cache.close()
    assert told == [(2, 2)]
    assert (vectors[0] == vectors[2]).all()
    assert abs(vectors - inner.embed(["rain", "ice", "rain"], "document")).max() < 1e-6


def test_a_question_and_a_document_do_not_share_a_vector(settings: Settings, tmp_path: Path) -> None:
    """Another kind is another key: a model may write an instruction before questions."""
    cache = VectorCache(tmp_path / "v.sqlite")
    told: list[tuple[int, int]] = []
    embedder = CachedEmbedder(Models(settings).embedder(), cache, lambda *state: told.append(state))
    embedder.embed(["rain"], "document")
    embedder.embed(["rain"], "query")
    assert len(told) == 2
    cache.close()


def test_an_absent_elasticsearch_is_a_sentence(files: BeirFiles) -> None:
    given = ["--corpus", str(files.corpus), "--queries", str(files.queries), "--qrels", str(files.qrels)]
    process = _sonde("evaluate", *given, url="http://127.0.0.1:9")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "Elasticsearch does not answer" in errors
    assert "Traceback" not in errors
