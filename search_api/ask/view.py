"""``POST /ask``: answers a question from passages, with citations; as server-sent events on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Annotated, Literal

import structlog
from flask import Response, jsonify, request, stream_with_context
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.deadlines import CallerGone
from core.errors import Conflict, SondeError
from core.json_types import Json
from search_api.ask.answerer import Step
from search_api.http.access.guard import caller
from search_api.http.parameters import (
    LONGEST_QUERY,
    LONGEST_VALUE,
    MOST_VALUES,
    BoxText,
    SpanText,
    printable,
    read_bbox,
    read_datetime,
)
from search_api.http.problems import Problem
from search_api.library.granting import granted
from search_api.library.notebooks import MOST_TURNS, Conversation
from search_api.library.notebooks_view import still_readable
from search_api.parts import Parts
from search_api.search.passages.cells import QuotedCell
from search_api.search.passages.values import AskRequest, CitedAnswer, FoundPassage, Scope, Turn
from search_api.search.request import Filters

log = structlog.get_logger(__name__)

EVENTS = "text/event-stream"
_MOST_TURNS = 20
_LONGEST_ANSWER = 20_000

Text = Annotated[str, AfterValidator(printable), Field(max_length=LONGEST_VALUE)]
NotebookId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class EarlierTurn(BaseModel):
    """A question asked before, and its answer."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_QUERY)]
    answer: str = Field("", max_length=_LONGEST_ANSWER)


