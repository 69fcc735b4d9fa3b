"""Verified bulk requests: split by size, every item's result checked, only temporary failures retried."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import uniform
from typing import Any

from core.errors import Unavailable
from core.json_types import Json, JsonMapping
from es_gateway import blocks
from es_gateway.client import ATTEMPTS, JSON, Elasticsearch
from es_gateway.errors import TEMPORARY, IndexGone, WritesBlocked

CHUNK_BYTES = 8 << 20
_LONGEST_PAUSE_S = 15.0
_JAVA = re.compile(r"(?:\b[\w.$]*(?:Exception|Error)\b(?:\[|: ?)?)|\[\d+:\d+\] ?")
_IMMENSE = re.compile(r'immense term in field="([\w.]+)"')
_FIELD = re.compile(r"failed to parse field \[([\w.]+)\]")
_GENERATION = re.compile(r"-\d{6}$")
_VALUE_PREVIEW = re.compile(r"Preview of field's value: '[^']*':?|in document with id '[^']*'\.?:?")
_RESPONSE_FILTER = [
    "errors",
    "items.*.status",
    "items.*.error.type",
    "items.*.error.reason",
    "items.*.error.caused_by.reason",
]


@dataclass(frozen=True, slots=True)
class Operation:
    """One item of a bulk request, as the lines to send."""

    index: str
    id: str
    lines: tuple[bytes, ...]
    absent_is_fine: bool = False  # a delete of a missing document

    @property
    def size(self) -> int:
        return sum(map(len, self.lines)) + len(self.lines)


@dataclass(frozen=True, slots=True)
class Failure:
    """An item that Elasticsearch refused, and the reason."""

    index: str
    id: str
    reason: str


def index_operation(index: str, id: str, document: JsonMapping, routing: str | None = None) -> Operation:
    """Writes the whole document, replacing any other; idempotent."""
    return Operation(index, id, (_line({"index": _target(index, id, routing)}), _line(document)))


def replace_operation(
    index: str, id: str, document: JsonMapping, routing: str | None, condition: Mapping[str, int] | None
) -> Operation:
    """Writes the whole document if ``condition`` (sequence number, primary term) holds, or, for None, if it does not
    exist; otherwise a failure, 409.
    """
    action = "create" if condition is None else "index"
    return Operation(
        index, id, (_line({action: {**_target(index, id, routing), **(condition or {})}}), _line(document))
    )


def update_operation(index: str, id: str, body: JsonMapping, condition: Mapping[str, int] | None = None) -> Operation:
    """Changes a document in place; if ``condition`` (sequence number, primary term) does not hold, a failure, 409."""
    parameters = {"retry_on_conflict": 3} if condition is None else condition
    return Operation(index, id, (_line({"update": {**_target(index, id, None), **parameters}}), _line(body)))


def delete_operation(
    index: str, id: str, routing: str | None = None, condition: Mapping[str, int] | None = None
) -> Operation:
    """With ``condition`` (sequence number, primary term): a failure, 409, if it has changed or is gone."""
    target = {**_target(index, id, routing), **(condition or {})}
    return Operation(index, id, (_line({"delete": target}),), absent_is_fine=True)


def _target(index: str, id: str, routing: str | None) -> Json:
    """No write makes an index in the place of an alias that is gone."""
    alias = {} if _GENERATION.search(index) else {"require_alias": True}
    return {"_index": index, "_id": id} | alias | ({} if routing is None else {"routing": routing})


def write(client: Elasticsearch, operations: Iterable[Operation]) -> list[Failure]:
    """Sends everything and returns the refused items, in order; after a crash only the first chunks are written.

    Items answered 429 or 503 are sent again, with jitter. Raises core.errors.Unavailable if no request succeeds, if
    items are still delayed after the last attempt, and if an index is read-only: a full disk is not a failure of the
    items, and a caller that took it for one would continue without them.
    """
    return [failure for chunk in chunked(operations) for failure in _send(client, chunk)]


def chunked(operations: Iterable[Operation], limit: int = CHUNK_BYTES) -> Iterator[list[Operation]]:
    """Groups consecutive operations up to ``limit`` bytes; a larger one goes alone."""
    chunk: list[Operation] = []
    size = 0
    for operation in operations:
        if chunk and size + operation.size > limit:
            yield chunk
            chunk, size = [], 0
        chunk.append(operation)
        size += operation.size
    if chunk:
        yield chunk


def _send(client: Elasticsearch, chunk: Sequence[Operation]) -> list[Failure]:
    failures: list[Failure] = []
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(uniform(0, min(_LONGEST_PAUSE_S, 0.25 * 2**attempt)))  # noqa: S311  # nosec B311: jitter
        busy_items, refused_items = _send_once(client, chunk)
        failures += refused_items
        if not busy_items:
            return failures
        chunk = [operation for operation, _ in busy_items]
    if len(busy_items) == 1 and chunk[0].size > CHUNK_BYTES:  # too large for the server's memory, permanently
        return [*failures, busy_items[0][1]]
    reason = busy_items[0][1].reason
    if block_error := _block_error(reason):
        raise block_error
    raise Unavailable(f"Elasticsearch accepts no writes ({reason}). Try again when it does.")


def _send_once(
    client: Elasticsearch, chunk: Sequence[Operation]
) -> tuple[list[tuple[Operation, Failure]], list[Failure]]:
    """The delayed and the refused items of one request."""
    lines: list[Any] = [line for operation in chunk for line in operation.lines]  # the client sends lines unchanged
    answer = client.bulk(operations=lines, filter_path=_RESPONSE_FILTER)
    busy_items: list[tuple[Operation, Failure]] = []
    refused_items: list[Failure] = []
    for operation, item in zip(chunk, answer["items"], strict=True):
        (result,) = item.values()
        status = int(result["status"])
        if status < 300 or (status == 404 and operation.absent_is_fine):
            continue
        error = result.get("error", {})
        if error.get("type") == "index_not_found_exception":
            raise IndexGone(f"There is no index behind {operation.index}: `sonde doctor` says what is there.")
        failure = Failure(operation.index, operation.id, _reason(status, error))
        if status not in TEMPORARY and (block_error := _block_error(failure.reason)):
            raise block_error
        if status in TEMPORARY:
            busy_items.append((operation, failure))
        else:
            refused_items.append(failure)
    return busy_items, refused_items


def _block_error(reason: str) -> WritesBlocked | None:
    explanation = blocks.explain_refusal(reason)
    return None if explanation is None else WritesBlocked(f"{explanation} ({reason})", reason=reason)


def _reason(status: int, error: JsonMapping) -> str:
    """The refused field and the reason, without Elasticsearch's internal names."""
    causes = [error.get("reason"), error.get("caused_by", {}).get("reason")]
    cause_text = ": ".join(_JAVA.sub("", str(cause)) for cause in causes if cause) or str(
        error.get("type", "no reason given")
    )
    long, field = _IMMENSE.search(cause_text), _FIELD.search(cause_text)
    if long is not None:
        cause_text = f"its {long[1]} is longer than the 32,766 bytes that can be searched"
    elif field is not None:
        cause_text = f"its {field[1]} cannot be used: {_VALUE_PREVIEW.split(cause_text)[-1].strip()}"
    return f"{status} {cause_text}"


def _line(value: JsonMapping) -> bytes:
    return JSON.json_dumps(value)
