"""Notices for the operator about parts that no request waits for: models, OCR, aliases, workers.

The checks run beside the requests, at most every half minute, because some take seconds. A new trouble, and its end,
is logged once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import redis
import structlog

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_mappings.indices import lost_aliases
from indexer.documents.parse.limits import Ocr
from indexer.documents.parse.pdf.tesseract import ocr_problem
from net.exchange import HttpAnswer, Outgoing
from net.gate import Gate
from net.targets import host_of
from sonde.settings import Settings
from sonde.wiring.models import Models
from workers.broker import beat_ticks, queues_without_worker
from workers.config import QUEUES

log = structlog.get_logger(__name__)

_KEPT_S = 30.0

Check = Callable[[], Sequence[str]]
"""Sentences about what is wrong, each with what to do; empty if nothing is. A SondeError is such a sentence too."""
_ASK_S = 4.0
_LARGEST_LIST = 4 * 1024 * 1024
_MOST_NAMED = 5
_BROKER_S = 2.0


class PartWatch:
    """The sentences of the last look; thread-safe. ``checks``: by the name of the part."""

    def __init__(self, checks: dict[str, Check], clock: Callable[[], float] = time.monotonic) -> None:
        self._checks = checks
        self._clock = clock
        self._lock = threading.Lock()
        self._looked_at_s = float("-inf")
        self._sentences_by_part: dict[str, tuple[str, ...]] = {}

    def __call__(self) -> list[str]:
        """What the last look found; starts the next look beside this call if that one is old."""
        if self._clock() - self._looked_at_s > _KEPT_S and not self._lock.locked():
            threading.Thread(target=self.look, name="sonde-part-watch", daemon=True).start()
        return self._sentences()

    def look(self) -> list[str]:
        """Runs every check now. Only one thread looks; another one gets what was found before."""
        if not self._lock.acquire(blocking=False):
            return self._sentences()
        try:
            for part, check in self._checks.items():
                self._keep(part, _sentences_of(check))
            self._looked_at_s = self._clock()
        finally:
            self._lock.release()
        return self._sentences()

    def _keep(self, part: str, sentences: tuple[str, ...]) -> None:
        earlier_sentences = self._sentences_by_part.get(part, ())
        self._sentences_by_part[part] = sentences
        if sentences and sentences != earlier_sentences:
            log.warning("part.troubled", part=part, reason=" ".join(sentences))
        elif earlier_sentences and not sentences:
            log.info("part.well_again", part=part)

    def _sentences(self) -> list[str]:
        return [sentence for part in self._checks for sentence in self._sentences_by_part.get(part, ())]


def _sentences_of(check: Check) -> tuple[str, ...]:
    try:
        return tuple(check())
    except SondeError as error:
        return (str(error),)


def ocr_of(settings: Settings) -> Ocr:
    """OCR as the settings want it, whether or not it is installed."""
    documents = settings.documents
    return Ocr("tesseract" if documents.ocr else None, documents.ocr_languages, most_pages=documents.ocr_pages)


def ocr_notes(settings: Settings) -> list[str]:
    """What OCR lacks on this machine; empty if nothing."""
    lacks = ocr_problem(ocr_of(settings))
    return [f"On this machine {lacks}."] if lacks else []


def reranker_trouble(settings: Settings, models: Models) -> list[str]:
    """For a local one: that it cannot be loaded, once that was tried. For a remote one: that nobody answers there."""
    model_settings = settings.cross_encoder
    if model_settings.model is None:
        return []
    problem = models.reranker_problem
    if problem is None and model_settings.runtime == "remote" and model_settings.url is not None:
        key = model_settings.key.get_secret_value() if model_settings.key is not None else None
        problem = _problem_of(_answer_of(models.gate, model_settings.url, key))
    return [] if problem is None else [f"Searches rank without the reranker {model_settings.model}: {problem}."]


def language_model_trouble(settings: Settings, gate: Callable[[], Gate]) -> list[str]:
    """That the endpoint does not answer, refuses the key, or does not have the named model."""
    model_settings = settings.answers
    if model_settings.url is None:
        return []
    key = model_settings.key.get_secret_value() if model_settings.key is not None else None
    answer = _answer_of(gate(), f"{model_settings.url.removesuffix('/chat/completions')}/models", key)
    problem = _problem_of(answer) or _not_listed(answer, model_settings.model)
    return (
        []
        if problem is None
        else [f"Answers are quotes, without the language model {model_settings.model}: {problem}."]
    )


def _answer_of(gate: Gate, url: str, key: str | None) -> HttpAnswer | str:
    """The answer, or why there is none."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        return gate.request(Outgoing(url, headers=headers, timeout_s=_ASK_S, max_bytes=_LARGEST_LIST))
    except SondeError as error:
        return f"{host_of(url)} does not answer ({error})"


def _problem_of(answer: HttpAnswer | str) -> str | None:
    """Each answer but a refusal of the key or an error of the server will do: a reranker's root has no page."""
    if isinstance(answer, str):
        return answer
    host = host_of(answer.url)
    if answer.status in (401, 403):
        return f"{host} refuses the key ({answer.status})"
    return f"{host} answers {answer.status}" if answer.status >= 500 else None


def _not_listed(answer: HttpAnswer | str, model: str | None) -> str | None:
    """Only of an endpoint that lists its models, as OpenAI's, vLLM, llama.cpp and Ollama do."""
    if isinstance(answer, str) or answer.status != 200:
        return None
    try:
        listing = answer.parsed()
    except SondeError:
        return None
    items = listing.get("data") if isinstance(listing, Mapping) else None
    names = [str(item.get("id")) for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    if not names or model in names:
        return None
    return f"{host_of(answer.url)} has no model of this name; it has {', '.join(names[:_MOST_NAMED])}"


def part_watch(settings: Settings, client: Elasticsearch, models: Models) -> PartWatch:
    """Opens no connection yet. ``client`` sees everything."""
    broker = redis.Redis.from_url(settings.broker_url, socket_timeout=_BROKER_S, socket_connect_timeout=_BROKER_S)
    checks: dict[str, Check] = {
        "reranker": partial(reranker_trouble, settings, models),
        "language model": lambda: language_model_trouble(settings, lambda: models.gate),
        "aliases": lambda: [missing_alias.remedy for missing_alias in lost_aliases(client, settings.index.prefix)],
        "workers": lambda: _background_work(broker, settings.index.prefix),
    }
    return PartWatch(checks)


def _background_work(broker: redis.Redis, prefix: str) -> list[str]:
    """Harvests, documents and schedules; searches do not need them."""
    try:
        unserved_queues, ticks = queues_without_worker(broker, prefix), beat_ticks(broker, prefix)
    except redis.RedisError as error:
        return [f"The broker does not answer ({type(error).__name__}): nothing is harvested, and no document is read."]
    sentences = []
    if unserved_queues:
        queues = "any queue" if len(unserved_queues) == len(QUEUES) else ", ".join(unserved_queues)
        sentences.append(f"No worker takes tasks from {queues}: start one, or look at its log.")
    if not ticks:
        sentences.append("Beat does not run: start it, or nothing is harvested by itself.")
    return sentences