class AskBody(BaseModel):
    """What is asked, of which passages, and what was said before."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_QUERY)]
    turns: list[EarlierTurn] = Field(default=[], max_length=_MOST_TURNS, description="Earlier turns, oldest first.")
    scope: Scope = Field("public", description="`mine` and `both` need a token.")
    top_k: int | None = Field(None, ge=1, le=32, description="Number of passages to read.")
    threshold: float | None = Field(None, ge=0, le=1, description="Minimum relevance of a passage.")
    record: Text | None = Field(None, description="Only passages of this record's documents.")
    document: Text | None = None
    documents: list[Text] = Field(default=[], max_length=MOST_VALUES, description="Only these documents.")
    collection: NotebookId | None = Field(
        None, description="Only the documents of this collection: public ones and its owner's. Replaces `scope`."
    )
    conversation: Literal["new"] | NotebookId | None = Field(
        None, description="Keep question and answer: in a new conversation, or in one that the caller has."
    )
    section_role: list[Text] = Field(default=[], max_length=MOST_VALUES, description="methods, results, ...")
    source: list[Text] = Field(default=[], max_length=MOST_VALUES)
    keyword: list[Text] = Field(default=[], max_length=MOST_VALUES)
    bbox: BoxText | None = Field(None, description="As for `/search`: only records of that place.")
    datetime: SpanText | None = Field(None, description="As for `/search`.")
    stream: bool = Field(False, description="Server-sent events; so does `Accept: text/event-stream`.")


class AnswerBody(BaseModel):
    """The answer, its sentences with what they cite, and the passages it was made from."""

    model_config = ConfigDict(title="CitedAnswer")

    answer: str
    mode: Literal["model", "extractive", "refusal"]
    refused: bool
    language: str | None
    sentences: list[Json]
    passages: list[Json]
    near_misses: list[Json] = Field(description="Of a refusal: the best passages below the threshold.")
    degraded: list[str]
    took_ms: dict[str, float]
    conversation: str | None = Field(None, description="Where it is kept, if it was asked for.")


def ask_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("ask", __name__, abp_tags=[Tag(name="ask", description="Cited answers from documents")])

    @api.post(
        "/ask",
        summary="A question answered from passages, with citations",
        responses={200: AnswerBody, 400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem, 503: Problem},
    )
    def ask(body: AskBody) -> Response:
        kept = _conversation(parts, body)
        asked = to_request(body, _owner(body.scope))
        if kept is not None and not body.turns:
            asked = replace(asked, turns=_earlier(parts, kept))
        if body.collection is not None:
            asked = replace(asked, granted=granted(parts, body.collection))

        def complete(answer: CitedAnswer) -> Json:
            return _kept(parts, body, kept, presented(answer)) if kept is not None else presented(answer)

        if body.stream or request.accept_mimetypes.best_match(["application/json", EVENTS]) == EVENTS:
            return _streamed(parts.answerer.steps(asked), complete)
        return jsonify(complete(parts.answerer.answer(asked)))

    return api


def _conversation(parts: Parts, body: AskBody) -> Conversation | None:
    """The one to go on with, or a new one. Raises NotAuthenticated, NotAllowed, NotFound, Conflict."""
    if body.conversation is None:
        return None
    caller().must_have("library")
    if body.conversation == "new":
        return parts.notebooks.begin(caller().owner, body.question)
    found = parts.notebooks.conversation(body.conversation, caller().owner)
    if found.count >= MOST_TURNS:
        raise Conflict(f"A conversation has {MOST_TURNS} questions at most; begin a new one.")
    return found


def _earlier(parts: Parts, kept: Conversation) -> tuple[Turn, ...]:
    """What was said before, without answers that the caller may not read any more: they reach no model either."""
    last = replace(kept, turns=kept.turns[-_MOST_TURNS:])
    said = still_readable(parts, last, caller())
    return tuple(Turn(turn["asked"]["question"], (turn["answer"] or {}).get("answer", "")) for turn in said)


def _kept(parts: Parts, body: AskBody, kept: Conversation, answer: Json) -> Json:
    """The answer after it was added to its conversation; turns know what they were asked of, but not their history."""
    asked = body.model_dump(mode="json", exclude_defaults=True, exclude={"turns", "stream", "conversation"})
    parts.notebooks.add(kept, {"asked": asked, "answer": answer})
    return {**answer, "conversation": kept.id}


def _owner(scope: Scope) -> str | None:
    """The caller, if their own documents are in scope. Raises NotAuthenticated, NotAllowed."""
    if scope == "public":
        return None
    caller().must_have("library")
    return caller().owner


def to_request(body: AskBody, owner: str | None = None) -> AskRequest:
    """``owner`` comes from a verified token, never from the body."""
    filters = Filters(
        area=read_bbox(body.bbox) if body.bbox else None,
        span=read_datetime(body.datetime) if body.datetime else None,
        sources=tuple(body.source),
        keywords=tuple(body.keyword),
    )
    return AskRequest(
        question=body.question,
        turns=tuple(Turn(turn.question, turn.answer) for turn in body.turns),
        filters=filters,
        record=body.record,
        document=body.document,
        documents=tuple(body.documents),
        roles=tuple(body.section_role),
        scope=body.scope,
        owner=owner,
        top_k=body.top_k,
        threshold=body.threshold,
    )


def _streamed(steps: Iterator[Step], complete: Callable[[CitedAnswer], Json]) -> Response:
    """Events ``passages``, ``text`` (many) and ``answer``; an error before the first is an ordinary problem."""
    first = next(steps)

    def events() -> Iterator[str]:
        yield _event(first, complete)
        try:
            for step in steps:
                yield _event(step, complete)
        except CallerGone:
            return
        except SondeError as error:  # the status is already sent
            log.warning("ask.broke_off", reason=str(error))
            yield written("error", {"detail": str(error)})

    response = Response(stream_with_context(events()), mimetype=EVENTS)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _event(step: Step, complete: Callable[[CitedAnswer], Json]) -> str:
    if step.kind == "passages":
        return written("passages", {"passages": [passage(one) for one in step.passages]})
    if step.kind == "text":
        return written("text", {"text": step.text})
    return written("answer", complete(step.answer) if step.answer is not None else {})


def written(name: str, data: Json) -> str:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def presented(answer: CitedAnswer) -> Json:
    """The answer as JSON."""
    return {
        "answer": answer.text,
        "mode": answer.mode,
        "refused": answer.refused,
        "language": answer.language,
        "sentences": [
            {
                "text": one.text,
                "citations": list(one.citations),
                "supported": one.supported,
                **({"why": one.why} if one.why else {}),
                **({"cell": cell(one.cell)} if one.cell is not None else {}),
            }
            for one in answer.sentences
        ],
        "passages": [passage(one) for one in answer.passages],
        "near_misses": [passage(one) for one in answer.near_misses],
        "degraded": list(answer.degraded),
        "took_ms": {stage: round(value, 1) for stage, value in answer.took_ms.items()},
    }


def cell(one: QuotedCell) -> Json:
    """A quoted cell with its headings; members without a value are left out."""
    said: Json = {"text": one.text, **asdict(one)}
    return {name: value for name, value in said.items() if value not in (None, "")}


def passage(one: FoundPassage) -> Json:
    pages = [one.first_page, one.last_page] if one.first_page is not None else None
    return {
        "number": one.number,
        "id": one.id,
        "document": one.document,
        "record": one.record,
        "title": one.title,
        "kind": one.kind,
        "section": list(one.section_path),
        "section_role": one.section_role,
        "pages": pages,
        "text": one.text,
        "relevance": round(one.relevance, 4),
        "signals": dict(one.signals),
    }
