"""The remote embedder and geocoders against stubs: small real HTTP servers with the shape of the real services."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from core.errors import ModelMissing, Unavailable
from core.geo import BBox, Place
from core.ports import CrossEncoder
from encoders.catalogue import load_cross_encoder, load_embedder
from encoders.remote_geocoder import RemoteGeocoder, nominatim_places, photon_places
from encoders.specs import CrossEncoderSpec, EmbedderSpec, GeocoderSpec
from net.errors import BadStatus
from net.gate import Gate, GatePolicy
from search_api.search.ranking.rank import calibrated

Answerer = Callable[[str, dict[str, Any], dict[str, str]], tuple[int, Any]]


@contextmanager
def stub(answer: Answerer) -> Iterator[tuple[str, Gate]]:
    """A server that answers ``answer(path, asked, headers)`` as JSON; its address and a gate that may reach it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._reply(parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()})

        def do_POST(self) -> None:
            self._reply(self.path, json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _reply(self, path: str, asked: dict[str, Any]) -> None:
            status, body = answer(path, asked, {name.lower(): value for name, value in self.headers.items()})
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that gave up is what some tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", Gate(GatePolicy(frozenset({f"127.0.0.1:{server.server_port}"})))
    finally:
        server.shutdown()
        server.server_close()


def lengths(path: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
    """An embeddings endpoint whose vector of a text is (its length, 1), given in reverse order with its index."""
    assert path == "/v1/embeddings"
    assert asked["model"] == "m"
    data = [{"index": at, "embedding": [len(text), 1]} for at, text in enumerate(asked["input"])]
    return 200, {"object": "list", "data": data[::-1]}


def always(status: int, body: Any) -> Answerer:
    return lambda _path, _asked, _headers: (status, body)


def spec(url: str, **changes: Any) -> EmbedderSpec:
    return EmbedderSpec("m", runtime="remote", url=f"{url}/v1", **changes)


def test_remote_vectors_come_in_the_order_asked_and_at_norm_one() -> None:
    with stub(lengths) as (url, gate):
        embedder = load_embedder(spec(url), gate)
        texts = ["x" * at for at in range(150)]  # three requests of at most 64
        vectors = embedder.embed(texts, "document")
    assert (embedder.card.dims, embedder.card.runtime, embedder.card.max_tokens) == (2, "remote", 512)
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], range(150), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert embedder.embed([], "document").shape == (0, 2)


def test_the_key_and_the_instruction_go_along_with_a_question() -> None:
    seen: list[Any] = []

    def remember(path: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        seen.append((asked["input"], headers.get("authorization")))
        return lengths(path, asked, headers)

    with stub(remember) as (url, gate):
        embedder = load_embedder(spec(url, key="secret", instruction="find: "), gate)
        embedder.embed(["rain"], "query")
        embedder.embed(["rain"], "document")
    assert seen[1:] == [(["find: rain"], "Bearer secret"), (["rain"], "Bearer secret")]


def test_an_endpoint_is_told_query_or_passage_only_where_the_settings_say_so() -> None:
    seen: list[Any] = []

    def remember(path: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        seen.append(asked.get("input_type"))
        return lengths(path, asked, headers)

    with stub(remember) as (url, gate):
        for says in (False, True):
            embedder = load_embedder(spec(url, says_input_type=says), gate)
            embedder.embed(["rain"], "query")
            embedder.embed(["rain"], "document")
    assert seen == [None, None, None, "passage", "query", "passage"]  # the first of each asks for the dimensions


def test_the_settings_word_on_cosines_comes_before_the_models_own() -> None:
    with stub(lengths) as (url, gate):
        card = load_embedder(spec(url, min_score=0.8, answer_score=0.85), gate).card
    assert (card.min_score, card.answer_score) == (0.8, 0.85)


def test_without_a_tokenizer_tokens_are_estimated_upwards() -> None:
    with stub(lengths) as (url, gate):
        embedder = load_embedder(spec(url), gate)
        assert embedder.count_tokens(["", "abcd"]) == [2, 4]  # ceil(4 / 3) and two special tokens


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        [{"index": 1, "embedding": [1.0, 1.0]}],
        [{"index": 0, "embedding": ["a", "b"]}],
        [{"index": 0, "embedding": [float("nan"), 1.0]}],
        [{"index": 0, "embedding": 1.0}],
    ],
)
def test_an_answer_that_is_not_one_vector_a_text_is_unavailable(data: Any) -> None:
    with stub(always(200, {"data": data})) as (url, gate), pytest.raises(Unavailable):
        load_embedder(spec(url), gate)


def test_a_refused_key_and_a_broken_server_are_told_apart() -> None:
    with (
        stub(always(401, {})) as (url, gate),
        pytest.raises(BadStatus, match="HTTP status 401"),
    ):
        load_embedder(spec(url, key="secret"), gate)
    with stub(always(500, {})) as (url, gate), pytest.raises(Unavailable, match="500"):
        load_embedder(spec(url), gate)


PHOTON = {
    "type": "FeatureCollection",
    "features": [
        {
            "geometry": {"type": "Point", "coordinates": [13.389, 52.517]},
            "properties": {
                "name": "Berlin",
                "osm_key": "place",
                "osm_value": "city",
                "type": "city",
                "countrycode": "DE",
                "extent": [13.088, 52.675, 13.761, 52.338],
            },
        },
        {
            "geometry": {"type": "Point", "coordinates": [-71.18, 44.47]},
            "properties": {"name": "Berlin", "osm_value": "hamlet", "countrycode": "US"},
        },
        {"geometry": None, "properties": {"name": "broken"}},
    ],
}
NOMINATIM = [
    {
        "name": "Berlin",
        "display_name": "Berlin, Deutschland",
        "addresstype": "city",
        "type": "administrative",
        "importance": 0.85,
        "boundingbox": ["52.338", "52.675", "13.088", "13.761"],
        "lat": "52.51",
        "lon": "13.38",
        "address": {"country_code": "de"},
    },
    {"display_name": "Kara Sea", "addresstype": "sea", "lat": "75.0", "lon": "180.0"},
    {"name": "nowhere", "boundingbox": ["a", "b", "c", "d"]},
]
BERLIN = BBox(13.088, 52.338, 13.761, 52.675)


def test_photon_is_read_with_its_extent_or_a_small_box_about_the_point() -> None:
    first, second = photon_places(PHOTON)
    assert first == Place("Berlin", "city", BERLIN, "DE", 1.0, False, "photon")
    assert second.bbox.as_list() == pytest.approx([-71.28, 44.37, -71.08, 44.57])
    assert (second.kind, second.country, second.importance, second.estimated) == ("named_region", "US", 0.5, True)


def test_nominatim_is_read_with_its_own_order_of_numbers() -> None:
    berlin, sea = nominatim_places(NOMINATIM)
    assert berlin == Place("Berlin", "city", BERLIN, "DE", 0.85, False, "nominatim")
    assert (sea.name, sea.kind, sea.country, sea.estimated) == ("Kara Sea", "sea", None, True)
    assert sea.bbox.as_list() == pytest.approx([179.9, 74.9, 180.0, 75.1])


@pytest.mark.parametrize("answer", [None, [], {}, {"features": None}, {"features": ["x"]}, "text", [1], {"error": {}}])
def test_an_answer_without_places_gives_none(answer: Any) -> None:
    assert photon_places(answer) == ()
    assert nominatim_places(answer) == ()


@pytest.mark.parametrize(("kind", "path", "answer"), [("photon", "/api", PHOTON), ("nominatim", "/search", NOMINATIM)])
def test_a_name_is_asked_once_however_it_is_written(kind: Any, path: str, answer: Any) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []

    def reply(at: str, question: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        asked.append((at, question))
        return 200, answer

    with stub(reply) as (url, gate):
        geocoder = RemoteGeocoder(GeocoderSpec(kind, f"{url}/"), gate)
        assert geocoder.lookup("Berlin")[0].bbox == BERLIN
        assert geocoder.lookup("  BERLIN ") == geocoder.lookup("berlin")
        assert geocoder.lookup(" ") == geocoder.lookup("x" * 201) == []
    assert [at for at, _ in asked] == [path]
    assert (asked[0][1]["q"], asked[0][1]["limit"]) == ("berlin", "5")


def test_a_dead_service_is_unavailable_at_once_the_second_time_and_not_remembered() -> None:
    calls: list[int] = []

    def slow(path: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        calls.append(1)
        time.sleep(1.0)
        return 200, PHOTON

    with stub(slow) as (url, gate):
        geocoder = RemoteGeocoder(GeocoderSpec("photon", url, timeout_s=0.2), gate)
        with pytest.raises(Unavailable, match="the geocoder is not available"):
            geocoder.lookup("Berlin")
        with pytest.raises(Unavailable, match=r"failed and is left alone for (29|30) s"):
            geocoder.lookup("Berlin")
    assert calls == [1]


def test_an_error_status_of_the_service_is_unavailable() -> None:
    with stub(always(403, {})) as (url, gate), pytest.raises(Unavailable, match="403"):
        RemoteGeocoder(GeocoderSpec("nominatim", url), gate).lookup("Berlin")


def _reranker(url: str, gate: Gate, **given: Any) -> CrossEncoder:
    return load_cross_encoder(CrossEncoderSpec("geo-reranker", runtime="remote", url=url, **given), lambda: gate)


def test_a_tei_server_ranks_texts_by_its_raw_scores_in_the_order_asked() -> None:
    def answer(path: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        assert (path, asked["raw_scores"], headers["authorization"]) == ("/rerank", True, "Bearer secret")
        scored = [{"index": at, "score": float(len(text))} for at, text in enumerate(asked["texts"])]
        return 200, sorted(scored, key=lambda item: -item["score"])

    with stub(answer) as (url, gate):
        reranker = _reranker(url, gate, key="secret")
        assert reranker.score("rain", ["a", "ccc", "bb"]).tolist() == [1.0, 3.0, 2.0]
        assert reranker.score("rain", ["x" * (at + 1) for at in range(70)]).tolist() == [
            float(at + 1) for at in range(70)
        ]
        assert reranker.card.model == "geo-reranker"
        assert len(reranker.score("rain", [])) == 0


def _relevance(scores: list[float]) -> dict[str, Any]:
    return {"results": [{"index": at, "relevance_score": score} for at, score in enumerate(scores)][::-1]}


@pytest.mark.parametrize(
    ("address", "path", "more"),
    [
        ("/v2", "/v2/rerank", {}),
        ("/v2/rerank", "/v2/rerank", {}),
        ("/v1", "/v1/rerank", {"return_documents": False}),
        ("/v1/rerank/", "/v1/rerank", {"return_documents": False}),
    ],
)
def test_the_forms_of_cohere_and_jina_give_probabilities_which_become_logits(
    address: str, path: str, more: dict[str, Any]
) -> None:
    def answer(asked_at: str, asked: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        named = {"model": "geo-reranker", "query": "rain", "documents": ["a", "b", "c"], "top_n": 3}
        assert (asked_at, asked, headers["authorization"]) == (path, {**named, **more}, "Bearer secret")
        return 200, {"model": "geo-reranker", "usage": {"total_tokens": 9}, **_relevance([0.5, 1.0, 0.2])}

    with stub(answer) as (url, gate):
        reranker = _reranker(f"{url}{address}", gate, key="secret")
        read = calibrated(reranker.score("rain", ["a", "b", "c"]), reranker.card)
        assert read == pytest.approx([0.5, 1.0, 0.2], abs=1e-5)


def test_relevance_scores_outside_0_to_1_are_logits_and_so_are_later_ones() -> None:
    answers = iter([[0.5, 0.2], [0.3, -0.1], [0.5, 0.2]])

    def answer(_path: str, _asked: dict[str, Any], _headers: dict[str, str]) -> tuple[int, Any]:
        return 200, _relevance(next(answers))

    with stub(answer) as (url, gate):
        reranker = _reranker(f"{url}/v1", gate)
        assert reranker.score("rain", ["a", "b"]) == pytest.approx([0.0, np.log(0.25)])
        assert reranker.score("rain", ["a", "b"]).tolist() == [0.3, -0.1]
        assert reranker.score("rain", ["a", "b"]).tolist() == [0.5, 0.2]


def test_all_batches_of_a_question_are_read_alike() -> None:
    def answer(_path: str, asked: dict[str, Any], _headers: dict[str, str]) -> tuple[int, Any]:
        return 200, _relevance([float(text) for text in asked["documents"]])

    with stub(answer) as (url, gate):
        texts = ["0.5"] * 64 + ["1.5"]  # two requests of at most 64; only the second shows that these are logits
        assert _reranker(f"{url}/v1", gate).score("rain", texts).tolist() == [0.5] * 64 + [1.5]


def test_a_tei_server_may_be_named_by_its_whole_address() -> None:
    def answer(path: str, asked: dict[str, Any], _headers: dict[str, str]) -> tuple[int, Any]:
        assert (path, asked) == ("/rerank", {"query": "rain", "texts": ["a"], "raw_scores": True, "truncate": True})
        return 200, [{"index": 0, "score": 7.5}]

    with stub(answer) as (url, gate):
        assert _reranker(f"{url}/rerank", gate).score("rain", ["a"]).tolist() == [7.5]


@pytest.mark.parametrize(
    "answered",
    [
        (503, {}),
        (401, {}),
        (200, {"results": []}),
        (200, {"results": [{"index": 0, "score": 0.1}]}),
        (200, [{"index": 0}]),
        (200, [{"index": 1, "score": 0.1}]),
        (200, [{"index": 0, "score": float("nan")}]),
        (200, [{"index": "x", "score": 1.0}]),
        (200, None),
    ],
)
def test_an_endpoint_that_answers_otherwise_is_unavailable(answered: tuple[int, Any]) -> None:
    with stub(lambda *_: answered) as (url, gate), pytest.raises(Unavailable):
        _reranker(url, gate).score("rain", ["a"])


def test_a_remote_reranker_without_an_address_and_an_unknown_runtime_say_what_to_do() -> None:
    with pytest.raises(ModelMissing, match="SONDE_CROSS_ENCODER__URL"):
        load_cross_encoder(CrossEncoderSpec("geo-reranker", runtime="remote"))
    with pytest.raises(ModelMissing, match="there are auto, onnx, torch, remote"):
        load_cross_encoder(CrossEncoderSpec("geo-reranker", runtime="gpu"))
