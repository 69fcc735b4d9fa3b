"""``/search``, and ``/embeddings``: the vector of a question."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import orjson
from cachetools import LRUCache
from flask import Response, abort, jsonify, request
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.document import document_of_record
from core.errors import InvalidInput, ModelMissing, Unsupported
from core.json_types import Json
from core.record import Record
from search_api.formats_out.formats import result_writers
from search_api.formats_out.notations import ResultPage
from search_api.http.access.guard import caller
from search_api.http.openapi import answer_as
from search_api.http.parameters import checked_query, with_lists
from search_api.http.problems import Problem, from_validation
from search_api.http.responses import GEOJSON, Addresses, document_link, item_path, json_part, link, ways_on
from search_api.page.plain_page import HTML, wants_html
from search_api.page.shell import page
from search_api.parts import Parts
from search_api.search.answer import Answer, FoundRecord
from search_api.search.parameters import SearchParameters, cursor_for, to_request
from search_api.search.query_log import Requester, new_id
from search_api.search.request import SearchRequest
from search_api.search.state import count_search
from search_api.search.views import geojson

_DEGRADED = (
    "What this answer goes without: signals that were down (`dense`, `cross_encoder`), and parts of the question that "
    "could not be read (`understanding.place`, `understanding.time`, ...), and other catalogues that did not answer "
    "(`federation.ID`)."
)


class SearchAnswer(BaseModel):
    """A GeoJSON FeatureCollection (OGC API - Records items), best hit first."""

    type: str = "FeatureCollection"
    features: list[Json] = Field(
        description="Records with `sonde:score`, `sonde:signals` and, if meaning judged the hit, `sonde:relevance`: "
        "how probable it is that the record answers the question, 0 to 1. `sonde:estimatedBoxes` of a record without "
        "an extent are places that its title names. `sonde:supersededBy`, only where a newer version is known: "
        "`id` and `title` of the newest record that the search found, or the `href` that the metadata state."
    )
    numberMatched: int = Field(description="Hits that you can page through: at most 1,000.")  # noqa: N815 - OGC
    numberReturned: int  # noqa: N815 - OGC's name
    total: int = Field(
        alias="sonde:total",
        description="How many records match, each copy of a data set counted; facets count the same records.",
    )
    total_relation: Literal["exact"] = Field("exact", alias="sonde:totalRelation", description="The total is exact.")
    links: list[Json]
    interpretation: Json = Field(
        alias="sonde:interpretation",
        description='What was read from the question. A place with `source` "catalogue" is a name from the titles of '
        "this catalogue, not of the gazetteer: `records` says how many have it, and `bbox` where most of them lie.",
    )
    facets: Json = Field(default={}, alias="sonde:facets", description="Only if requested.")
    did_you_mean: str | None = Field(None, alias="sonde:didYouMean", description="A better spelling.")
    corrected_from: str | None = Field(
        None, alias="sonde:correctedFrom", description="The original question, if its corrected form was answered."
    )
    unknown_words: list[str] = Field(
        default=[],
        alias="sonde:unknownWords",
        description="Words of the topic that no record contains, in small letters; only if there are any.",
    )
    notes: list[Json] = Field(
        default=[],
        alias="sonde:notes",
        description="What to tell the visitor: `code` and an English `text`; only if there is something. "
        "`nothing_about_topic`: no record is about the topic; the text says whether each hit is from the place or time "
        "of the question. `nothing_there`: no hit of the page lies in the asked place, or none in the asked time. "
        "`weak_matches`: `sonde:relevance` of each hit of the page is low. "
        "`offer_missing`: no hit of the page states a format or licence of the question. "
        '`flow_unknown`: "upstream of" a place is read as around it.',
    )
    federated: list[Json] = Field(
        default=[],
        alias="sonde:federated",
        description="With `distributedSearch`: each catalogue that was asked, `numberReturned` of it, and in `folded` "
        "our hits that it has too. Its hits are in `features` with `sonde:origin`, not in `numberMatched`.",
    )
    degraded: list[str] = Field(alias="sonde:degraded", description=_DEGRADED)
    took_ms: dict[str, float] = Field(alias="sonde:took_ms")


def search_views(parts: Parts, own_documents: Callable[[SearchParameters], Response]) -> APIBlueprint:
    """``own_documents`` answers a search of the caller's own documents (``scope=mine`` or ``both``)."""
    api = APIBlueprint("search", __name__, abp_tags=[Tag(name="search", description="Ranked search")])
    feature_cache = FeatureCache()

    @api.get(
        "/search",
        summary="Ranked search over all records",
        responses={
            200: answer_as(GEOJSON, SearchAnswer, *(media_type for media_type, _ in result_writers().values()), HTML),
            400: Problem,
            401: Problem,
            403: Problem,
            503: Problem,
        },
    )
    @checked_query
    def search(query: SearchParameters) -> Response:
        if wants_html(query.f):
            return page()
        return answered(query)

    @api.post(
        "/search",
        summary="Ranked search by a body: the parameters of GET as a JSON object or as a form",
        request_body=request_body(),
        responses={200: answer_as(GEOJSON, SearchAnswer), 400: Problem, 401: Problem, 403: Problem, 503: Problem},
    )
    def search_by_body() -> Response:
        query = read_body()
        if query.f not in (None, "json"):
            raise InvalidInput("f", "f: an answer to POST is JSON; use GET for a feed or the page")
        return answered(query)

    def answered(query: SearchParameters) -> Response:
        question = to_request(query)
        live = parts.federation.start(query, question, parts.search) if query.distributedSearch else None
        if query.scope != "public":
            return own_documents(query)
        answer = parts.search.search(question)
        merged = None if live is None else live.merged(answer, question.limit)
        answer = answer if merged is None else merged.answer
        count_search("dense" if query.algorithm == "sbert" else query.algorithm, answer)
        addresses = Addresses.of(parts.http)
        end = question.offset + len(answer.hits)
        cursor = cursor_for(query, end) if end < answer.matched else None
        if query.f in (writers := result_writers()):
            media_type, write = writers[query.f]
            next_address = addresses.page(cursor) if cursor is not None else None
            return _respond(write(_result_page(query, answer, addresses, next_address)), media_type, next_address)
        link_to = _log_question(parts, query, question, answer, addresses)
        features = [
            feature_cache.hit(hit, addresses, None if link_to is None else link_to(hit.record.id))
            for hit in answer.hits
        ]
        body = geojson.collection(answer, features, ways_on(addresses, cursor))
        if merged is not None:
            page_features = merged.features(features)
            body |= {"features": page_features, "numberReturned": len(page_features)}
            body["sonde:federated"] = merged.catalogues
        response = jsonify(body)
        response.mimetype = GEOJSON
        return response

    return api


