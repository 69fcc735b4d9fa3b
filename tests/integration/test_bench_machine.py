"""A figure says which Elasticsearch it was measured on, and that the tests' own is none to measure."""

from __future__ import annotations

import pytest
from elasticsearch import Elasticsearch

from lab.measures import describe_node
from local_stack.testing import QUICK_START
from sonde.settings import ElasticsearchSettings, Settings
from sonde.wiring.clients import elasticsearch_client

pytestmark = pytest.mark.elasticsearch


def test_a_node_for_tests_is_said_to_be_too_slow_to_measure(elasticsearch_url: str, es_client: Elasticsearch) -> None:
    said = describe_node(elasticsearch_client(Settings(elasticsearch=ElasticsearchSettings(url=elasticsearch_url))))
    assert said.startswith(es_client.info()["version"]["number"] + ", heap ")
    nodes = es_client.nodes.info(metric="jvm")["nodes"].values()
    for_tests = any(QUICK_START[0] in node["jvm"]["input_arguments"] for node in nodes)
    assert said.endswith("a node for tests (-XX:TieredStopAtLevel=1): too slow to measure") == for_tests
