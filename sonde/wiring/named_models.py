"""Whether the named reranker and language model are there. Answers continue without them, in another quality."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.errors import SondeError
from net.exchange import Answer, Outgoing
from net.gate import Gate
from net.targets import host_of
from sonde.settings import Settings
from sonde.wiring.models import Models

_ASK_S = 4.0
_LARGEST_LIST = 4 * 1024 * 1024
_NAMED = 5


def reranker_trouble(settings: Settings, models: Models) -> list[str]:
    """For a local one: that it cannot be loaded, once that was tried. For a remote one: that nobody answers there."""
    given = settings.cross_encoder
    if given.model is None:
        return []
    wrong = models.reranker_problem
    if wrong is None and given.runtime == "remote" and given.url is not None:
        key = given.key.get_secret_value() if given.key is not None else None
        wrong = _refused(_asked(models.gate, given.url, key))
    return [] if wrong is None else [f"Searches rank without the reranker {given.model}: {wrong}."]


def language_model_trouble(settings: Settings, gate: Callable[[], Gate]) -> list[str]:
    """That the endpoint does not answer, refuses the key, or does not have the named model."""
    given = settings.answers
    if given.url is None:
        return []
    key = given.key.get_secret_value() if given.key is not None else None
    answer = _asked(gate(), f"{given.url.removesuffix('/chat/completions')}/models", key)
    wrong = _refused(answer) or _not_listed(answer, given.model)
    return [] if wrong is None else [f"Answers are quotes, without the language model {given.model}: {wrong}."]


def _asked(gate: Gate, url: str, key: str | None) -> Answer | str:
    """The answer, or why there is none."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    try:
        return gate.request(Outgoing(url, headers=headers, timeout_s=_ASK_S, max_bytes=_LARGEST_LIST))
    except SondeError as error:
        return f"{host_of(url)} does not answer ({error})"


def _refused(answer: Answer | str) -> str | None:
    """Each answer but a refusal of the key or an error of the server will do: a reranker's root has no page."""
    if isinstance(answer, str):
        return answer
    host = host_of(answer.url)
    if answer.status in (401, 403):
        return f"{host} refuses the key ({answer.status})"
    return f"{host} answers {answer.status}" if answer.status >= 500 else None


def _not_listed(answer: Answer | str, model: str | None) -> str | None:
    """Only of an endpoint that lists its models, as OpenAI's, vLLM, llama.cpp and Ollama do."""
    if isinstance(answer, str) or answer.status != 200:
        return None
    try:
        listed = answer.parsed()
    except SondeError:
        return None
    items = listed.get("data") if isinstance(listed, Mapping) else None
    names = [str(item.get("id")) for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    if not names or model in names:
        return None
    return f"{host_of(answer.url)} has no model of this name; it has {', '.join(names[:_NAMED])}"
