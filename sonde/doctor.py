"""What an installation needs, looked at part by part, each with what to mend."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import redis
from elastic_transport import TransportError
from elasticsearch import ApiError, Elasticsearch

from core.errors import SondeError
from es_mappings.indices import serving
from es_mappings.meta import needs_reindex, refuse_other_dimensions
from indexer.runs import Runs
from sonde.settings import Settings
from sonde.wiring import Models, elasticsearch_client
from workers.registry import load_sources

State = Literal["ok", "warning", "broken"]

_LEAST_VERSION = 9
_LEAST_FREE_BYTES = 5 << 30
_RUNS_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: how it is, and, where it is not well, what to do."""

    part: str
    state: State
    told: str


def examine(settings: Settings, models: Models) -> Iterator[Finding]:
    """Every part in turn; a broken one does not keep the others from being looked at."""
    client = elasticsearch_client(settings)
    yield _look("elasticsearch", lambda: _elasticsearch(client))
    yield _look("index", lambda: _index(client, settings, models))
    yield _look("embedder", lambda: _embedder(models))
    yield _look("cross-encoder", lambda: _cross_encoder(models))
    yield _look("broker", lambda: _broker(settings))
    yield _look("sources", lambda: _sources(settings))
    yield _look("harvests", lambda: _harvests(client, settings))
    yield _look("disk", lambda: _disk(settings))


def _look(part: str, check: Callable[[], tuple[State, str]]) -> Finding:
    try:
        return Finding(part, *check())
    except SondeError as error:
        return Finding(part, "broken", str(error))
    except (TransportError, ApiError, redis.RedisError) as error:
        return Finding(part, "broken", f"does not answer as it should ({type(error).__name__}: {error})")


def _elasticsearch(client: Elasticsearch) -> tuple[State, str]:
    number = str(client.info().body["version"]["number"])
    if int(number.partition(".")[0]) < _LEAST_VERSION:
        return "broken", f"is version {number}; Sonde needs {_LEAST_VERSION} or newer"
    status = client.cluster.health().body["status"]
    if status == "red":
        return "broken", f"version {number}; the cluster is red: some shards are missing, look at its logs"
    return ("ok" if status == "green" else "warning"), f"version {number}, the cluster is {status}"


def _index(client: Elasticsearch, settings: Settings, models: Models) -> tuple[State, str]:
    found = serving(client, settings.index.prefix, "records")
    if found is None:
        return "warning", f"there is no {settings.index.prefix}-records yet; `sonde harvest` makes it"
    refuse_other_dimensions(found.index, found.meta, models.embedder(found.meta.embedding_model).card)
    count = client.count(index=found.index).body["count"]
    bare = {"bool": {"must_not": [{"exists": {"field": "vector"}}]}}
    missing = client.count(index=found.index, query=bare).body["count"]
    reindex = needs_reindex(found.meta, settings.embedder.model)
    if reindex is not None:
        return "warning", reindex
    if missing:
        return "warning", f"{found.index}: {missing} of {count} records have no vector; harvest them again"
    return "ok", f"{found.index}: {count} records by {found.meta.embedding_model}"


def _embedder(models: Models) -> tuple[State, str]:
    card = models.embedder().card
    return "ok", f"{card.model}, {card.dims} dimensions, reads {card.max_tokens} tokens, {card.runtime}"


def _cross_encoder(models: Models) -> tuple[State, str]:
    try:
        return "ok", models.cross_encoder().card.model
    except SondeError as error:
        return "warning", f"answers rank without one: {error}"


def _broker(settings: Settings) -> tuple[State, str]:
    client = redis.Redis.from_url(settings.broker_url, socket_timeout=3, socket_connect_timeout=3)
    version = client.info("server").get("redis_version")
    waiting = {name: client.llen(f"{settings.index.prefix}:{name}") for name in ("harvest", "documents", "embed")}
    told = ", ".join(f"{name} {count}" for name, count in waiting.items())
    return "ok", f"version {version}; waiting: {told}"


def _sources(settings: Settings) -> tuple[State, str]:
    path = settings.harvest.sources
    if not path.exists():
        return "warning", f"{path} is not there: nothing is harvested on a schedule"
    return "ok", f"{path}: {', '.join(load_sources(path)) or 'none'}"


def _harvests(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    if serving(client, settings.index.prefix, "runs") is None:
        return "warning", "none yet"
    latest: dict[str, str] = {}
    for run in Runs(client, settings.index.prefix).latest(size=_RUNS_LOOKED_AT):
        latest.setdefault(run.source, run.state)
    wrong = {source: state for source, state in latest.items() if state in ("failed", "refused_removal")}
    if wrong:
        told = ", ".join(f"{source} {state}" for source, state in wrong.items())
        return "warning", f"{told}; `sonde sources report ID` tells why"
    return "ok", f"{len(latest)} sources, the last run of each went well"


def _disk(settings: Settings) -> tuple[State, str]:
    folder = settings.stack.folder
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    told = f"{free / 2**30:.0f} GiB free at {folder}"
    return ("ok", told) if free >= _LEAST_FREE_BYTES else ("warning", f"{told}; Elasticsearch stops writing when full")