def _log_question(
    parts: Parts, query: SearchParameters, question: SearchRequest, answer: Answer, addresses: Addresses
) -> Callable[[str], str] | None:
    """Notes the question, if the log is on, and makes the links that count what is opened. A later page is the same
    question, and so is a map that asks where its matches lie, again with every zoom (``cell_area``). A question that
    is still typed is not asked yet.
    """
    log = parts.queries
    if not log.is_on or not question.q or question.offset or query.cell_area or query.typed or _by_steward():
        return None
    id = new_id()
    log.add_question(id, question.q, question.algorithm, answer, Requester(caller().subject, request.remote_addr or ""))
    return lambda record: addresses.to(f"/opened/{log.link_id(id, record)}")


def _by_steward() -> bool:
    """Stewards look at what others asked: their own searches would distort it."""
    requester = caller()
    return requester.subject is not None and not requester.scopes.isdisjoint(("curate", "admin"))


def _respond(text: str, media_type: str, next_address: str | None) -> Response:
    """Formats that have no place for it say the next page in the header Link."""
    response = Response(text, mimetype=media_type)
    if next_address is not None:
        response.headers["Link"] = f'<{next_address}>; rel="next"; type="{media_type}"'
    return response


def _result_page(query: SearchParameters, answer: Answer, addresses: Addresses, next_address: str | None) -> ResultPage:
    entries = [(hit.record, addresses.item(hit.record)) for hit in answer.hits]
    title = f"Sonde: {query.q}" if query.q else "Sonde: all records"
    return ResultPage(title, addresses.this(), answer.matched, entries, next_address)


FORM = "application/x-www-form-urlencoded"
LARGEST_BODY_BYTES = 256 * 1024


def request_body() -> Json:
    """The body's description for OpenAPI."""
    shape = {"schema": SearchParameters.model_json_schema()}
    return {"required": True, "content": {"application/json": shape, FORM: shape}}


def read_body() -> SearchParameters:
    """The parameters of `GET /search`, from a JSON object or a form.

    Raises Unsupported for another media type; ends the request if a parameter is invalid.
    """
    request.max_content_length = LARGEST_BODY_BYTES
    if request.mimetype == FORM:
        parameters = with_lists(SearchParameters, request.form)
    elif request.is_json:
        parameters = _of_json()
    else:
        raise Unsupported(f"A search by POST is JSON or {FORM}, and the body's Content-Type says which.")
    try:
        return SearchParameters.model_validate(parameters)
    except ValidationError as error:
        abort(from_validation(error))


def _of_json() -> Json:
    """The object; a CQL2 JSON filter and a GeoJSON geometry may be objects instead of text."""
    body = request.get_json(silent=True)
    if not isinstance(body, dict):
        raise InvalidInput("body", "body: is not a JSON object of parameters")
    for name in ("filter", "geometry"):
        if isinstance(body.get(name), dict):
            body[name] = json.dumps(body[name])
            if name == "filter":
                body.setdefault("filter-lang", "cql2-json")
    return {name: value for name, value in body.items() if value is not None}


