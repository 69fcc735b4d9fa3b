"""`sonde sources add` on hosts whose answers say nothing: each question is asked once, and the later ones too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core.errors import SondeError
from evaluation.local_server import serve
from indexer.sources.fetching import BadAnswer, Fetcher
from indexer.sources.oai_pmh import identify
from indexer.sources.politeness import RequestPolicy
from indexer.sources.probe import probe
from net.errors import BadStatus
from net.gate import Gate, GatePolicy

PAGE = b"<!doctype html><html><head><title>Not here</title></head><body><p>Try the search.</body></html>"
IDENTIFY = (
    b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><Identify><repositoryName>Rivers</repositoryName>'
    b"</Identify></OAI-PMH>"
)


@contextmanager
def answering(status: int, pages: dict[str, bytes] | None = None) -> Iterator[tuple[str, Counter[str]]]:
    """A server with this status and a web page for every path but ``pages``, and the number of requests of each."""
    requests: Counter[str] = Counter()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests[self.path] += 1
            page = (pages or {}).get(self.path.partition("?")[0])
            self.send_response(200 if page else status)
            self.send_header("Content-Type", "text/xml" if page else "text/html")
            self.send_header("Content-Length", str(len(page or PAGE)))
            self.end_headers()
            self.wfile.write(page or PAGE)

        do_POST = do_GET  # noqa: N815 - named by http.server

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as url:
        yield url, requests


def fetcher_of(url: str) -> Fetcher:
    policy = RequestPolicy(per_second=1e6, attempts=3, first_pause_s=0.0, longest_pause_s=0.01, breaker_failures=3)
    return Fetcher(Gate(GatePolicy(allowed_hosts=frozenset({"127.0.0.1"}))), "t", url, policy=policy)


@pytest.mark.parametrize("status", [404, 410, 200], ids=["404", "410", "200"])
@pytest.mark.parametrize(
    "path", ["", "/", "/data/catalogue.html", "/ipt/resource?r=x"], ids=["host", "root", "page", "ipt"]
)
def test_each_question_is_asked_once(status: int, path: str) -> None:
    with answering(status) as (url, requests):
        result = probe(fetcher_of(f"{url}{path}"), f"{url}{path}")
    assert result.found is None
    assert not [line for line in result.tried if "left alone" in line]
    assert max(requests.values()) <= 3  # several protocols ask about the address itself
    assert max(count for asked, count in requests.items() if asked not in (path, path or "/")) == 1


def test_a_catalogue_behind_many_wrong_answers_is_found() -> None:
    with answering(404, {"/oai": IDENTIFY}) as (url, requests):
        result = probe(fetcher_of(url), url)
    assert any(asked.startswith("/oai?verb=ListMetadataFormats") for asked in requests), result.tried


def test_a_harvest_tries_a_web_page_again_and_a_missing_address_not() -> None:
    with answering(200) as (url, requests), pytest.raises(BadAnswer):
        identify(fetcher_of(url), url)
    assert sum(requests.values()) == 3
    with answering(404) as (url, requests), pytest.raises(BadStatus):
        identify(fetcher_of(url), url)
    assert sum(requests.values()) == 1


def test_another_answer_outside_of_a_question_stays_a_failure() -> None:
    with answering(200) as (url, _):
        fetcher = fetcher_of(url)
        with fetcher.asking(), pytest.raises(SondeError):
            identify(fetcher, url)
        with pytest.raises(BadAnswer):
            identify(fetcher, url)
