"""Saved searches: what a user sends, what is stored, and the question compiled once for repeated matching.

A compiled question is clauses of Elasticsearch and a vector; matching needs no model. A record matches if it passes the
filters and has every word of the question, or a name in it, or a cosine to the question of at least the model's
``min_score``. A place and a period in the question are conditions too: a record with another place or period does not
match. Texts of mails and of the pages of their links are in ``texts.json``, in six languages.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Annotated, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BaseModel, Field, field_validator

from core.errors import InvalidInput
from core.json_types import Json, JsonMapping
from net.errors import Refused
from net.targets import parse_target
from search_api.http.parameters import printable
from search_api.search.flow import SearchPipeline
from search_api.search.parameters import SearchParameters, to_request
from search_api.search.ranking.config import WordWeights
from search_api.search.request import SearchRequest
from search_api.search.retrieval.bm25 import NO_EXPANSION, every_word_query
from search_api.search.retrieval.clauses import Clause, any_of, area_clause, record_filters, span_clause
from search_api.search.retrieval.known_names import names_query
from search_api.search.retrieval.serving import Serving
from search_api.search.understanding.interpretation import Interpretation
from search_api.search.understanding.topic import query_vectors, significant_words

_VERSION = 1
"""Raise it when compiling changes: searches are then compiled again at their next evaluation."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A record matches all ``filters``, and one of ``either`` or the vector. No clause and no vector: every record.

    ``by``: the mark of model and schema. ``vector``: (dims,) float32, unit norm; None: meaning does not count.
    """

    by: str
    filters: tuple[Clause, ...] = ()
    either: tuple[Clause, ...] = ()
    vector: NDArray[np.float32] | None = None

    def as_json(self) -> Json:
        members: Json = {"by": self.by, "filters": list(self.filters), "either": list(self.either)}
        if self.vector is not None:
            members["vector"] = base64.b64encode(self.vector.astype("<f4").tobytes()).decode("ascii")
        return members

    @classmethod
    def from_json(cls, members: JsonMapping) -> Compiled:
        vector = None
        if "vector" in members:
            vector = np.frombuffer(base64.b64decode(members["vector"]), "<f4").astype(np.float32)
        return cls(members["by"], tuple(members["filters"]), tuple(members["either"]), vector)

    def clauses(self, nearest: Sequence[str]) -> list[Clause]:
        """The conditions on a record; ``nearest``: ids of records whose vectors are near enough."""
        if not self.either and self.vector is None:
            return list(self.filters)
        either = [*self.either, {"ids": {"values": list(nearest)}}] if nearest else list(self.either)
        return [*self.filters, any_of(*either) if either else _NOTHING]


_NOTHING: Clause = {"match_none": {}}


def compiled_by(serving: Serving) -> str:
    """The current mark of model and schema; a question with another mark must be compiled again."""
    meta = serving.records.meta
    recipe = (
        _VERSION,
        meta.schema_version,
        meta.embedding_model,
        serving.embedder is not None,
        sorted(serving.structured),
    )
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:16]


def compile_question(pipeline: SearchPipeline, request: SearchRequest, serving: Serving) -> Compiled:
    """Raises InvalidInput for a question that can match nothing, Unavailable if the embedder does not answer."""
    filters = pipeline.locate(request)
    located_request = replace(request, place=None, filters=filters)
    interpretation = pipeline.interpret(located_request, serving.structured)
    interpretation = pipeline.with_contacts(located_request, interpretation, serving)
    if interpretation.is_stopwords_only:
        raise InvalidInput("search", "search.q: holds only small words; name what the records should be about")
    words = pipeline.parts.config.words
    clauses = _topic_clauses(interpretation, serving, words) if request.algorithm != "dense" else []
    vector = _vector(request, interpretation, serving)
    if (
        interpretation.text.strip() not in ("", "*")
        and not clauses
        and vector is None
        and not (interpretation.areas or interpretation.spans)
    ):
        raise InvalidInput("search", "search.q: nothing in it can be matched without the embedder, which is missing")
    conditions = _place_and_period(interpretation, located_request, strict=not clauses and vector is None)
    return Compiled(compiled_by(serving), (*record_filters(filters), *conditions), tuple(clauses), vector)


def _topic_clauses(interpretation: Interpretation, serving: Serving, words: WordWeights) -> list[Clause]:
    """Clauses for every word of the topic, or a name; empty for a question without a topic."""
    identifiers = tuple(identifier.value for identifier in interpretation.identifiers)
    clauses: list[Clause] = []
    if interpretation.thematic or identifiers:
        strict = replace(words, minimum_should_match="100%")
        fields = serving.word_fields(words)
        clauses.append(
            every_word_query(
                strict, fields, interpretation.split_topic, interpretation.language, identifiers, NO_EXPANSION
            )
        )
    length = len(significant_words(interpretation.thematic).split())
    by_name = names_query(
        words.names, interpretation.names, interpretation.other_forms, length, alone=interpretation.is_names_only
    )
    return [*clauses, by_name] if by_name is not None else clauses


def _vector(request: SearchRequest, interpretation: Interpretation, serving: Serving) -> NDArray[np.float32] | None:
    if (
        request.algorithm == "bm25"
        or serving.embedder is None
        or not interpretation.thematic
        or interpretation.is_names_only
    ):
        return None
    return query_vectors(serving.embedder, interpretation).question


def _place_and_period(interpretation: Interpretation, request: SearchRequest, *, strict: bool) -> list[Clause]:
    """Conditions for the question's place and period. ``strict``: a record without one does not match."""
    clauses: list[Clause] = []
    if request.spatial != "off" and request.filters.area is None and interpretation.areas:
        areas = [area_clause(area, "intersects") for area in interpretation.areas]
        clauses.append(_any_or_missing(areas, "extent", strict))
    if request.temporal and request.filters.span is None and interpretation.spans:
        clauses.append(_any_or_missing([span_clause(span) for span in interpretation.spans], "time", strict))
    return clauses


