"""``POST /ask``: answers a question from documents and records, with citations; as server-sent events on request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Annotated, Literal

import structlog
from flask import Response, jsonify, request, stream_with_context
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, Field

from core.deadlines import CallerGone
from core.errors import Conflict, SondeError
from core.json_types import Json
from search_api.ask.answerer import AnswerStep
from search_api.http.access.guard import caller
from search_api.http.parameters import (
    LONGEST_QUERY,
    MOST_VALUES,
    BoxText,
    SpanText,
    Text,
    printable,
    read_bbox,
    read_datetime,
)
from search_api.http.problems import Problem
from search_api.http.responses import GEOJSON, Addresses, Link, link
from search_api.library.notebooks import MOST_TURNS, Conversation
from search_api.library.notebooks_view import shared_documents, still_readable
from search_api.parts import Parts
from search_api.search.passages.values import AskRequest, CitedAnswer, ConversationTurn, FoundPassage, QuotedCell, Scope
from search_api.search.request import Filters

log = structlog.get_logger(__name__)

EVENTS = "text/event-stream"
_MOST_TURNS = 20
_LONGEST_ANSWER = 20_000

NotebookId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class EarlierTurn(BaseModel, extra="forbid"):
    """A question asked before, and its answer."""

    question: Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_QUERY)]
    answer: str = Field("", max_length=_LONGEST_ANSWER)


class AskBody(BaseModel, extra="forbid"):
    """What is asked, of which passages, and what was said before."""

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


class AnswerBody(BaseModel, title="CitedAnswer"):
    """The answer, its sentences with what they cite, and the passages it was made from.

    A passage of the kind `record` is the abstract of a record and has no `document`; `href` opens what it is from.
    """

    answer: str
    mode: Literal["model", "extractive", "refusal"]
    refused: bool
    language: str | None
    sentences: list[Json]
    passages: list[Json]
    near_misses: list[Json] = Field(description="Of a refusal: the best passages below the threshold.")
    links: list[Json] = Field(default=[], description="Of a refusal: the search for the same question.")
    degraded: list[str]
    took_ms: dict[str, float]
    conversation: str | None = Field(None, description="Where it is kept, if it was asked for.")


def ask_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint(
        "ask", __name__, abp_tags=[Tag(name="ask", description="Cited answers from documents and records")]
    )

    @api.post(
        "/ask",
        summary="A question answered from documents and records, with citations",
        responses={200: AnswerBody, 400: Problem, 401: Problem, 403: Problem, 404: Problem, 409: Problem, 503: Problem},
    )
    def ask(body: AskBody) -> Response:
        conversation = _conversation(parts, body)
        question = ask_request(body, _library_owner(body.scope))
        if conversation is not None and not body.turns:
            question = replace(question, turns=_earlier_turns(parts, conversation))
        if body.collection is not None:
            question = replace(question, shared=shared_documents(parts, body.collection))

        addresses = Addresses.of(parts.http)

        def complete(answer: CitedAnswer) -> Json:
            answer_body = {**answer_json(answer, addresses), "links": _links(answer, question, addresses)}
            return answer_body if conversation is None else _add_turn(parts, body, conversation, answer_body)

        if streams(body.stream):
            return event_stream(_step_event(step, complete, addresses) for step in parts.answerer.steps(question))
        return jsonify(complete(parts.answerer.answer(question)))

    return api


def _conversation(parts: Parts, body: AskBody) -> Conversation | None:
    """The conversation to continue, or a new one. Raises NotAuthenticated, NotAllowed, NotFound, Conflict."""
    if body.conversation is None:
        return None
    caller().must_have("library")
    if body.conversation == "new":
        return parts.notebooks.new_conversation(caller().owner, body.question)
    conversation = parts.notebooks.conversation(body.conversation, caller().owner)
    if conversation.count >= MOST_TURNS:
        raise Conflict(f"A conversation has {MOST_TURNS} questions at most; begin a new one.")
    return conversation


def _earlier_turns(parts: Parts, conversation: Conversation) -> tuple[ConversationTurn, ...]:
    """The turns before. Answers that the caller may no longer read are left out, so that no model gets them."""
    last = replace(conversation, turns=conversation.turns[-_MOST_TURNS:])
    turns = still_readable(parts, last, caller())
    return tuple(
        ConversationTurn(turn["asked"]["question"], (turn["answer"] or {}).get("answer", "")) for turn in turns
    )


def _add_turn(parts: Parts, body: AskBody, conversation: Conversation, answer: Json) -> Json:
    """Adds question and answer to the conversation. A turn keeps its parameters, but not the turns before it."""
    parameters = body.model_dump(mode="json", exclude_defaults=True, exclude={"turns", "stream", "conversation"})
    parts.notebooks.add_turn(conversation, {"asked": parameters, "answer": answer})
    return {**answer, "conversation": conversation.id}


def _library_owner(scope: Scope) -> str | None:
    """The caller, if their own documents are in scope. Raises NotAuthenticated, NotAllowed."""
    if scope == "public":
        return None
    caller().must_have("library")
    return caller().owner


def ask_request(body: AskBody, owner: str | None) -> AskRequest:
    """``owner`` comes from a verified token, never from the body."""
    filters = Filters(
        area=read_bbox(body.bbox) if body.bbox else None,
        span=read_datetime(body.datetime) if body.datetime else None,
        sources=tuple(body.source),
        keywords=tuple(body.keyword),
    )
    return AskRequest(
        question=body.question,
        turns=tuple(ConversationTurn(turn.question, turn.answer) for turn in body.turns),
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


def streams(is_wanted: bool) -> bool:
    """Whether to answer as server-sent events: the body or the ``Accept`` header asks for them."""
    return is_wanted or request.accept_mimetypes.best_match(["application/json", EVENTS]) == EVENTS


def event_stream(events: Iterator[str]) -> Response:
    """An error before the first event is an ordinary problem; a later one is an event ``error``."""
    first = next(events)

    def rest() -> Iterator[str]:
        yield first
        try:
            yield from events
        except CallerGone:
            return
        except SondeError as error:  # the status is already sent
            log.warning("ask.stream_failed", reason=str(error))
            yield server_event("error", {"detail": str(error)})

    response = Response(stream_with_context(rest()), mimetype=EVENTS)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _step_event(step: AnswerStep, complete: Callable[[CitedAnswer], Json], addresses: Addresses) -> str:
    if step.kind == "passages":
        return server_event("passages", {"passages": [passage_json(passage, addresses) for passage in step.passages]})
    if step.kind == "text":
        return server_event("text", {"text": step.text})
    return server_event("answer", complete(step.answer) if step.answer is not None else {})


def server_event(name: str, data: Json) -> str:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _links(answer: CitedAnswer, question: AskRequest, addresses: Addresses) -> list[Link]:
    """Of a refusal: the search for the same question, as the page and as the API answer it."""
    if not answer.refused:
        return []
    query = [("q", question.question)]
    return [
        link("search", addresses.to("/", query), "text/html", "Search the catalogue"),
        link("search", addresses.to("/search", query), GEOJSON, "Search the catalogue"),
    ]


def answer_json(answer: CitedAnswer, addresses: Addresses) -> Json:
    return {
        "answer": answer.text,
        "mode": answer.mode,
        "refused": answer.refused,
        "language": answer.language,
        "sentences": [
            {
                "text": sentence.text,
                "citations": list(sentence.citations),
                "supported": sentence.supported,
                **({"why": sentence.why} if sentence.why else {}),
                **({"cell": _cell_json(sentence.cell)} if sentence.cell is not None else {}),
            }
            for sentence in answer.sentences
        ],
        "passages": [passage_json(passage, addresses) for passage in answer.passages],
        "near_misses": [passage_json(passage, addresses) for passage in answer.near_misses],
        "degraded": list(answer.degraded),
        "took_ms": {stage: round(value, 1) for stage, value in answer.took_ms.items()},
    }


def _cell_json(table_cell: QuotedCell) -> Json:
    """A quoted cell with its headings; members without a value are left out."""
    members: Json = {"text": table_cell.text, **asdict(table_cell)}
    return {name: value for name, value in members.items() if value not in (None, "")}


def passage_json(hit: FoundPassage, addresses: Addresses) -> Json:
    """``kind`` "record": the abstract of a record; it has no document."""
    is_record = hit.kind == "record" and hit.record is not None
    href = addresses.record_page(hit.record or "") if is_record else addresses.to(f"/documents/{hit.document}")
    pages = [hit.first_page, hit.last_page] if hit.first_page is not None else None
    return {
        "number": hit.number,
        "id": hit.id,
        "document": hit.document or None,
        "record": hit.record,
        "href": href,
        "title": hit.title,
        "kind": hit.kind,
        "section": list(hit.section_path),
        "section_role": hit.section_role,
        "pages": pages,
        "text": hit.text,
        "relevance": round(hit.relevance, 4),
        "signals": dict(hit.signals),
    }
