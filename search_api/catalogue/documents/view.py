"""``/documents``: public documents, and each user's own for that user, with their passages and tables."""

from __future__ import annotations

import html
from contextlib import suppress
from typing import Annotated, Literal

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import AfterValidator, BaseModel, Field

from core.errors import NotFound, Unavailable
from core.json_types import Json
from search_api.catalogue.documents.answers import (
    CITATION_TYPES,
    CSV,
    address_of,
    bibliography,
    cited_json,
    document_html,
    feature,
    file_answer,
    passage_json,
    quote_place,
    short_feature,
)
from search_api.catalogue.documents.reader import DocumentListing, VisibleDocument
from search_api.formats_out.bibliography import CITATION_FORMATS, of_document
from search_api.http.access.guard import caller
from search_api.http.openapi import WITH_NOT_FOUND, FeatureCollectionAnswer, answer_as, text_answer
from search_api.http.parameters import LONGEST_QUERY, Cursor, Parameters, Text, printable
from search_api.http.problems import Problem
from search_api.http.responses import GEOJSON, JSON, Addresses, feature_collection, json_as, link
from search_api.page.plain_page import HTML, Form, ListedRecord, items_html, plain_page, wants_html
from search_api.page.shell import page
from search_api.parts import Parts
from search_api.search.order import read_position, write_position
from search_api.search.passages.values import as_json, table_of

_QUESTION = "documents"
_PASSAGES_ON_A_PAGE = 20
DocumentForm = Literal["json", "html", "bibtex", "ris", "csl"]
PRIVATE = "private, no-store"
_MISSING = answer_as("application/problem+json", Problem, HTML)  # the page says it in the reader's language


class DocumentsParameters(Parameters):
    record: Text | None = Field(None, description="Only documents that explain this record.")
    source: Text | None = Field(None, description="Only documents of this source's records.")
    limit: int = Field(20, ge=1, le=100)
    cursor: Cursor | None = Field(None, description="From the link `next`.")
    f: Form | None = Field(None, description="Default: the `Accept` header decides.")


class DocumentParameters(Parameters):
    f: DocumentForm | None = Field(None, description="Default: the `Accept` header decides.")


class DocumentPath(BaseModel):
    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="From the list or the upload.")]


class TablePath(DocumentPath):
    number: int = Field(ge=1, le=100_000, description="The tables of a document count from 1.")


class TableParameters(Parameters):
    f: Literal["csv", "json"] = "json"


class PassagesParameters(Parameters):
    offset: int = Field(0, ge=0, le=1_000_000, description="The number of the first one.")
    limit: int = Field(50, ge=1, le=200)


class PassagePath(DocumentPath):
    number: int = Field(ge=0, le=1_000_000, description="The passages of a document count from 0.")


class QuoteParameters(Parameters):
    quote: Annotated[str, AfterValidator(printable)] = Field(
        "", max_length=LONGEST_QUERY, description="A sentence of the passage. Default: all of it."
    )


class MarkBody(BaseModel):
    """Lines on one page: left, top, right, bottom in points from the upper left corner of the page as shown."""

    page: int
    boxes: list[list[float]]


class CitedPassage(BaseModel):
    """A passage and the place of the quote. Without ``quote``, the sentence is not in it and all of it is marked."""

    number: int
    kind: str
    section: list[str]
    section_role: str | None = None
    pages: list[int] | None = None
    table: int | None = None
    text: str
    quote: str | None = None
    marks: list[MarkBody]


class DocumentFeature(BaseModel):
    """A document in the form of a record of OGC API - Records."""

    type: str = "Feature"
    id: str
    geometry: Json | None
    time: Json | None
    properties: Json
    links: list[Json]


class PassagesAnswer(BaseModel):
    """Passages of one document in its order."""

    passages: list[Json]
    links: list[Json]


class TableAnswer(BaseModel):
    """One table. ``sure`` is an estimate (0..1) of how sure the reader is of its rows and columns."""

    number: int
    caption: str | None = None
    page: int | None = None
    rows: int
    columns: int
    units: Annotated[list[str] | None, Field(description="One for each column; empty where none is stated.")] = None
    sure: float | None = None
    foundBy: str | None = None  # noqa: N815 - as all members
    header: list[list[str]]
    body: list[list[str]]
    links: list[Json] = []


def documents_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("documents", __name__, abp_tags=[Tag(name="documents", description="Reports and papers")])
    _add_list(api, parts)
    _add_document(api, parts)
    _add_passages_and_tables(api, parts)
    _add_file(api, parts)
    return api


def _add_list(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/documents",
        summary="Public documents",
        responses={200: answer_as(GEOJSON, FeatureCollectionAnswer, HTML), **WITH_NOT_FOUND},
    )
    def documents(query: DocumentsParameters) -> Response:
        question = f"{_QUESTION} {query.record or ''} {query.source or ''}"
        after = read_position(query.cursor, question, ("text",))[0] if query.cursor is not None else None
        listing = parts.documents.page(
            DocumentListing(query.limit, None if after is None else str(after), query.record, query.source)
        )
        addresses = Addresses.of(parts.http)
        next_address = addresses.page(write_position((listing.after,), question)) if listing.after is not None else None
        if wants_html(query.f):
            return _readable(listing.documents, listing.matched, next_address, addresses)
        links = [link("self", addresses.this(), GEOJSON), link("alternate", addresses.with_form("html"), HTML)]
        links += [link("next", next_address, GEOJSON)] if next_address is not None else []
        features = [short_feature(document, addresses) for document in listing.documents]
        return feature_collection(features, links, listing.matched)


