"""The short form of `sonde load`: a samples-sized catalogue, two clients, a second each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from elasticsearch import Elasticsearch

from core.errors import SondeError
from lab.cli.load import load

_SHORT = ["--records", "200", "--passages", "60", "--embed", "40", "--clients", "2", "--seconds", "1", "--warm-up", "2"]


@pytest.mark.elasticsearch
@pytest.mark.models
@pytest.mark.timeout(300)
def test_two_clients_are_answered_and_nothing_stays(
    es_client: Elasticsearch, elasticsearch_url: str, tmp_path: Path
) -> None:
    out = tmp_path / "figures.json"
    arguments = [*_SHORT, "--processes", "1", "--course", "bm25, plain", "--course", "hybrid", "--json", str(out)]
    environment = {"SONDE_ELASTICSEARCH__URL": elasticsearch_url}
    done = CliRunner().invoke(load, [*arguments, "--catalogues", str(tmp_path)], env=environment)
    assert done.exit_code == 0, done.output
    # 169 samples: 40 vectors of 200 and of 60 are real.
    said = " ".join(done.output.split())
    assert "200 records made of 169 real ones: 40 vectors are real, 160 are perturbed real ones." in said
    assert "60 passages: 40 vectors are real, 20 are perturbed real ones." in said
    figures = json.loads(out.read_text("utf-8"))
    assert figures["measured"]["command"]
    assert (figures["made"]["real"], figures["made"]["vectors_records"], figures["made"]["vectors_passages"]) == (
        169,
        40,
        40,
    )
    assert [(course["course"], course["clients"]) for course in figures["courses"]] == [
        ("bm25, plain", 2),
        ("hybrid", 2),
    ]
    for course in figures["courses"]:
        assert course["answered"] == course["latency_ms"]["count"] > 0
        assert (course["failed"], course["degraded"]) == (0, 0)
        assert course["latency_ms"]["p50"] <= course["latency_ms"]["p99"]
        assert sum(course["shares"].values()) == pytest.approx(1.0)
        assert all(share >= 0.0 for share in course["shares"].values())
    plain, hybrid = (course["shares"] for course in figures["courses"])
    assert plain["encoder"] < hybrid["encoder"]
    prefix = figures["made"]["prefix"]
    assert prefix.startswith("sonde-evaluation-load-")
    assert not es_client.options(ignore_status=404).indices.get_alias(index=f"{prefix}-*").body


@pytest.mark.parametrize("url", ["http://catalogue.example:9200", "http://192.0.2.7:9200"])
def test_another_machine_is_left_alone(url: str) -> None:
    done = CliRunner().invoke(load, _SHORT, env={"SONDE_ELASTICSEARCH__URL": url})
    assert isinstance(done.exception, SondeError)
    assert "--allow-remote" in str(done.exception)
