"""Checks the parts of an installation one by one, each with advice."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import redis
from kombu.exceptions import OperationalError

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.vectors import has_all
from es_mappings.indices import serving
from es_mappings.meta import refuse_other_dimensions, reindex_reasons
from indexer.quality.links import LINKS_OF
from indexer.reindex.sync import unfinished_handovers
from indexer.store.runs import Runs
from sonde.ops.doctor.advice import of_broker, of_elasticsearch
from sonde.ops.doctor.desk import curation_rules, query_log
from sonde.ops.doctor.disk import judged, marks, rooms
from sonde.ops.doctor.documents import confined, ocr, parked_documents
from sonde.ops.doctor.finding import Finding, State
from sonde.ops.doctor.nightly import measured_answers, saved_searches
from sonde.ops.doctor.queues import waiting_tasks
from sonde.ops.doctor.services import api, language_model, mail
from sonde.ops.doctor.writing import aliases, writes
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.worker_settings import worker_config
from workers.celery_client import celery_client
from workers.config import QUEUES
from workers.queue_ages import queue_ages
from workers.registry import known_sources, load_sources
from workers.signs_of_life import beat_ticks

_LEAST_VERSION = (8, 19)
_KEEPS_VECTORS_ONCE = (9, 2)
_RUNS_LOOKED_AT = 50
_PING_S = 2.0


def examine(settings: Settings, models: Models) -> Iterator[Finding]:
    """Checks every part in turn; a broken one does not stop the other checks."""
    client = elasticsearch_client(settings)
    checks: dict[str, Callable[[], tuple[State, str]]] = {
        "elasticsearch": lambda: _elasticsearch(client),
        "writes": lambda: writes(client, settings.index.prefix),
        "aliases": lambda: aliases(client, settings.index.prefix),
        "index": lambda: _index(client, settings, models),
        "reindex": lambda: cut_off(client, settings.index.prefix),
        "embedder": lambda: _embedder(models),
        "cross-encoder": lambda: _cross_encoder(settings, models),
        "language model": lambda: language_model(settings, models),
        "api": lambda: api(settings),
        "broker": lambda: _broker(settings),
        "queues": lambda: waiting_tasks(settings),
        "workers": lambda: workers(settings),
        "beat": lambda: _beat(settings),
        "sources": lambda: _sources(settings),
        "harvests": lambda: _harvests(client, settings),
        "curation": lambda: curation_rules(client, settings.index.prefix),
        "queries": lambda: query_log(client, settings),
        "saved searches": lambda: saved_searches(client, settings),
        "mail": lambda: mail(settings),
        "answers": lambda: measured_answers(client, settings),
        "library": lambda: _library(settings),
        "documents": lambda: parked_documents(client, settings.index.prefix),
        "ocr": lambda: ocr(settings),
        "reading": confined,
        "disk": lambda: judged(rooms(client), marks(client)),
    }
    for part, check in checks.items():
        yield _look(part, check, settings)


def _look(part: str, check: Callable[[], tuple[State, str]], settings: Settings) -> Finding:
    try:
        return Finding(part, *check())
    except ElasticsearchError as error:
        return Finding(part, "broken", of_elasticsearch(error, settings))
    except SondeError as error:
        return Finding(part, "broken", str(error))
    except redis.RedisError as error:
        return Finding(part, "broken", of_broker(error, settings))


def _elasticsearch(client: Elasticsearch) -> tuple[State, str]:
    number = str(client.info().body["version"]["number"])
    if wrong := too_old(number):
        return "broken", wrong
    status = client.cluster.health().body["status"]
    if status == "red":
        return "broken", f"version {number}; the cluster is red: some shards are missing, look at its logs"
    return ("ok" if status == "green" else "warning"), f"version {number}{lacks(number)}, the cluster is {status}"


def too_old(number: str) -> str | None:
    """Why Sonde cannot work with this version of Elasticsearch."""
    if _major_minor(number) >= _LEAST_VERSION:
        return None
    return f"is version {number}; Sonde needs {'.'.join(map(str, _LEAST_VERSION))} or newer"


def lacks(number: str) -> str:
    """What a newer version does better, as the next part of a sentence; empty where it lacks nothing."""
    if _major_minor(number) >= _KEEPS_VECTORS_ONCE:
        return ""
    return " (stores vectors twice, in the source too; from 9.2 on once, and indices are smaller)"


def _major_minor(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split(".")[:2])


def _index(client: Elasticsearch, settings: Settings, models: Models) -> tuple[State, str]:
    found = serving(client, settings.index.prefix, "records")
    if found is None:
        return "warning", f"there is no {settings.index.prefix}-records yet; `sonde harvest` makes it"
    card = models.embedder(found.meta.embedding_model).card
    refuse_other_dimensions(found.index, found.meta, card)
    count = client.count(index=found.index).body["count"]
    lacking = {"bool": {"must_not": [has_all(found.meta.tokens)]}}
    missing = client.count(index=found.index, query=lacking).body["count"]
    if reasons := reindex_reasons(found.meta, settings.embedder.model, card):
        return "warning", " ".join(reasons)
    if missing:
        return "warning", f"{found.index}: {missing} of {count} records lack their vectors; harvest them again"
    tokens = "" if found.meta.tokens is None else f", with token vectors as {found.meta.tokens.code}"
    return "ok", f"{found.index}: {count} records by {found.meta.embedding_model}{tokens}"


def cut_off(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """Whether a reindex must still copy what was written while its alias moved."""
    if serving(client, prefix, "records") is None:  # first, so that an unavailable server fails early
        return "ok", "there is nothing to reindex yet"
    left = unfinished_handovers(client, prefix)
    if not left:
        return "ok", "none is cut off"
    told = ", ".join(f"{each.new} may lack what {each.old} got last" for each in left)
    return "warning", f"under way, or cut off as its alias moved: {told}; `sonde reindex` or a harvest ends it"


def _embedder(models: Models) -> tuple[State, str]:
    card = models.embedder().card
    return "ok", f"{card.model}, {card.dims} dimensions, reads {card.max_tokens} tokens, {card.runtime}"


def _cross_encoder(settings: Settings, models: Models) -> tuple[State, str]:
    if models.heavy_reranker is None:
        return "ok", "none is configured; token vectors rank without one"
    try:
        found = models.heavy_reranker()
        if settings.cross_encoder.runtime == "remote":
            found.score("rain", ["rainfall"])
    except SondeError as error:
        return "warning", f"searches rank without {settings.cross_encoder.model}: {error}"
    return "ok", found.card.model


def _broker(settings: Settings) -> tuple[State, str]:
    client = redis.Redis.from_url(settings.broker_url, socket_timeout=3, socket_connect_timeout=3)
    version = client.info("server").get("redis_version")
    waiting = ", ".join(f"{each.queue} {each.waiting}" for each in queue_ages(client, settings.index.prefix))
    return "ok", f"version {version}; waiting: {waiting}"


def workers(settings: Settings) -> tuple[State, str]:
    """The workers that answer Celery's ping within two seconds, and queues without a worker."""
    app = celery_client(worker_config(settings))
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, "socket_connect_timeout": 3}
    try:
        taken = app.control.inspect(timeout=_PING_S).active_queues() or {}
    except OperationalError as error:
        raise redis.ConnectionError(str(error)) from error
    left = set(QUEUES) - {queue["name"] for queues in taken.values() for queue in queues}
    if left:
        named = ", ".join(sorted(left))
        return "warning", f"nobody takes tasks from {named}: start a worker (`sonde up`), or look at its log"
    return "ok", f"{len(taken)} at work; each queue has a worker"


