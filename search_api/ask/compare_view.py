"""``POST /ask/compare``: the same questions to each of several documents, as a table of cited answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, Field

from core.access import NotAuthenticated
from core.document import PUBLIC, DocumentEntry
from core.errors import InvalidInput, NotFound
from core.json_types import Json
from search_api.ask.view import answer_json, event_stream, server_event, streams
from search_api.catalogue.documents.answers import CSV
from search_api.formats_out.notations import spreadsheet_safe
from search_api.http.access.guard import caller, uncached
from search_api.http.limits import MOST_COMPARED, MOST_QUESTIONS
from search_api.http.openapi import answer_as
from search_api.http.parameters import LONGEST_QUERY, printable
from search_api.http.problems import Problem
from search_api.http.responses import Addresses
from search_api.library.notebooks_view import DocumentId, shared_documents
from search_api.parts import Parts
from search_api.search.passages.values import AskRequest, CitedAnswer, SharedDocuments

MOST_ANONYMOUS = 20
"""Answers in one comparison for a caller without a key: each of them costs as much as one question."""

Question = Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=LONGEST_QUERY)]


class CompareBody(BaseModel, extra="forbid"):
    """Questions, and the documents to ask: some, or those of a collection."""

    questions: list[Question] = Field(min_length=1, max_length=MOST_QUESTIONS)
    documents: list[DocumentId] = Field(default=[], max_length=MOST_COMPARED)
    collection: DocumentId | None = Field(None, description="Its first 20 documents, where `documents` is empty.")
    f: Literal["json", "csv"] = "json"
    stream: bool = Field(False, description="Server-sent events, one a row; so does `Accept: text/event-stream`.")


class ComparedBody(BaseModel):
    """A row for each document. `left_out`: the number of the collection's documents beyond the first 20."""

    questions: list[str]
    rows: list[Json] = Field(
        description="Each has `document`, `title`, `address` and `answers`, one for each question in their order."
    )
    left_out: int = 0


def compare_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("compare", __name__, abp_tags=[Tag(name="ask", description="Cited answers from documents")])

    @api.post(
        "/ask/compare",
        summary="The same questions to each of up to twenty documents, as a table of cited answers",
        responses={
            200: answer_as("application/json", ComparedBody, CSV),
            400: Problem,
            401: Problem,
            403: Problem,
            404: Problem,
            503: Problem,
        },
    )
    def compare(body: CompareBody) -> Response:
        _refuse_too_many(body)
        entries, shared_set, left_out = _documents_to_compare(parts, body)
        rows = _rows(parts, body.questions, entries, shared_set)
        if body.f == "csv":
            return _as_csv(body.questions, list(rows))
        if streams(body.stream):
            return event_stream(_row_events(rows, left_out))
        return jsonify(questions=body.questions, rows=list(rows), left_out=left_out)

    return api


def _refuse_too_many(body: CompareBody) -> None:
    """Raises NotAuthenticated; a collection needs a key anyway."""
    answers = len(set(body.documents)) * len(body.questions)
    if caller().subject is None and answers > MOST_ANONYMOUS:
        raise NotAuthenticated(
            f"These documents and questions are {answers} answers; without a key a comparison may have "
            f"{MOST_ANONYMOUS}. Send fewer, or send a key."
        )


def _documents_to_compare(parts: Parts, body: CompareBody) -> tuple[list[DocumentEntry], SharedDocuments | None, int]:
    """The documents in their order, what a collection opens, and how many were left out.

    Raises NotFound, InvalidInput.
    """
    user = caller()
    shared_set = shared_documents(parts, body.collection) if body.collection is not None else None
    ids = list(dict.fromkeys(body.documents or (shared_set.documents if shared_set is not None else ())))
    if not ids:
        raise InvalidInput("documents", "documents: name 1 to 20 documents, or a collection")
    if shared_set is not None and (not_shared := set(ids) - set(shared_set.documents)):
        raise NotFound(f"The collection has no document {min(not_shared)!r}.")
    owner = shared_set.owner if shared_set is not None else user.library
    readable = parts.documents.visible(ids[:MOST_COMPARED], owner)
    if body.documents and (unreadable := [id for id in ids if id not in readable]):
        raise NotFound(f"There is no document {unreadable[0]!r}.")
    entries = [readable[id] for id in ids if id in readable]
    if not entries:
        raise NotFound("None of these documents can be read.")
    return entries, shared_set, max(0, len(ids) - MOST_COMPARED)


def _rows(
    parts: Parts, questions: list[str], entries: list[DocumentEntry], shared_set: SharedDocuments | None
) -> Iterator[Json]:
    addresses, user = Addresses.of(parts.http), caller()
    for entry in entries:
        base = AskRequest(
            "", document=entry.id, scope="public" if entry.owner == PUBLIC else "mine", owner=user.subject
        )
        if shared_set is not None:
            base = replace(base, shared=replace(shared_set, documents=(entry.id,)))
        answers = [parts.answerer.answer(replace(base, question=question)) for question in questions]
        yield {
            "document": entry.id,
            "title": entry.title or entry.name,
            "address": addresses.to(f"/documents/{entry.id}"),
            "answers": [_cited_only(answer, addresses) for answer in answers],
        }


def _cited_only(answer: CitedAnswer, addresses: Addresses) -> Json:
    """The answer, with the passages that it cites and no others."""
    body = answer_json(answer, addresses)
    cited_numbers = {number for sentence in answer.sentences for number in sentence.citations}
    return {**body, "passages": [passage for passage in body["passages"] if passage["number"] in cited_numbers]}


def _as_csv(questions: list[str], rows: list[Json]) -> Response:
    """A line for each document; each question has its answer and the pages that it cites."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["document", "address", *(part for question in questions for part in (question, "pages"))])
    for row in rows:
        cells = [
            part
            for answer in row["answers"]
            for part in ("" if answer["refused"] else answer["answer"], _pages(answer))
        ]
        table.writerow([spreadsheet_safe(cell) for cell in (row["title"], row["address"], *cells)])
    response = Response(text.getvalue(), content_type=f"{CSV}; charset=utf-8; header=present")
    response.headers["Content-Disposition"] = 'attachment; filename="comparison.csv"'
    return uncached(response)


def _pages(answer: Json) -> str:
    return "; ".join(
        f"[{passage['number']}] {'-'.join(str(page) for page in dict.fromkeys(passage['pages']))}"
        for passage in answer["passages"]
        if passage["pages"] is not None
    )


def _row_events(rows: Iterator[Json], left_out: int) -> Iterator[str]:
    """An event for each document, then ``end``."""
    for row in rows:
        yield server_event("row", row)
    yield server_event("end", {"left_out": left_out})