def _any_or_missing(clauses: list[Clause], field: str, strict: bool) -> Clause:
    missing_clauses: list[Clause] = [] if strict else [{"bool": {"must_not": [{"exists": {"field": field}}]}}]
    return any_of(*clauses, *missing_clauses)


Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
DEFAULT_LANGUAGE: Language = "en"


@dataclass(frozen=True, slots=True)
class AlertTexts:
    """``{...}`` are replaced by values; ``search`` and ``catalogues``: links above each page."""

    search: str
    catalogues: str
    confirm_subject: str
    confirm_text: str
    digest_subject: str
    several: str
    window: str
    new: str
    changed: str
    more: str
    stop: str
    confirm: str
    confirm_asks: str
    confirmed: str
    unsubscribe: str
    unsubscribe_asks: str
    unsubscribed: str


def _read_texts() -> Mapping[Language, AlertTexts]:
    texts_by_language = json.loads(files(__package__).joinpath("texts.json").read_text(encoding="utf-8"))
    return {language: AlertTexts(**texts_by_language[language]) for language in LANGUAGES}


TEXTS = _read_texts()


Every = Literal["day", "week"]
Channel = Literal["mail", "webhook"]

LONGEST_TITLE = 200
_PRESENTATION = (
    "limit", "cursor", "facets", "cell_area", "cell_level", "explain", "highlight", "typed", "f", "scope", "group",
    "distributedSearch", "federatedCatalogs", "hopCount",
    "diversity", "sortby",
)  # fmt: skip
"""Parameters of presentation, which do not change what matches."""


def _webhook(text: str) -> str:
    try:
        target = parse_target(text)
    except Refused as error:
        raise ValueError(str(error)) from None
    if target.scheme != "https" and target.host not in ("localhost", "127.0.0.1"):
        raise ValueError("must start with https://")
    return text


