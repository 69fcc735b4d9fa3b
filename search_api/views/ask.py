"""``POST /ask``: answers a question from passages, with citations; as server-sent events on request."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Literal

import structlog
from flask import Response, jsonify, request, stream_with_context
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.errors import SondeError, Unavailable
from core.json_types import Json
from search_api.access.guard import caller
from search_api.answers.answerer import Answerer, Step
from search_api.answers.values import AskRequest, CitedAnswer, FoundPassage, Scope, Turn
from search_api.parameter_types import (
    LONGEST_QUERY,
    LONGEST_VALUE,
    MOST_VALUES,
    BoxText,
    SpanText,
    printable,
    read_bbox,
    read_datetime,
)
from search_api.problems import Problem
from search_api.request import Filters

log = structlog.get_logger(__name__)

EVENTS = "text/event-stream"
_MOST_TURNS = 20
_LONGEST_ANSWER = 20_000

Text = Annotated[str, AfterValidator(printable), Field(max_length=LONGEST_VALUE)]


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
    degraded: list[str]
    took_ms: dict[str, float]


def ask_views(answerer: Answerer) -> APIBlueprint:
    api = APIBlueprint("ask", __name__, abp_tags=[Tag(name="ask", description="Cited answers from documents")])

    @api.post(
        "/ask",
        summary="A question answered from passages, with citations",
        responses={200: AnswerBody, 400: Problem, 401: Problem, 403: Problem, 503: Problem},
    )
    def ask(body: AskBody) -> Response:
        asked = to_request(body, _owner(body.scope))
        if body.stream or request.accept_mimetypes.best_match(["application/json", EVENTS]) == EVENTS:
            return _streamed(answerer.steps(asked))
        return jsonify(presented(answerer.answer(asked)))

    return api


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
        roles=tuple(body.section_role),
        scope=body.scope,
        owner=owner,
        top_k=body.top_k,
        threshold=body.threshold,
    )


def _streamed(steps: Iterator[Step]) -> Response:
    """Events ``passages``, ``text`` (many) and ``answer``; an error before the first is an ordinary problem."""
    first = next(steps)

    def events() -> Iterator[str]:
        yield _event(first)
        try:
            for step in steps:
                yield _event(step)
        except (SondeError, Unavailable) as error:  # the status is already sent
            log.warning("ask.broke_off", reason=str(error))
            yield _written("error", {"detail": str(error)})

    response = Response(stream_with_context(events()), mimetype=EVENTS)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _event(step: Step) -> str:
    if step.kind == "passages":
        return _written("passages", {"passages": [passage(one) for one in step.passages]})
    if step.kind == "text":
        return _written("text", {"text": step.text})
    return _written("answer", presented(step.answer) if step.answer is not None else {})


def _written(name: str, data: Json) -> str:
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
            }
            for one in answer.sentences
        ],
        "passages": [passage(one) for one in answer.passages],
        "degraded": list(answer.degraded),
        "took_ms": {stage: round(value, 1) for stage, value in answer.took_ms.items()},
    }


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
