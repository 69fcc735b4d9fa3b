"""``/library/documents``: a user's own documents: upload, import references, list, fetch, delete."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal

from flask import Response, jsonify, request
from flask_openapi import APIBlueprint, FileStorage, Tag
from flask_openapi.types import ResponseDict
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from werkzeug.datastructures import FileStorage as WerkzeugFileStorage
from werkzeug.exceptions import RequestEntityTooLarge

from core.document import DocumentEntry, State
from core.errors import InvalidInput, TooLarge
from core.json_types import Json
from search_api.catalogue.documents.answers import CITATION_TYPES, bibliography, file_answer
from search_api.catalogue.documents.view import DocumentPath
from search_api.formats_out.bibliography import of_document
from search_api.http.access.guard import caller, needs
from search_api.http.openapi import WITH_NOT_FOUND, text_answer
from search_api.http.parameters import LONGEST_QUERY, Parameters, Text, printable, split_values
from search_api.http.problems import Problem, problem
from search_api.http.responses import JSON, Addresses, link
from search_api.library.entries import COLUMNS, Column, LibraryQuery, SortColumn
from search_api.library.personal_library import PersonalLibrary, Upload, can_retry, too_large
from search_api.parts import Parts

_FORM_BYTES = 64 * 1024  # overhead of a multipart form
_MOST_LIST_BYTES = 1024 * 1024
_MOST_CITED = 9_000  # more than a library can hold
_PRIVATE = "private, no-store"
_REFUSALS: ResponseDict = {400: Problem, 401: Problem, 403: Problem, 503: Problem}
_UPLOADS: ResponseDict = {**_REFUSALS, 409: Problem, 413: Problem, 415: Problem}

_DATE = r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$"

Name = Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=200)]
States = Annotated[list[State], BeforeValidator(split_values)]
Columns = Annotated[list[Column], BeforeValidator(split_values)]


class ListParameters(Parameters):
    """Which of the library's documents, in which order, with which columns."""

    q: Annotated[str, AfterValidator(printable)] = Field(
        "", max_length=LONGEST_QUERY, description="Each word must occur in title, name, authors, journal or DOI."
    )
    state: States = Field(default=[], description="Only documents in one of these states.")
    sort: SortColumn = Field("created", description="The column to sort by.")
    order: Annotated[str, Field(pattern="^(asc|desc)$")] = "desc"
    columns: Columns = Field(default=[], description="Columns to show. Default: all.")
    limit: int = Field(20, ge=1, le=100)
    offset: int = Field(0, ge=0, le=9_900)


def _is_file(value: object) -> object:
    """A part without a file name arrives as text. Raises ValueError."""
    if not isinstance(value, WerkzeugFileStorage):
        raise ValueError("send it as a file: its part needs a filename")
    return value


FormFile = Annotated[FileStorage, BeforeValidator(_is_file)]


class UploadForm(BaseModel, extra="forbid", arbitrary_types_allowed=True):
    """A file, and optionally the record of the catalogue that it explains."""

    file: FormFile
    record: Text | None = None


class FileForm(BaseModel, extra="forbid", arbitrary_types_allowed=True):
    """The file alone."""

    file: FormFile


class ReferencesBody(BaseModel, extra="forbid"):
    """BibTeX, RIS, CSL-JSON, or one DOI a line."""

    references: str = Field(min_length=1, max_length=_MOST_LIST_BYTES)


class ProgressBody(BaseModel, title="LibraryDocumentProgress"):
    """The progress of a document in its present state."""

    done: int
    total: int
    unit: Literal["pages", "passages"] = Field(description="`pages` while it is read, `passages` while embedded.")


class DocumentBody(BaseModel, title="LibraryDocument"):
    """One document. Columns without a value are left out."""

    id: str
    state: State | None = Field(None, description="`waiting` for its file, in progress, `ready`, or `failed`.")
    name: str | None = None
    title: str | None = None
    reason: str | None = Field(None, description="Why it failed, for machines.")
    message: str | None = Field(None, description="Why it failed, for people.")
    edited: list[str] | None = Field(None, description="What its owner set.")
    retry: bool | None = Field(None, description="It failed; POST to `/library/documents/{id}/retry` reads it again.")
    progress: ProgressBody | None = Field(None, description="While it is read or embedded, once a part is done.")
    links: list[Json] = []


class QuotaBody(BaseModel, title="LibraryQuota"):
    """The totals of the caller's documents, and the limits; bytes are those of the files."""

    documents: int
    most_documents: int
    bytes: int
    most_bytes: int


class DocumentList(BaseModel, title="LibraryDocuments"):
    """A page of the library."""

    documents: list[DocumentBody]
    numberMatched: int  # noqa: N815 - as in all lists of this service
    numberReturned: int  # noqa: N815
    links: list[Json]


