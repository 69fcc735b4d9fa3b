"""What a search during a breakage is called, and the proxy that is cut and slowed."""

from __future__ import annotations

import time

import httpx
import pytest
from flask import Flask, Response, jsonify
from flask.typing import ResponseReturnValue

from lab.chaos.proxies import TcpProxy
from lab.chaos.steady_searcher import SearchOutcome, SteadySearcher
from local_stack.elasticsearch import NodeFolders, node_settings
from local_stack.settings import NodeConfig
from tests.live import serving


def service(answers: list[ResponseReturnValue]) -> Flask:
    """Gives the answers one after the other, the last for ever."""
    app = Flask("answers")

    @app.get("/search")
    def search() -> ResponseReturnValue:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    return app


def found(*ids: str, degraded: list[str] | None = None) -> ResponseReturnValue:
    with Flask("json").app_context():
        return jsonify({"features": [{"id": one} for one in ids], "sonde:degraded": degraded or []})


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (found("a", "b"), "right"),
        (found("a", "c"), "right"),
        (found("b", "a"), "unmarked"),
        (found(), "unmarked"),
        (found("b", degraded=["dense"]), "degraded"),
        (Response(status=503, headers={"Retry-After": "5"}), "refused"),
        (Response(status=503), "failed"),
        (Response(status=500), "failed"),
    ],
)
def test_each_answer_has_its_verdict(answer: ResponseReturnValue, verdict: str) -> None:
    with serving(service([found("a", "b"), answer])) as url:
        asker = SteadySearcher(url, ("rain",), "samples")
        asker.learn()
        with asker.ask_steadily(per_second=20):
            ends = time.monotonic() + 30
            while not asker.log and time.monotonic() < ends:
                time.sleep(0.01)
    assert {asked.verdict for asked in asker.log} == {verdict}


def scored(**scores: float) -> ResponseReturnValue:
    with Flask("json").app_context():
        return jsonify({"features": [{"id": one, "sonde:score": score} for one, score in scores.items()]})


def test_who_scored_all_but_the_same_may_come_first_later() -> None:
    with serving(service([scored(a=0.99, b=0.98, c=0.95)])) as url:
        asker = SteadySearcher(url, ("rain",), "samples")
        asker.learn()
    assert asker.expected == {"rain": frozenset({"a", "b"})}


def test_who_leads_after_the_harvest_was_right_meanwhile_too() -> None:
    with serving(service([found("a", "b"), found("c", degraded=["dense"]), found("b", "a")])) as url:
        asker = SteadySearcher(url, ("rain",), "samples")
        asker.learn()
        asker.learn_answers()  # not by the answer that lacks something, but by the next
    assert asker.expected == {"rain": frozenset({"a", "b"})}
    verdicts = [asker.rejudge(SearchOutcome(1.0, "unmarked", 9.0, "", frozenset(), "rain", first)) for first in "bc"]
    assert [one.verdict for one in verdicts] == ["right", "unmarked"]


def test_nobody_there_is_unreachable_and_no_failure() -> None:
    asker = SteadySearcher("http://127.0.0.1:1", ("rain",), "samples", expected={"rain": frozenset({"a"})})
    with asker.ask_steadily(per_second=20):
        ends = time.monotonic() + 30
        while not asker.log and time.monotonic() < ends:
            time.sleep(0.01)
    assert {asked.verdict for asked in asker.log} == {"unreachable"}


def test_an_answer_as_good_as_before_the_breakage_is_right_again() -> None:
    asker = SteadySearcher("http://127.0.0.1:1", ("rain",), "samples")
    asker.log += [
        SearchOutcome(5.0, "degraded", 9.0, "cross_encoder", frozenset({"cross_encoder"})),
        SearchOutcome(11.0, "refused", 9.0, "503"),
        SearchOutcome(12.0, "degraded", 9.0, "dense", frozenset({"dense"})),
        SearchOutcome(13.0, "degraded", 9.0, "cross_encoder", frozenset({"cross_encoder"})),
        SearchOutcome(16.0, "right", 9.0),
    ]
    assert asker.first_right_after(10.0) == 6.0
    assert asker.first_right_after(10.0, frozenset({"cross_encoder"})) == 3.0
    assert asker.first_right_after(16.0) is None
    assert asker.missing_parts() == {"cross_encoder", "dense"}


def test_nothing_is_learnt_from_a_service_that_does_not_answer_well() -> None:
    with serving(service([found()])) as url, pytest.raises(RuntimeError, match="rain"):
        SteadySearcher(url, ("rain",), "samples").learn()


def test_a_wire_is_cut_mended_at_the_same_port_and_slowed() -> None:
    with serving(service([found("a")])) as url, TcpProxy(url).run() as proxy:
        address = f"{proxy.url}/search"
        assert httpx.get(address).status_code == 200
        proxy.cut()
        with pytest.raises(httpx.TransportError):
            httpx.get(address)
        proxy.mend()
        proxy.delay_s = 0.2
        begun = time.monotonic()
        assert httpx.get(address).status_code == 200
        assert time.monotonic() - begun >= 0.4  # each way


def test_a_node_of_a_cluster_knows_the_others(tmp_path: object) -> None:
    members = {"node-1": 9401, "node-2": 9402}
    settings = NodeConfig(node="node-2", transport_port=9402, members=members)
    made = node_settings(settings, NodeFolders(tmp_path))  # type: ignore[arg-type]
    assert made["node.name"] == "node-2"
    assert made["discovery.seed_hosts"] == "127.0.0.1:9401,127.0.0.1:9402"
    assert made["cluster.initial_master_nodes"] == "node-1,node-2"
    assert "discovery.type" not in made
    assert node_settings(NodeConfig(), NodeFolders(tmp_path))["discovery.type"] == "single-node"  # type: ignore[arg-type]
