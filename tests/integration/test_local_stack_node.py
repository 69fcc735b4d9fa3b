"""The node that the stack starts is a real Elasticsearch that can do what Sonde's mappings ask of it."""

import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from local_stack.elasticsearch import CLI_JAVA_OPTS
from local_stack.java import find_java
from local_stack.testing import elasticsearch_node
from tests.servers_of_the_run import VERSION

pytestmark = [pytest.mark.elasticsearch, pytest.mark.timeout(600)]

SHAPES = f"sonde-test-shapes-{uuid.uuid4().hex[:12]}"
FIJI = {"type": "envelope", "coordinates": [[177.0, -16.0], [-178.0, -19.0]]}  # west > east: over the antimeridian
BAVARIA = {"type": "envelope", "coordinates": [[9.0, 50.6], [13.8, 47.3]]}
MAPPING = {
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "extent": {"type": "geo_shape"},
            "title": {"type": "text", "analyzer": "english"},
            "vector": {
                "type": "dense_vector",
                "dims": 2,
                "similarity": "cosine",
                "index_options": {"type": "int8_hnsw"},
            },
        },
    }
}


@pytest.fixture(scope="module")
def node(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """The node of this run, which local_stack started; another one where the run uses a server of somebody else."""
    with ExitStack() as after:
        if "SONDE_ELASTICSEARCH__URL" in os.environ:
            url = after.enter_context(elasticsearch_node(tmp_path_factory.mktemp("node")))
        else:
            url = request.getfixturevalue("elasticsearch_url")
        client = after.enter_context(httpx.Client(base_url=url, timeout=30))
        client.put(f"/{SHAPES}", json=MAPPING).raise_for_status()
        after.callback(client.delete, f"/{SHAPES}")
        documents = {
            "fiji": {"extent": FIJI, "title": "Rainfall stations", "vector": [1.0, 0.0]},
            "bavaria": {"extent": BAVARIA, "title": "Rivers", "vector": [0.0, 1.0]},
            "nowhere": {"title": "Rain", "vector": [0.9, 0.1]},
        }
        for name, document in documents.items():
            client.put(f"/{SHAPES}/_doc/{name}", json=document).raise_for_status()
        client.post(f"/{SHAPES}/_refresh").raise_for_status()
        yield client


def found(node: httpx.Client, body: dict[str, Any]) -> set[str]:
    answer = node.post(f"/{SHAPES}/_search", json=body).raise_for_status().json()
    return {hit["_id"] for hit in answer["hits"]["hits"]}


def shaped(relation: str, west: float, south: float, east: float, north: float) -> dict[str, Any]:
    box = {"type": "envelope", "coordinates": [[west, north], [east, south]]}
    return {"geo_shape": {"extent": {"shape": box, "relation": relation}}}


def test_it_is_the_version_that_was_asked_for(node: httpx.Client) -> None:
    assert node.get("/").json()["version"]["number"] == VERSION


@pytest.mark.parametrize(
    ("relation", "box", "expected"),
    [
        ("intersects", (-180.0, -20.0, -179.0, -15.0), {"fiji"}),  # its eastern half only
        ("intersects", (178.0, -20.0, 179.0, -15.0), {"fiji"}),  # its western half only
        ("intersects", (0.0, -20.0, 10.0, -15.0), set()),  # not the long way round the world
        ("within", (5.0, 45.0, 15.0, 55.0), {"bavaria"}),
        ("within", (10.0, 45.0, 15.0, 55.0), set()),
        ("contains", (11.0, 48.0, 12.0, 49.0), {"bavaria"}),
        ("disjoint", (5.0, 45.0, 15.0, 55.0), {"fiji"}),  # what has no extent is nowhere, not elsewhere
    ],
)
def test_shapes_stand_in_the_relations_one_can_see(
    node: httpx.Client, relation: str, box: tuple[float, float, float, float], expected: set[str]
) -> None:
    assert found(node, {"query": shaped(relation, *box)}) == expected


def test_a_field_that_was_given_exists(node: httpx.Client) -> None:
    assert found(node, {"query": {"exists": {"field": "extent"}}}) == {"fiji", "bavaria"}


def test_neighbours_are_sought_inside_a_shape(node: httpx.Client) -> None:
    body = {
        "knn": {
            "field": "vector",
            "query_vector": [1.0, 0.0],
            "k": 3,
            "num_candidates": 10,
            "filter": shaped("intersects", 5.0, 45.0, 15.0, 55.0),
        }
    }
    assert found(node, body) == {"bavaria"}


def test_english_words_are_stemmed(node: httpx.Client) -> None:
    assert found(node, {"query": {"match": {"title": "river"}}}) == {"bavaria"}


def test_a_broken_shape_is_refused_with_its_reason(node: httpx.Client) -> None:
    broken = {"extent": {"type": "envelope", "coordinates": [[0.0, 0.0], [1.0, 95.0]]}, "title": "", "vector": [1, 0]}
    answer = node.put(f"/{SHAPES}/_doc/broken", json=broken)
    assert answer.status_code == 400
    assert "extent" in answer.text


def test_it_listens_on_this_machine_only(node: httpx.Client) -> None:
    http = next(iter(node.get("/_nodes/http,transport").json()["nodes"].values()))
    for layer in ("http", "transport"):
        assert all(address.startswith("127.0.0.1:") for address in http[layer]["bound_address"])


@pytest.mark.parametrize(("options", "mixed_in"), [((), True), (CLI_JAVA_OPTS, False)])
def test_what_the_jvm_warns_of_is_not_mixed_into_the_launch_descriptor(
    options: tuple[str, ...], mixed_in: bool
) -> None:
    java = str(find_java(os.environ).program)
    warned = ("-Xmx64m", "-XX:+UseSerialGC", "-XX:MaxNewSize=1g", "-version")  # more than there is, so it warns
    done = subprocess.run([java, *options, *warned], capture_output=True, text=True, check=True)
    assert ("MaxNewSize" in done.stdout, "MaxNewSize" in done.stderr) == (mixed_in, not mixed_in)
