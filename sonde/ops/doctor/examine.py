"""Checks the parts of an installation one by one, each with advice; the services are checked here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import redis
from kombu.exceptions import OperationalError

from core.errors import SondeError
from core.timespan import utc_now
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import serving
from indexer.quality.links import LINKS_OF
from indexer.store.runs import Runs
from net.exchange import HttpAnswer, Outgoing
from net.gate import Gate, GatePolicy
from search_api.http.access.keys import ApiKey, KeyStore
from sonde.ops.doctor.clocks import ahead_s, api_clock, judge_clocks, node_clocks
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
from sonde.ops.doctor.finding import Finding, State, of_broker, of_elasticsearch, span
from sonde.settings import ANY_ADDRESS, Settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models
from sonde.wiring.part_watch import language_model_trouble
from sonde.wiring.stewards import mail_server
from sonde.wiring.workers import worker_config
from workers.broker import LATE_S, QueueAge, beat_ticks, broker_clocks, queue_ages
from workers.celery_client import celery_client
from workers.config import QUEUES
from workers.source_config import known_sources, load_sources

_ASK_S = 5.0
_ANSWER_S = 3
_PING_S = 2.0
_KEY_NOTICE = timedelta(days=14)


def api(settings: Settings) -> tuple[State, str]:
    """Asks the API on this machine and then its public address; a warning if neither answers."""
    tried_addresses = []
    for url in _addresses(settings):
        answer = _answer_at(f"{url}/healthz")
        if isinstance(answer, HttpAnswer):
            return "ok", f"answers at {url}"
        tried_addresses.append(f"{url} ({answer})")
    return (
        "warning",
        f"does not answer at {', nor at '.join(tried_addresses)}: start it (`sonde up`), or look at its log",
    )


def language_model(settings: Settings, models: Models) -> tuple[State, str]:
    if settings.answers.url is None:
        return "ok", "none is configured; answers are quotes"
    problems = language_model_trouble(settings, lambda: models.gate)
    return ("warning", " ".join(problems)) if problems else ("ok", f"{settings.answers.model} answers")


def mail(settings: Settings) -> tuple[State, str]:
    """Connects and logs in, and sends nothing."""
    server = mail_server(settings)
    if server is None:
        return "ok", "no server is configured; no mail is sent"
    try:
        server.check()
    except SondeError as error:
        return "warning", f"{server.host}:{server.port}: {error} SONDE_MAIL__HOST, __PORT and __TLS say where and how"
    text = f"{server.host}:{server.port} takes mails"
    if settings.api.public_url is None:
        return "warning", f"{text}, but their links lead to {settings.api_url}: set SONDE_API__PUBLIC_URL"
    return "ok", f"{text}; their links begin with {settings.api_url}"


def api_keys(client: Elasticsearch, prefix: str) -> tuple[State, str]:
    """A warning names keys that are in use and expire soon, or expired a short time ago."""
    return judge_keys(KeyStore(client, prefix).list(), utc_now())


def judge_keys(keys: Sequence[ApiKey], now: datetime) -> tuple[State, str]:
    """From the stored keys."""
    ends = {
        key: key.grant.expires
        for key in keys
        if key.grant.expires and key.revoked is None and key.last_used and key.last_used > now - 2 * _KEY_NOTICE
    }
    notes = [
        f"{key.id} of {key.grant.subject} {'expired' if end <= now else 'expires'} on {end:%Y-%m-%d}"
        for key, end in ends.items()
        if end < now + _KEY_NOTICE
    ]
    active_count = sum(key.state(now) == "active" for key in keys)
    if notes:
        return "warning", f"{', '.join(notes)}: `sonde keys add` makes its owner a new one"
    return "ok", f"{active_count} active; none in use ends within {_KEY_NOTICE.days} days"


def _addresses(settings: Settings) -> list[str]:
    api_settings = settings.api
    host = "127.0.0.1" if api_settings.host in ANY_ADDRESS else api_settings.host
    local_address = f"http://{f'[{host}]' if ':' in host else host}:{api_settings.port}"
    return [local_address, *([api_settings.public_url] if api_settings.public_url else [])]


def _answer_at(url: str) -> HttpAnswer | str:
    """The answer, or why there is none."""
    gate = Gate(GatePolicy(allowed_hosts=frozenset([urlsplit(url).netloc.rpartition("@")[2]]), timeout_s=_ASK_S))
    try:
        return gate.request(Outgoing(url)).expect_ok()
    except SondeError as error:
        return str(error)
    finally:
        gate.close()


def clocks(settings: Settings, client: Elasticsearch) -> tuple[State, str]:
    """A warning names the parts whose clock differs from this machine's. A silent API is another check's affair."""
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
    clock_comparison = {
        **ahead_s(lambda: node_clocks(client)),
        **ahead_s(lambda: broker_clocks(broker, settings.index.prefix)),
    }
    for url in _addresses(settings):
        clock_comparison |= ahead_s(lambda url=url: api_clock(_answer_at(f"{url}/healthz")))  # type: ignore[misc]
    return judge_clocks(clock_comparison)


def waiting_tasks(settings: Settings) -> tuple[State, str]:
    """A warning names the queues whose oldest task has waited for too long."""
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_ANSWER_S, socket_connect_timeout=_ANSWER_S)
    return judge_queues(queue_ages(broker, settings.index.prefix))


def judge_queues(queues: Sequence[QueueAge]) -> tuple[State, str]:
    """From the state of the queues."""
    ages = {
        queue_age.queue: queue_age.age_s for queue_age in queues if queue_age.waiting and queue_age.age_s is not None
    }
    if not ages:
        return "ok", "no task waits"
    text = ", ".join(f"in {queue} for {span(age)}" for queue, age in ages.items())
    late_queues = [queue for queue, age in ages.items() if age > LATE_S]
    if late_queues:
        worker_note = (
            f"the worker of {late_queues[0]}" if len(late_queues) == 1 else f"the workers of {', '.join(late_queues)}"
        )
        return (
            "warning",
            f"the oldest task waits {text}: look at {worker_note}, which is dead or held up by a long task",
        )
    return "ok", f"the oldest task waits {text}"


def broker(settings: Settings) -> tuple[State, str]:
    client = redis.Redis.from_url(settings.broker_url, socket_timeout=3, socket_connect_timeout=3)
    version = client.info("server").get("redis_version")
    waiting_note = ", ".join(f"{age.queue} {age.waiting}" for age in queue_ages(client, settings.index.prefix))
    return "ok", f"version {version}; waiting: {waiting_note}"


def workers(settings: Settings) -> tuple[State, str]:
    """The workers that answer Celery's ping within two seconds, and queues without a worker."""
    app = celery_client(worker_config(settings))
    app.conf.broker_transport_options = {**app.conf.broker_transport_options, "socket_connect_timeout": 3}
    try:
        by_worker = app.control.inspect(timeout=_PING_S).active_queues() or {}
    except OperationalError as error:
        raise redis.ConnectionError(str(error)) from error
    unserved_queues = set(QUEUES) - {queue["name"] for queues in by_worker.values() for queue in queues}
    if unserved_queues:
        queue_names = ", ".join(sorted(unserved_queues))
        return "warning", f"nobody takes tasks from {queue_names}: start a worker (`sonde up`), or look at its log"
    return "ok", f"{len(by_worker)} at work; each queue has a worker"


def beat(settings: Settings) -> tuple[State, str]:
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=3, socket_connect_timeout=3)
    if beat_ticks(broker, settings.index.prefix):
        return "ok", "it runs"
    return (
        "warning",
        "nobody holds the lock of the schedules: start beat (`sonde up`), or nothing is harvested by itself",
    )


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
        "clocks": lambda: clocks(settings, client),
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