MailAddress = Annotated[
    str,
    Field(max_length=254, pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$"),
]
WebhookUrl = Annotated[str, Field(max_length=2000), AfterValidator(_webhook)]
Title = Annotated[str, Field(min_length=1, max_length=LONGEST_TITLE), AfterValidator(printable)]


class SavedSearchBody(BaseModel, extra="forbid", title="SavedSearch"):
    """What a user sends."""

    title: Title
    search: SearchParameters = Field(description="The parameters of `GET /search`; those of its presentation are left.")
    mail: MailAddress | None = Field(None, description="Told by mail, once the address is confirmed.")
    webhook: WebhookUrl | None = Field(None, description="Told by a signed POST (CloudEvents).")
    every: Every = Field("day", description="A digest each day, or each week on Monday.")
    changes: bool = Field(True, description="Whether changed records are told too, or only new ones.")
    active: bool = Field(True, description="`false` pauses it.")
    language: Language | None = Field(None, description="Of its mails. Default: `Accept-Language`, or as before.")

    @field_validator("search", mode="before")
    @classmethod
    def _filter_as_text(cls, value: object) -> object:
        """A CQL2 JSON filter may be an object, as in `POST /search`."""
        if isinstance(value, dict) and isinstance(value.get("filter"), dict):
            return {**value, "filter": json.dumps(value["filter"])}
        return value

    def parameters(self) -> Json:
        """The parameters that decide what matches, without defaults. Raises InvalidInput for private documents."""
        if self.search.scope != "public":
            raise InvalidInput("search", "search.scope: a saved search watches records, not one's own documents")
        parameters: Json = self.search.model_dump(
            mode="json", by_alias=True, exclude_defaults=True, exclude=set(_PRESENTATION)
        )
        return parameters


def request_of(parameters: JsonMapping) -> SearchRequest:
    """Raises InvalidInput if parameters contradict each other."""
    return to_request(SearchParameters.model_validate(dict(parameters)))


@dataclass(frozen=True, slots=True)
class SavedSearch:
    """``groups``: the owner's groups when it was saved; it never shows more. ``seen``: the owner's last visit.

    ``watched``: it reports records written since then. ``problem``: why it sends nothing now; None if all is well.
    ``feed``: part of the address of its feed; a change ends the earlier address. Times are ISO 8601 in UTC.
    """

    id: str
    owner: str
    groups: frozenset[str]
    title: str
    parameters: Json
    every: Every
    changes: bool
    active: bool
    created: str
    changed: str
    seen: str
    watched: str
    mail: str | None = None
    webhook: str | None = None
    problem: str | None = None
    language: Language = DEFAULT_LANGUAGE
    feed: str = ""

    @property
    def question_key(self) -> str:
        """Equal for searches that match the same records: they are evaluated together."""
        question = json.dumps([self.parameters, sorted(self.groups)], sort_keys=True)
        return hashlib.sha256(question.encode()).hexdigest()[:24]

    @property
    def channels(self) -> dict[Channel, str]:
        """The receiver by channel."""
        targets: dict[Channel, str] = {}
        if self.mail is not None:
            targets["mail"] = self.mail
        if self.webhook is not None:
            targets["webhook"] = self.webhook
        return targets

    def with_body(self, body: SavedSearchBody, groups: frozenset[str], now: str) -> SavedSearch:
        """With the owner's changes. Clears the problem; a changed question is watched from now on."""
        is_same = body.parameters() == self.parameters and self.active
        return replace(
            self,
            **{name: getattr(body, name) for name in ("title", "mail", "webhook", "every", "changes", "active")},
            parameters=body.parameters(),
            groups=groups,
            changed=now,
            seen=now,
            watched=self.watched if is_same else now,
            problem=None,
            language=body.language or self.language,
        )


def hash_of_parts(*parts: str) -> str:
    """Of 40 hex digits, for ids."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


_STORED = (
    "id", "owner", "seen", "title", "mail", "webhook", "every", "changes", "active", "problem", "language", "feed",
    "created", "changed", "watched",
)  # fmt: skip
"""Members that the index holds as they are."""


def to_document(saved_search: SavedSearch, compiled_question: Compiled) -> Json:
    document = {
        **{name: getattr(saved_search, name) for name in _STORED},
        "kind": "search",
        "groups": sorted(saved_search.groups),
        "asked": saved_search.parameters,
        "same": saved_search.question_key,
        "feed": saved_search.feed or None,
        "compiled_by": compiled_question.by,
        "compiled": compiled_question.as_json(),
    }
    return {name: value for name, value in document.items() if value is not None}


def from_document(id: str, source: JsonMapping) -> SavedSearch:
    members: Json = {name: source[name] for name in _STORED if name in source}
    groups, parameters = frozenset(source.get("groups", ())), dict(source["asked"])
    return SavedSearch(**{**members, "id": id, "groups": groups, "parameters": parameters})


def compiled_of(source: JsonMapping) -> Compiled:
    return Compiled.from_json(source["compiled"])