MOST_BYTES = 32 * 1024 * 1024
"""Of JSON; the records themselves, which an entry holds too, take about as much again."""


@dataclass(frozen=True, slots=True)
class _CachedFeature:
    """``opened``: the record's feature as JSON, still open at the end of its links. ``path``: the record's own.
    ``is_of_document``: it stands for a public document.
    """

    record: Record
    opened: bytes
    path: str
    is_of_document: bool

    @classmethod
    def of(cls, record: Record) -> _CachedFeature:
        feature = geojson.feature(record)
        content = json_part(feature)  # its last member is a list: the links
        opened = content[:-2] + (b"," if feature["links"] else b"")
        return cls(record, opened, item_path(record), document_of_record(record.id) is not None)


_BEFORE_LINKS = b'{"links":['


class FeatureCache:
    """Thread-safe.

    The key is the identity of the record object, which the search's cache returns until the record is written again.
    The entry holds the record, so its memory address cannot be reused for another one.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._lock = threading.Lock()
        self._cached: LRUCache[int, _CachedFeature] = LRUCache(most_bytes, lambda written: len(written.opened))

    def hit(self, hit: FoundRecord, addresses: Addresses, opened: str | None = None) -> orjson.Fragment:
        """What ``geojson.hit_feature`` makes, as a part for orjson. ``opened``: the address that counts an opening."""
        entry = self._of(hit.record)
        links = [link("self", f"{addresses.base}{entry.path}", GEOJSON)]
        document = document_link(hit.record, addresses.base) if entry.is_of_document else None
        if document is not None:
            links.append(document)
        members: Json = {"links": links, **geojson.hit_members(hit)}
        if opened is not None:
            members["sonde:opened"] = opened
        return orjson.Fragment(entry.opened + json_part(members)[len(_BEFORE_LINKS) :])

    def _of(self, record: Record) -> _CachedFeature:
        with self._lock:
            entry = self._cached.get(id(record))
        if entry is not None and entry.record is record:
            return entry
        entry = _CachedFeature.of(record)
        with self._lock:
            if len(entry.opened) <= self._cached.maxsize:
                self._cached[id(record)] = entry
        return entry


MOST_TEXTS = 256
LONGEST_TEXT = 100_000


class EmbeddingsRequest(BaseModel):
    """Texts to embed; the model's instruction is added before a question, not before a document."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="Must be the model in service; leave it out to use that model.")
    input: (
        Annotated[str, Field(max_length=LONGEST_TEXT)]
        | Annotated[list[Annotated[str, Field(max_length=LONGEST_TEXT)]], Field(min_length=1, max_length=MOST_TEXTS)]
    )
    kind: Literal["query", "document"] = "document"


class EmbeddingsAnswer(BaseModel):
    """OpenAI's list of embeddings, in input order; vectors have unit norm."""

    object: str = "list"
    model: str
    data: list[Json]
    usage: dict[str, int]


def embeddings_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("embeddings", __name__, abp_tags=[Tag(name="embeddings", description="Text to vectors")])

    @api.post(
        "/embeddings",
        summary="Embed texts with the model that serves",
        responses={200: EmbeddingsAnswer, 400: Problem, 503: Problem},
    )
    def embeddings(body: EmbeddingsRequest) -> Response:
        _refuse_empty(body.input)
        serving = parts.serving.resolve()
        if serving.embedder is None:
            raise ModelMissing(serving.embedder_problem or "No embedder is loaded.")
        card = serving.embedder.card
        if body.model not in (None, card.model):
            raise InvalidInput("model", f"model: {body.model!r} does not serve here; {card.model!r} does")
        texts = [body.input] if isinstance(body.input, str) else list(body.input)
        _refuse_too_much(sum(map(len, texts)), parts.embeddings_characters)
        vectors = serving.embedder.embed(texts, body.kind)
        tokens = sum(min(count, card.max_tokens) for count in serving.embedder.count_tokens(texts))
        return jsonify(
            object="list",
            model=card.model,
            data=[
                {"object": "embedding", "index": index, "embedding": [round(float(x), 7) for x in vector]}
                for index, vector in enumerate(vectors)
            ],
            usage={"prompt_tokens": tokens, "total_tokens": tokens},
        )

    return api


def _refuse_empty(texts: str | list[str]) -> None:
    """Of a text without words a model gives a vector that means nothing."""
    places = {"input": texts} if isinstance(texts, str) else {f"input.{at}": text for at, text in enumerate(texts)}
    empty = [place for place, text in places.items() if not text.strip()]
    if empty:
        raise InvalidInput(empty[0], f"{', '.join(empty)}: the text is empty; leave it out")


def _refuse_too_much(characters: int, limit: int) -> None:
    if characters > limit:
        raise InvalidInput("input", f"input: {characters} characters in all; one call takes up to {limit}")