def _add_document(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/documents/<id>",
        summary="One document with its metadata, tables and references",
        responses={
            200: answer_as(GEOJSON, DocumentFeature, HTML, *CITATION_TYPES),
            **WITH_NOT_FOUND,
            404: _MISSING,
            503: _MISSING,
        },
    )
    def document(path: DocumentPath, query: DocumentParameters) -> Response:
        if wants_html(query.f):
            return _document_page(parts, path.id)
        document = visible_document(parts, path.id)
        if query.f in CITATION_FORMATS:
            citation = of_document(document.entry, address_of(document.entry, Addresses.of(parts.http)))
            return private_if_owned(bibliography(query.f, [citation]), document)
        document_feature = feature(document, Addresses.of(parts.http), has_file=parts.document_files.is_shown(document))
        return private_if_owned(json_as(GEOJSON, document_feature), document)


def _add_passages_and_tables(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/documents/<id>/passages",
        summary="The passages of a document",
        responses={200: PassagesAnswer, **WITH_NOT_FOUND},
    )
    def passages(path: DocumentPath, query: PassagesParameters) -> Response:
        document, addresses = visible_document(parts, path.id), Addresses.of(parts.http)
        passages = parts.documents.passages(document, query.offset, query.limit)
        links = [link("self", addresses.this(), JSON)]
        if len(passages) == query.limit:
            links.append(link("next", addresses.page(str(passages[-1].ordinal + 1), "offset"), JSON))
        return private_if_owned(
            jsonify(passages=[passage_json(passage) for passage in passages], links=links), document
        )

    @api.get(
        "/documents/<id>/passages/<number>",
        summary="One passage, and where a sentence of it stands on its pages",
        responses={200: CitedPassage, **WITH_NOT_FOUND},
    )
    def passage(path: PassagePath, query: QuoteParameters) -> Response:
        document = visible_document(parts, path.id)
        citation = parts.documents.passage(document, path.number)
        return private_if_owned(jsonify(cited_json(citation, quote_place(citation, query.quote))), document)

    @api.get(
        "/documents/<id>/tables/<number>",
        summary="One table of a document, as CSV or JSON",
        responses={200: answer_as(JSON, TableAnswer, CSV), **WITH_NOT_FOUND},
    )
    def table(path: TablePath, query: TableParameters) -> Response:
        document = visible_document(parts, path.id)
        content = table_of(document.entry, path.number)
        if query.f == "csv":
            response = Response(content.spreadsheet_csv, content_type=f"{CSV}; charset=utf-8; header=present")
            response.headers["Content-Disposition"] = f'attachment; filename="{path.id}-table-{path.number}.csv"'
            return private_if_owned(response, document)
        addresses = Addresses.of(parts.http)
        links = [link("self", addresses.this(), JSON), link("up", address_of(document.entry, addresses), GEOJSON)]
        return private_if_owned(jsonify(**as_json(content), links=links), document)


def _add_file(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/documents/<id>/file",
        summary="The document's file, whole or in ranges, where it may be shown",
        responses={
            200: text_answer("application/octet-stream"),
            206: text_answer("application/octet-stream"),
            **WITH_NOT_FOUND,
        },
    )
    def file(path: DocumentPath) -> Response:
        document = visible_document(parts, path.id)
        return private_if_owned(file_answer(document.entry, parts.document_files.get(document)), document)


def visible_document(parts: Parts, id: str) -> VisibleDocument:
    """The document, if the caller may see its record or owns it, or a collection opens it to a group of the caller.

    Raises NotFound.
    """
    requester = caller()
    try:
        return parts.documents.document(id, requester.library)
    except NotFound:
        for owner in parts.notebooks.owners_sharing(id, requester.groups) if requester.library is not None else ():
            with suppress(NotFound):
                return parts.documents.document(id, owner)
        raise


def private_if_owned(response: Response, document: VisibleDocument) -> Response:
    if document.is_private:
        response.headers["Cache-Control"] = PRIVATE
    return response


def _document_page(parts: Parts, id: str) -> Response:
    """The document's page. Returns 404 or 503 itself; the page then asks again with the reader's key."""
    try:
        document = visible_document(parts, id)
        passages = parts.documents.passages(document, 0, _PASSAGES_ON_A_PAGE)
    except (NotFound, Unavailable) as error:
        return page(status=404 if isinstance(error, NotFound) else 503)
    body = document_html(document.entry, document.record, passages)
    canonical = html.escape(address_of(document.entry, Addresses.of(parts.http)))
    answer = page(f'<link rel="canonical" href="{canonical}">', body, title=document.entry.title or document.entry.name)
    return private_if_owned(answer, document)


def _readable(
    documents: tuple[VisibleDocument, ...], total: int, next_address: str | None, addresses: Addresses
) -> Response:
    items = [
        ListedRecord(
            address_of(document.entry, addresses),
            document.entry.title or document.entry.name,
            _authors_and_date(document),
            "",
        )
        for document in documents
    ]
    return plain_page("Documents", items_html("Documents", items, total, next_address))


def _authors_and_date(document: VisibleDocument) -> str:
    return " · ".join(part for part in ("; ".join(document.entry.authors), document.entry.published) if part)