class ProblemBody(BaseModel, title="ReferenceProblem"):
    """A part of the list that is no reference."""

    message: str
    line: int | None = None


class ImportedList(DocumentList, title="LibraryImported"):
    """The documents of a reference list, and what could not be read of it."""

    problems: list[ProblemBody]


class EditBody(BaseModel, extra="forbid"):
    """Metadata to replace; those that are not sent stay. Null or an empty list: the document has none."""

    title: Annotated[str, AfterValidator(printable), Field(min_length=1, max_length=1000)] | None = None
    authors: list[Name] | None = Field(None, max_length=100)
    journal: Name | None = None
    doi: Annotated[str, Field(pattern=r"^10\.\d{4,9}/\S+$", max_length=300)] | None = None
    published: Annotated[str, Field(pattern=_DATE)] | None = Field(None, description="A year, a month or a day.")


class BibliographyParameters(Parameters):
    f: Literal["bibtex", "ris", "csl"] = "bibtex"


class Library(DocumentList, title="Library"):
    """A page of the library, and the remaining space."""

    quota: QuotaBody


def library_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("library", __name__, abp_tags=[Tag(name="library", description="A user's own documents")])
    _guard(api, parts.personal_library)
    _add_list(api, parts)
    _add_uploads(api, parts)
    _add_document(api, parts)
    return api


def _guard(api: APIBlueprint, personal_library: PersonalLibrary) -> None:
    limit = personal_library.parts.quota.file_bytes + _FORM_BYTES

    @api.before_request
    def admit() -> None:
        """Rejects unauthorised and oversized requests before reading the body."""
        caller().must_have("library")
        request.max_content_length = limit
        if (request.content_length or 0) > limit:
            raise TooLarge(too_large(personal_library.parts.quota))

    @api.errorhandler(RequestEntityTooLarge)
    def refuse(_error: RequestEntityTooLarge) -> Response:  # unknown length, or a form with a thousand parts
        message = f"{too_large(personal_library.parts.quota)} A form may have 1,000 parts."
        return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)

    @api.after_request
    def keep_private(response: Response) -> Response:
        response.headers["Cache-Control"] = _PRIVATE
        return response


def _add_list(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/documents",
        summary="The caller's own documents",
        responses={200: Library, **_REFUSALS},
    )
    @needs("library")
    def documents(query: ListParameters) -> Response:
        listing = LibraryQuery(
            query.q, tuple(query.state), query.sort, query.order == "desc", query.limit, query.offset
        )
        entries, total = parts.personal_library.parts.entries.page(caller().owner, listing)
        addresses = Addresses.of(parts.http)
        links = [link("self", addresses.this(), JSON)]
        end = query.offset + len(entries)
        if entries and end < min(total, 10_000):
            links.append(link("next", addresses.page(str(end), "offset"), JSON))
        bodies = [document_json(entry, addresses, tuple(query.columns) or COLUMNS) for entry in entries]
        quota = _quota_json(parts.personal_library, caller().owner)
        return jsonify(documents=bodies, numberMatched=total, numberReturned=len(bodies), quota=quota, links=links)


def _add_uploads(api: APIBlueprint, parts: Parts) -> None:
    @api.post(
        "/library/documents",
        summary="Upload a document; it is read by a worker",
        responses={200: DocumentBody, 202: DocumentBody, **_UPLOADS},
    )
    @needs("library")
    def upload(form: UploadForm) -> tuple[Response, int]:
        entry, is_new = parts.personal_library.upload(caller().owner, _upload(form.file, form.record))
        return _document_answer(entry, parts, HTTPStatus.ACCEPTED if is_new else HTTPStatus.OK)

    @api.post(
        "/library/references",
        summary="Import BibTeX, RIS, CSL-JSON or DOIs as documents whose PDFs follow",
        responses={202: ImportedList, **_UPLOADS},
    )
    @needs("library")
    def references(body: ReferencesBody) -> tuple[Response, int]:
        entries, problems = parts.personal_library.references(caller().owner, body.references)
        addresses = Addresses.of(parts.http)
        bodies = [document_json(entry, addresses) for entry in entries]
        links = [link("self", addresses.to("/library/documents"), JSON)]
        unread = [
            {"message": unread_part.message, **({"line": unread_part.line} if unread_part.line else {})}
            for unread_part in problems
        ]
        counts = {"numberMatched": len(bodies), "numberReturned": len(bodies)}
        answer = jsonify(documents=bodies, problems=unread, links=links, **counts)
        return answer, HTTPStatus.ACCEPTED

    @api.get(
        "/library/references",
        summary="The bibliography of the caller's documents",
        responses={200: text_answer(*CITATION_TYPES), **_REFUSALS},
    )
    @needs("library")
    def cited(query: BibliographyParameters) -> Response:
        entries, _ = parts.personal_library.parts.entries.page(
            caller().owner, LibraryQuery(limit=_MOST_CITED, sort="name")
        )
        addresses = Addresses.of(parts.http)
        return bibliography(query.f, [of_document(entry, addresses.to(f"/documents/{entry.id}")) for entry in entries])


