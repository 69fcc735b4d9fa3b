"""The language model of an OpenAI-style ``/v1/chat/completions`` endpoint (hosted, vLLM, llama.cpp), streamed through
the gate."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import Unavailable
from core.json_types import Json
from net.exchange import Outgoing
from net.gate import Gate
from net.targets import host_of

_LONGEST_LINE = 1_000_000
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """``url`` up to and including ``/v1``, or the full address of the call. ``max_tokens`` limits an answer."""

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 60.0
    max_tokens: int = 800
    temperature: float = 0.0

    @property
    def address(self) -> str:
        url = self.url.rstrip("/")
        return url if url.endswith("/chat/completions") else f"{url}/chat/completions"


class RemoteLanguageModel:
    """core.ports.LanguageModel. Raises Unavailable, Refused or BadStatus; the caller decides on retries."""

    def __init__(self, endpoint: ChatEndpoint, gate: Gate) -> None:
        self._endpoint = endpoint
        self._gate = gate

    def stream(self, messages: Sequence[Mapping[str, str]]) -> Iterator[str]:
        """Pieces of the answer in order, as they arrive."""
        endpoint = self._endpoint
        body = {
            "model": endpoint.model,
            "messages": [dict(message) for message in messages],
            "stream": True,
            "temperature": endpoint.temperature,
            "max_tokens": endpoint.max_tokens,
        }
        outgoing = Outgoing.of_json(
            endpoint.address, body, endpoint.key, endpoint.timeout_s, accept="text/event-stream"
        )
        with self._gate.stream(outgoing) as answer:
            answer.expect_ok()
            yield from (piece for data in events(answer.pieces, self._host) if (piece := self._piece(data)))

    @property
    def _host(self) -> str:
        return host_of(self._endpoint.address)

    def _piece(self, data: str) -> str:
        """The text of one event; a server without streaming answers with one whole message."""
        try:
            parsed: Json = json.loads(data)
            if "error" in parsed:
                raise Unavailable(f"{self._host} stopped answering")
            choices = parsed["choices"]
            if not choices:
                return ""
            message = choices[0].get("delta") or choices[0].get("message") or {}
            return str(message.get("content") or "")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Unavailable(f"{self._host} does not answer as a chat endpoint") from None


def events(pieces: Iterable[bytes], host: str) -> Iterator[str]:
    """The data of server-sent events up to ``[DONE]``; a plain JSON body is one event.

    Raises Unavailable for a line without an end.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    buffer = ""
    for piece in pieces:
        buffer += decoder.decode(piece)
        *lines, buffer = buffer.split("\n")
        if len(buffer) > _LONGEST_LINE:
            raise Unavailable(f"{host} sent a line without end")
        for line in lines:
            data = _data(line)
            if data == _DONE:
                return
            if data:
                yield data
    last = _data(buffer)
    if last and last != _DONE:
        yield last


def _data(line: str) -> str:
    """The text after ``data:``; ignores comments, ids and event names; a JSON object is data itself."""
    stripped = line.strip()
    if stripped.startswith("data:"):
        return stripped[len("data:") :].strip()
    return stripped if stripped.startswith("{") else ""
