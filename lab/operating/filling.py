"""What a version is filled with, so that each index holds something; how a user sees it again; what the indices hold,
document by document.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from core.errors import SondeError
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_mappings.codecs.records import from_document
from es_mappings.names import KINDS, IndexKind, alias
from evaluation.local_server import serve
from indexer.store.ledger import scan
from lab.operating.release import Release
from lab.waiting import wait_until

_CHANGE_BY_THEMSELVES: Mapping[str, frozenset[str]] = {
    "keys": frozenset({"last_used"}),
    "ledger": frozenset({"last_seen", "last_seen_run"}),
}
"""Fields that a service writes without anything being lost or made."""

Contents = Mapping[IndexKind, Mapping[str, str]]
"""By kind and id: a digest of the document, without its vectors."""
SAMPLES, FOLDER_OF_FILES, SLOW_SOURCE = "samples", "files", "slow"
_VOCABULARY = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://example.org/rain> a skos:Concept ; skos:prefLabel "rainfall"@en ; skos:altLabel "pluviometry"@en .
"""
_NOTES = {
    "rainfall.txt": "Rainfall over southern Africa from 1981 to 2010\n\nMonthly totals in millimetres come from gauges "
    "and from satellites. The wettest month was January 1984.",
    "glaciers.txt": "Glaciers of the Alps since 1950\n\nThe area of the glaciers was measured from aerial photographs. "
    "They lost a third of their area.",
}
_TIMEOUT_S = 60.0


def contents(client: Elasticsearch, prefix: str) -> Contents:
    """Of every kind that has an index."""
    existing_kinds = [kind for kind in KINDS if client.indices.exists_alias(name=alias(prefix, kind))]
    client.indices.refresh(index=[alias(prefix, kind) for kind in existing_kinds])
    query: JsonMapping = {"match_all": {}}
    return {
        kind: {hit["_id"]: _digest(kind, hit["_source"]) for hit in scan(client, alias(prefix, kind), query)}
        for kind in existing_kinds
    }


def _digest(kind: IndexKind, source: JsonMapping) -> str:
    """Records as every reader sees them; further fields of a later version are not a change."""
    stable_fields = {name: value for name, value in source.items() if name not in _CHANGE_BY_THEMSELVES.get(kind, ())}
    text = repr(from_document(source)) if kind == "records" else json.dumps(stable_fields, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class KindComparison:
    """Documents of one kind: how many there were, and how many of these are ``missing`` or ``changed`` now."""

    kind: IndexKind
    before: int
    now: int
    missing: int
    changed: int


def compare_contents(before: Contents, now: Contents) -> list[KindComparison]:
    return [_compare_kind(kind, digests, now.get(kind, {})) for kind, digests in before.items()]


def _compare_kind(kind: IndexKind, before: Mapping[str, str], now: Mapping[str, str]) -> KindComparison:
    changed_count = sum(now[id] != digest for id, digest in before.items() if id in now)
    return KindComparison(kind, len(before), len(now), len(before.keys() - now.keys()), changed_count)


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a key and documents of their own at ``url``."""

    url: str
    key: str

    def send_request(self, path: str, method: str = "GET", **options: object) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = httpx.request(method, f"{self.url}{path}", headers=headers, timeout=_TIMEOUT_S, **options)  # type: ignore[arg-type]
        if answer.is_error:
            raise SondeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
        return answer

    def upload(self, file: Path) -> None:
        self.send_request("/library/documents", "POST", files={"file": (file.name, file.read_bytes())})

    def documents(self) -> list[Json]:
        return list(self.send_request("/library/documents").json()["documents"])

    def is_ready(self) -> bool:
        return all(document["state"] == "ready" for document in self.documents())

    def files(self) -> Mapping[str, bytes]:
        """Each document's own bytes, by its id."""
        return {
            document["id"]: self.send_request(f"/library/documents/{document['id']}/file").content
            for document in self.documents()
        }

    def finds(self, question: str) -> list[str]:
        """Ids of the documents of one's own that answer."""
        answer = self.send_request("/search", params={"q": question, "scope": "mine"}).json()
        return [str(feature["id"]) for feature in answer["features"]]


def key(release: Release, subject: str, *scopes: str) -> str:
    options = [word for scope in scopes for word in ("--scope", scope)]
    return str(json.loads(release.sonde("keys", "add", "--subject", subject, *options, "--json"))["key"])


@contextmanager
def folder_of_files(samples: Path, folder: Path) -> Iterator[str]:
    """The address of a web folder with three records: its answers carry dates, which visits are remembered by."""
    folder.mkdir(exist_ok=True)
    for file in sorted(samples.glob("*.xml"))[:3]:
        (folder / file.name).write_bytes(file.read_bytes())

    class QuietHandler(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    with serve(ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(folder)))) as url:
        yield f"{url}/"


def write_sources(file: Path, samples: Path, web_folder: str, slow_url: str) -> None:
    file.write_text(
        "sources:\n"
        f"  - {{id: {SAMPLES}, title: Samples, type: folder, path: {samples}}}\n"
        f"  - {{id: {FOLDER_OF_FILES}, title: Files, type: waf, url: '{web_folder}'}}\n"
        f"  - {{id: {SLOW_SOURCE}, title: Slow, type: csw, url: '{slow_url}'}}\n",
        "utf-8",
    )


def fill(release: Release, url: str, folder: Path, pdfs: list[Path]) -> User:
    """Two harvests, a public document, a vocabulary, a user with a key and documents of their own, which are ready."""
    release.sonde("harvest", SAMPLES, FOLDER_OF_FILES)
    (folder / "rain.ttl").write_text(_VOCABULARY, "utf-8")
    release.sonde("vocabulary", "load", str(folder / "rain.ttl"))
    notes = [folder / name for name in _NOTES]
    for note in notes:
        note.write_text(_NOTES[note.name], "utf-8")
    release.sonde("ingest", *map(str, notes[:1]))
    user = User(url, key(release, "reader", "search", "library"))
    for file in (*notes, *pdfs):
        user.upload(file)
    wait_until(user.is_ready, 900, "the uploaded documents are ready")
    return user