def _add_document(api: APIBlueprint, parts: Parts) -> None:
    @api.get(
        "/library/documents/<id>",
        summary="One of the caller's documents with its state",
        responses={200: DocumentBody, **WITH_NOT_FOUND},
    )
    @needs("library")
    def document(path: DocumentPath) -> Response:
        entry = parts.personal_library.document(caller().owner, path.id)
        return jsonify(document_json(entry, Addresses.of(parts.http)))

    @api.patch(
        "/library/documents/<id>",
        summary="Edit title, authors, journal, DOI or date of a document; a later reading keeps them",
        responses={200: DocumentBody, **WITH_NOT_FOUND},
    )
    @needs("library")
    def edit(path: DocumentPath, body: EditBody) -> Response:
        changes = body.model_dump(exclude_unset=True)
        edited = {**changes, "authors": changes["authors"] or []} if "authors" in changes else changes
        entry = parts.personal_library.edit(caller().owner, path.id, edited)
        return jsonify(document_json(entry, Addresses.of(parts.http)))

    @api.delete(
        "/library/documents/<id>",
        summary="Delete a document: its passages and its file are gone when this answers",
        responses={204: None, **WITH_NOT_FOUND},
    )
    @needs("library")
    def delete(path: DocumentPath) -> tuple[str, int]:
        parts.personal_library.remove(caller().owner, path.id)
        return "", HTTPStatus.NO_CONTENT

    @api.get(
        "/library/documents/<id>/file",
        summary="The file as it was uploaded or fetched",
        responses={200: text_answer("application/octet-stream"), **WITH_NOT_FOUND},
    )
    @needs("library")
    def file(path: DocumentPath) -> Response:
        entry, data = parts.personal_library.file(caller().owner, path.id)
        return file_answer(entry, data)

    @api.put(
        "/library/documents/<id>/file",
        summary="The file of a document that waits for it",
        responses={202: DocumentBody, 404: Problem, **_UPLOADS},
    )
    @needs("library")
    def attach(path: DocumentPath, form: FileForm) -> tuple[Response, int]:
        entry = parts.personal_library.attach(caller().owner, path.id, _upload(form.file))
        return _document_answer(entry, parts, HTTPStatus.ACCEPTED)

    @api.post(
        "/library/documents/<id>/retry",
        summary="Read a document that failed once more",
        responses={202: DocumentBody, 409: Problem, **WITH_NOT_FOUND},
    )
    @needs("library")
    def retry(path: DocumentPath) -> tuple[Response, int]:
        return _document_answer(parts.personal_library.retry(caller().owner, path.id), parts, HTTPStatus.ACCEPTED)


def _quota_json(personal_library: PersonalLibrary, owner: str) -> Json:
    usage, maximum = personal_library.usage(owner), personal_library.parts.quota
    return QuotaBody(
        documents=usage.documents, most_documents=maximum.documents, bytes=usage.bytes, most_bytes=maximum.bytes
    ).model_dump()


def _upload(file: FileStorage, record: str | None = None) -> Upload:
    if not file.filename:
        raise InvalidInput("file", "file: has no file name; send it as a file of the form")
    return Upload(file.filename, file.read(), record or None)


def _document_answer(entry: DocumentEntry, parts: Parts, status: int) -> tuple[Response, int]:
    addresses = Addresses.of(parts.http)
    response = jsonify(document_json(entry, addresses))
    response.headers["Location"] = addresses.to(f"/library/documents/{entry.id}")
    return response, status


def _progress(entry: DocumentEntry) -> Json | None:
    if entry.done is None or entry.total is None or entry.state not in ("parsing", "embedding"):
        return None
    return {"done": entry.done, "total": entry.total, "unit": "pages" if entry.state == "parsing" else "passages"}


def document_json(entry: DocumentEntry, addresses: Addresses, columns: tuple[Column, ...] = COLUMNS) -> Json:
    """The entry as JSON: its id and the non-empty columns; without the owner's name."""
    values: Json = {name: getattr(entry, name) for name in columns}
    if entry.message is not None and "reason" in columns:
        values["message"] = entry.message
    values["edited"] = sorted(entry.edited)
    if "state" in columns:
        values["progress"] = _progress(entry)
        values["retry"] = can_retry(entry) or None
    address = addresses.to(f"/library/documents/{entry.id}")
    links = [link("self", address, JSON)]
    if entry.hash is not None:
        links.append(link("enclosure", f"{address}/file", entry.media_type or "application/octet-stream"))
    members = {
        name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v not in (None, (), "", [])
    }
    return {"id": entry.id, **members, "links": links}
