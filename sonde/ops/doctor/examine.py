"""Checks the parts of an installation one by one, each with advice."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import redis

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import serving
from indexer.quality.links import LINKS_OF
from indexer.store.runs import Runs
from sonde.ops.doctor.content import (
    curation_rules,
    document_confinement,
    library,
    measured_answers,
    ocr,
    parked_documents,
    query_log,
    saved_searches,
)
from sonde.ops.doctor.elasticsearch import (
    aliases,
    cluster,
    judge_disks,
    node_disks,
    records_index,
    unfinished_reindex,
    watermarks,
    writes,
)
from sonde.ops.doctor.finding import Finding, State, of_broker, of_elasticsearch
from sonde.ops.doctor.services import api, api_keys, beat, broker, language_model, mail, waiting_tasks, workers
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from workers.source_config import known_sources, load_sources

_RUNS_LOOKED_AT = 50


def examine(settings: Settings, models: Models) -> Iterator[Finding]:
    """Checks every part in turn; a broken one does not stop the other checks."""
    client = elasticsearch_client(settings)
    checks: dict[str, Callable[[], tuple[State, str]]] = {
        "elasticsearch": lambda: cluster(client),
        "writes": lambda: writes(client, settings.index.prefix),
        "aliases": lambda: aliases(client, settings.index.prefix),
        "index": lambda: records_index(client, settings, models),
        "reindex": lambda: unfinished_reindex(client, settings.index.prefix),
        "embedder": lambda: _embedder(models),
        "cross-encoder": lambda: _cross_encoder(settings, models),
        "language model": lambda: language_model(settings, models),
        "api": lambda: api(settings),
        "keys": lambda: api_keys(client, settings.index.prefix),
        "broker": lambda: broker(settings),
        "queues": lambda: waiting_tasks(settings),
        "workers": lambda: workers(settings),
        "beat": lambda: beat(settings),
        "sources": lambda: _sources(settings),
        "harvests": lambda: _harvests(client, settings),
        "curation": lambda: curation_rules(client, settings.index.prefix),
        "queries": lambda: query_log(client, settings),
        "saved searches": lambda: saved_searches(client, settings),
        "mail": lambda: mail(settings),
        "answers": lambda: measured_answers(client, settings),
        "library": lambda: library(settings),
        "documents": lambda: parked_documents(client, settings.index.prefix),
        "ocr": lambda: ocr(settings),
        "reading": document_confinement,
        "disk": lambda: judge_disks(node_disks(client), watermarks(client)),
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


def _embedder(models: Models) -> tuple[State, str]:
    card = models.embedder().card
    return "ok", f"{card.model}, {card.dims} dimensions, reads {card.max_tokens} tokens, {card.runtime}"


def _cross_encoder(settings: Settings, models: Models) -> tuple[State, str]:
    if models.heavy_reranker is None:
        return "ok", "none is configured; token vectors rank without one"
    try:
        cross_encoder = models.heavy_reranker()
        if settings.cross_encoder.runtime == "remote":
            cross_encoder.score("rain", ["rainfall"])
    except SondeError as error:
        return "warning", f"searches rank without {settings.cross_encoder.model}: {error}"
    return "ok", cross_encoder.card.model


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
    failed_sources = {source: state for source, state in latest.items() if state in ("failed", "refused_removal")}
    if failed_sources:
        text = ", ".join(f"{source} {state}" for source, state in failed_sources.items())
        return "warning", f"{text}; `sonde sources report ID` says why"
    path = settings.harvest.sources
    configured = set(latest) & set(known_sources(path) if path.exists() else ())
    text = f"{len(configured)} are in {path}, {len(latest) - len(configured)} were harvested by hand"
    return "ok", f"{len(latest)} sources were harvested ({text}); the last run of each went well"
