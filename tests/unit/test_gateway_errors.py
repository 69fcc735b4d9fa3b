"""What goes wrong with Elasticsearch carries our names, and passes by itself or does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from structlog.testing import capture_logs
from tenacity import wait_none

from core.deadlines import remaining_s, within
from core.errors import Unavailable
from es_gateway import client as es_client
from es_gateway import errors
from es_gateway.client import (
    Connection,
    Elasticsearch,
    NoDeadlineElasticsearch,
    RetryingElasticsearch,
    connected,
    retrying,
)
from es_gateway.nodes import GuardedNode
from es_gateway.searching import search_all, with_current_index

Reply = tuple[int, dict[str, Any]]
BROKEN = 0
"""As a status: the connection ends without an answer."""


class _Scripted(BaseHTTPRequestHandler):
    """Gives the replies of its server in turn, the last one for ever."""

    server: Any

    def _reply(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        replies: list[Reply] = self.server.replies
        status, body = replies.pop(0) if len(replies) > 1 else replies[0]
        self.server.asked.append((self.path, self.headers.get("authorization"), remaining_s()))
        self.close_connection = status == BROKEN
        if self.close_connection:
            return
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("x-elastic-product", "Elasticsearch")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = _reply  # noqa: N815 - names that http.server asks for

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Any]:
    one: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Scripted)
    one.replies, one.asked = [(200, {})], []
    thread = Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield one
    one.shutdown()
    one.server_close()


@pytest.fixture(params=[None, GuardedNode], ids=["workers and commands", "API"])
def client(server: Any, request: pytest.FixtureRequest) -> Elasticsearch:
    there = Connection([f"http://127.0.0.1:{server.server_port}"], basic_auth=("somebody", "secret"))
    return connected(there, node=request.param)


def failing(type_: str, reason: str = "of the server's own", **more: Any) -> dict[str, Any]:
    return {"error": {"root_cause": [{"type": type_, "reason": reason, **more}], "type": type_, "reason": reason}}


@pytest.mark.parametrize(
    ("status", "body", "kind", "passing"),
    [
        (400, failing("parsing_exception"), errors.BadRequest, False),
        (413, {}, errors.BadRequest, False),
        (401, failing("security_exception"), errors.NotPermitted, False),
        (403, failing("security_exception"), errors.NotPermitted, False),
        (404, failing("index_not_found_exception", index="a-000001"), errors.IndexGone, True),
        (404, {"found": False}, errors.DocumentMissing, False),
        (404, {"error": "alias [a] missing", "status": 404}, errors.DocumentMissing, False),
        (409, failing("version_conflict_engine_exception"), errors.VersionConflict, False),
        (429, failing("es_rejected_execution_exception"), errors.Overloaded, True),
        (503, failing("unavailable_shards_exception"), errors.Overloaded, True),
        (500, failing("null_pointer_exception"), errors.ServerFailed, True),
    ],
)
def test_an_answer_has_our_name_and_keeps_the_servers_words_from_callers(
    server: Any, client: Elasticsearch, status: int, body: dict[str, Any], kind: type, passing: bool
) -> None:
    server.replies = [(status, body)]
    with pytest.raises(errors.ElasticsearchError) as raised:
        client.search(index="a")
    assert type(raised.value) is kind
    assert raised.value.status == status
    assert isinstance(raised.value, Unavailable) is passing
    assert "server's own" not in str(raised.value)


def test_the_reason_is_there_for_the_log(server: Any, client: Elasticsearch) -> None:
    server.replies = [(400, failing("parsing_exception", "unknown query [x]"))]
    with pytest.raises(errors.BadRequest) as raised:
        client.indices.create(index="a")
    assert (raised.value.type, raised.value.reason) == ("parsing_exception", "unknown query [x]")


@pytest.mark.parametrize(
    ("type_", "kind", "said"),
    [("resource_already_exists_exception", errors.AlreadyExists, 0), ("parsing_exception", errors.BadRequest, 1)],
)
def test_an_index_that_another_process_made_is_no_fault_for_the_log(
    server: Any, client: Elasticsearch, type_: str, kind: type[Exception], said: int
) -> None:
    server.replies = [(400, failing(type_))]
    with capture_logs() as logs, pytest.raises(kind):
        client.indices.create(index="a")
    own = [entry["event"] for entry in logs if entry["event"].startswith("elasticsearch.")]
    assert own == ["elasticsearch.refused"] * said


@pytest.mark.parametrize("node", [None, GuardedNode])
def test_nobody_at_the_address_is_not_reachable(node: type[GuardedNode] | None) -> None:
    with pytest.raises(errors.NotReachable, match="Elasticsearch does not answer"):
        connected(Connection(["http://127.0.0.1:9"]), node=node).info()


def test_a_node_that_ends_behind_the_address_of_several_loses_no_search(server: Any) -> None:
    client = connected(Connection([f"http://127.0.0.1:{server.server_port}"]), node=GuardedNode)
    server.replies = [(BROKEN, {}), (BROKEN, {}), (200, {"responses": [{"hits": {"hits": []}}]})]
    assert search_all(client, [{"index": "a"}, {}]) == [{"hits": {"hits": []}}]


@pytest.mark.parametrize(
    ("ask", "sent"), [(lambda client: client.count(index="a"), 3), (lambda client: client.info(), 1)]
)
def test_an_address_where_every_connection_breaks_is_not_reachable(server: Any, ask: Any, sent: int) -> None:
    server.replies = [(BROKEN, {})]
    with pytest.raises(errors.NotReachable):
        ask(connected(Connection([f"http://127.0.0.1:{server.server_port}"]), node=GuardedNode))
    assert len(server.asked) == sent


def test_a_status_that_is_asked_for_is_no_error(server: Any, client: Elasticsearch) -> None:
    server.replies = [(404, {"found": False})]
    assert client.options(ignore_status=404).get(index="a", id="b").body == {"found": False}


def test_what_passes_is_sent_again_and_what_does_not_is_not(
    server: Any, client: Elasticsearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(es_client, "WAIT", wait_none())
    busy = (429, failing("es_rejected_execution_exception"))
    patient = RetryingElasticsearch.over(client)
    server.replies = [busy, busy, (200, {"count": 3})]
    assert patient.count(index="a").body["count"] == 3
    server.replies, server.asked = [busy], []
    with pytest.raises(errors.Overloaded):
        patient.count(index="a")
    assert len(server.asked) == es_client.ATTEMPTS
    server.replies, server.asked = [(400, failing("parsing_exception"))], []
    with pytest.raises(errors.BadRequest):
        patient.count(index="a")
    server.replies = [busy]
    with pytest.raises(errors.Overloaded):
        patient.indices.create(index="a")  # done twice it would fail
    assert len(server.asked) == 2


def test_parts_of_a_process_share_connections_login_and_options(server: Any, client: Elasticsearch) -> None:
    patient = retrying(client.options(opaque_id="me"))
    assert patient.transport is client.transport
    patient.count(index="a")
    assert server.asked[-1][1].startswith("Basic ")


def test_a_write_has_no_deadline_and_a_search_has_one(server: Any, client: Elasticsearch) -> None:
    seen: list[float | None] = []

    def noted(kind: type[Elasticsearch]) -> Elasticsearch:
        class Noted(kind):  # type: ignore[valid-type,misc]
            def _perform_request(self, *given: Any, **more: Any) -> Any:
                seen.append(remaining_s())
                return super()._perform_request(*given, **more)

        return Noted.over(client)

    with within(60.0):
        noted(Elasticsearch).count(index="a")
        noted(NoDeadlineElasticsearch).count(index="a")
    assert seen[0] is not None
    assert seen[1] is None


def test_one_failed_search_of_several_fails_all(server: Any, client: Elasticsearch) -> None:
    good = {"hits": {"hits": []}}
    server.replies = [(200, {"responses": [good, failing("index_not_found_exception", index="a-000001")]})]
    with pytest.raises(errors.IndexGone, match="a-000001"):
        search_all(client, [{"index": "a"}, {}, {"index": "a"}, {}])
    server.replies = [(200, {"responses": [failing("query_shard_exception", "no such field")]})]
    with pytest.raises(errors.SearchRefused) as raised:
        search_all(client, [{"index": "a"}, {}])
    assert "no such field" not in str(raised.value)
    server.replies = [(200, {"responses": [{**good, "timed_out": True}]})]
    with pytest.raises(Unavailable, match="this request's time"):
        search_all(client, [{"index": "a"}, {}])


class _Alias:
    """Stands for one index until it is forgotten, then for the next."""

    def __init__(self, *indices: str) -> None:
        self.indices = list(indices)

    def resolve(self) -> str:
        return self.indices[0]

    def forget(self) -> None:
        self.indices.pop(0)


def test_an_alias_that_moved_is_resolved_again_once() -> None:
    def ask(index: str) -> str:
        if index != "new":
            raise errors.IndexGone(index)
        return index

    assert with_current_index(_Alias("old", "new"), ask) == "new"
    with pytest.raises(errors.IndexGone):
        with_current_index(_Alias("oldest", "old", "new"), ask)


def test_several_searches_carry_the_login_and_go_to_the_next_node_when_one_is_away(server: Any) -> None:
    urls = [f"http://127.0.0.1:{server.server_port}", "http://127.0.0.1:9"]
    client = connected(Connection(urls, basic_auth=("somebody", "secret")), node=GuardedNode)
    server.replies = [(200, {"responses": [{"hits": {"hits": []}}]})]
    for _ in range(4):  # the nodes take turns
        assert search_all(client, [{"index": "a"}, {}]) == [{"hits": {"hits": []}}]
    assert [(path, login[:6]) for path, login, _ in server.asked] == [("/_msearch", "Basic ")] * 4
    with pytest.raises(errors.NotReachable):
        search_all(client.options(max_retries=0, request_timeout=1e-9), [{"index": "a"}, {}])


@pytest.mark.parametrize(
    ("status", "type_", "kind"),
    [
        (400, "parsing_exception", errors.BadRequest),
        (401, "security_exception", errors.NotPermitted),
        (429, "es_rejected_execution_exception", errors.Overloaded),
        (500, "null_pointer_exception", errors.ServerFailed),
    ],
)
def test_several_searches_that_fail_together_have_our_name(
    server: Any, client: Elasticsearch, status: int, type_: str, kind: type
) -> None:
    server.replies = [(status, failing(type_))]
    with pytest.raises(errors.ElasticsearchError) as raised:
        search_all(client, [{"index": "a"}, {}])
    assert (type(raised.value), raised.value.status, raised.value.type) == (kind, status, type_)
    assert "server's own" not in str(raised.value)