def _beat(settings: Settings) -> tuple[State, str]:
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=3, socket_connect_timeout=3)
    if beat_ticks(broker, settings.index.prefix):
        return "ok", "it ticks"
    return (
        "warning",
        "nobody holds the lock of the schedules: start beat (`sonde up`), or nothing is harvested by itself",
    )


def _library(settings: Settings) -> tuple[State, str]:
    given = settings.library
    if not given.enabled:
        return "ok", "uploads are off"
    folder = given.folder
    while not folder.exists():
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return "broken", f"{folder} cannot be written to, so uploads fail: correct its rights, or SONDE_LIBRARY__FOLDER"
    return "ok", f"files of users go to {given.folder}"


def _sources(settings: Settings) -> tuple[State, str]:
    path = settings.harvest.sources
    if not path.exists():
        return "warning", f"{path} is missing: nothing is harvested on a schedule"
    return "ok", f"{path}: {', '.join(load_sources(path)) or 'none'}"


def _harvests(client: Elasticsearch, settings: Settings) -> tuple[State, str]:
    if serving(client, settings.index.prefix, "runs") is None:
        return "warning", "none yet"
    latest: dict[str, str] = {}
    for run in Runs(client, settings.index.prefix).latest(size=_RUNS_LOOKED_AT):
        if not run.source.startswith(LINKS_OF):
            latest.setdefault(run.source, run.state)
    wrong = {source: state for source, state in latest.items() if state in ("failed", "refused_removal")}
    if wrong:
        told = ", ".join(f"{source} {state}" for source, state in wrong.items())
        return "warning", f"{told}; `sonde sources report ID` says why"
    path = settings.harvest.sources
    planned = set(latest) & set(known_sources(path) if path.exists() else ())
    told = f"{len(planned)} are in {path}, {len(latest) - len(planned)} were harvested by hand"
    return "ok", f"{len(latest)} sources were harvested ({told}); the last run of each went well"
