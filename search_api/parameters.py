"""The parameters of ``GET /search``, checked once: what leaves here is a ``SearchRequest``."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from core.errors import InvalidInput
from core.extent import BBox
from core.record import ProvenanceKind
from core.timespan import TimeSpan, instant_ms
from search_api.filtering.cql2 import LONGEST_FILTER, Language, parse
from search_api.filtering.translate import clause_of
from search_api.request import ALL_PARTS, FacetName, Filters, Part, Relation, SearchRequest, SpatialMode

LONGEST_QUERY = 2000
LONGEST_VALUE = 512
MOST_VALUES = 50


def printable(text: str) -> str:
    """The text without surrounding space. Raises ValueError where it holds control characters."""
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\t\n\r" for character in text):
        raise ValueError("holds control characters")
    return text.strip()


def split_values(values: Any) -> Any:
    """``a,b`` and ``a&...=b`` alike."""
    texts = [values] if isinstance(values, str) else values
    return [part for text in texts for part in str(text).split(",") if part.strip()]


def _facets(values: Any) -> Any:
    """``all`` stands for every facet."""
    names = list(dict.fromkeys(split_values(values)))
    return list(get_args(FacetName)) if names == ["all"] else names


Text = Annotated[str, AfterValidator(printable), Field(max_length=LONGEST_VALUE)]
Values = Annotated[list[Text], Field(max_length=MOST_VALUES)]
Tokens = Annotated[list[Text], BeforeValidator(split_values), Field(max_length=MOST_VALUES)]


class Parameters(BaseModel):
    """Base of every query: unknown names are refused; the schema is made once, not with every request."""

    model_config = ConfigDict(extra="forbid", populate_by_name=False)

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return _schema(cls) if not args and not kwargs else super().model_json_schema(*args, **kwargs)


@cache
def _schema(model: type[Parameters]) -> dict[str, Any]:
    return super(Parameters, model).model_json_schema()


class SearchParameters(Parameters):
    """What ``GET /search`` understands. Several values of one filter mean any of them."""

    q: Annotated[str, AfterValidator(printable)] = Field(
        "",
        max_length=LONGEST_QUERY,
        description="The question, in plain words.",
        examples=["rainfall in southern Africa"],
    )
    algorithm: Literal["hybrid", "bm25", "dense", "sbert"] = Field(
        "hybrid", description="`sbert` is another name for `dense`."
    )
    bbox: str | None = Field(
        None,
        description="west,south,east,north in degrees WGS 84; west > east crosses the antimeridian.",
        examples=["10,-35,41,-8"],
    )
    place: Text | None = Field(None, description="A place name; its box filters as `bbox` does.")
    relation: Relation | None = Field(
        None, description="Of the record to the asked area: `within` lies inside it, `contains` covers it."
    )
    datetime: str | None = Field(
        None, description="An instant or `start/end`, ISO 8601, `..` for an open end.", examples=["1990-01-01/.."]
    )
    type: Tokens = Field(default=[], description="dataset, series, service, document, ...")
    source: Tokens = Field(default=[], description="Ids of harvested catalogues.")
    keyword: Values = Field(default=[], description="A keyword as a whole, in any case.")
    organisation: Values = Field(default=[], description="A contact's organisation as a whole, in any case.")
    theme: Tokens = Field(default=[], description="Topic category.")
    licence: Values = Field(default=[])
    provenance: Annotated[list[ProvenanceKind], BeforeValidator(split_values)] = Field(
        default=[], description="Kind of product."
    )
    media_type: Values = Field(default=[], description="Media type of one of the record's links.")
    format: Values = Field(default=[], description="Distribution format, in any case.")
    filter: str | None = Field(
        None, max_length=LONGEST_FILTER, description="CQL2 over the queryables of /collections/all/queryables."
    )
    filter_lang: Language = Field("cql2-text", alias="filter-lang")
    facets: Annotated[list[FacetName], BeforeValidator(_facets)] = Field(
        default=[], description="Facets to count, or `all`.", examples=["type,decade,region"]
    )
    spatial: SpatialMode = Field("blend", description="How place ranks; `hausdorff` orders the best by distance alone.")
    temporal: Literal["on", "off"] = "on"
    expand: Literal["on", "off"] = Field(
        "on", description="Whether other names of a term, and what lies under it, are looked for too, at low weight."
    )
    rerank: bool = Field(True, description="Whether the cross-encoder reads the best hits.")
    interpret: str = Field("all", description="all, none, or a list of place,time,relation,scale,kind,terms.")
    scope: Literal["public", "mine", "both"] = Field(
        "public", description="`mine`: the caller's own documents; `both`: them among the records. Needs a key."
    )
    explain: bool = Field(False, description="How each hit got its place.")
    highlight: bool = Field(False, description="Where the words were found.")
    group: Literal["identity", "none"] = Field(
        "identity",
        description="`identity` shows the same data set of several sources once, under the best of its records.",
    )
    diversity: Literal["on", "off"] = Field(
        "on", description="Whether records of one series stand back, so that they do not fill a page."
    )
    limit: int = Field(10, ge=1, le=100)
    cursor: str | None = Field(None, description="From the `next` link.")
    f: Literal["json", "atom"] = Field("json", description="`atom`: the search as a feed to subscribe to.")

    @field_validator("bbox")
    @classmethod
    def _bbox_is_a_box(cls, text: str | None) -> str | None:
        if text is not None:
            read_bbox(text)
        return text

    @field_validator("datetime")
    @classmethod
    def _datetime_exists(cls, text: str | None) -> str | None:
        if text is not None:
            read_datetime(text)
        return text

    @field_validator("interpret")
    @classmethod
    def _parts_are_known(cls, text: str) -> str:
        _parts(text)
        return text


def read_bbox(text: str) -> BBox:
    """``w,s,e,n``. Raises ValueError that says what is wrong."""
    numbers = text.split(",")
    if len(numbers) != 4:
        raise ValueError(f"needs four numbers west,south,east,north; there are {len(numbers)}")
    try:
        west, south, east, north = (float(number) for number in numbers)
    except ValueError:
        raise ValueError("needs four numbers west,south,east,north in degrees") from None
    return BBox(west, south, east, north)


def read_datetime(text: str) -> TimeSpan:
    """An instant (of any precision) or ``start/end``. Raises ValueError that says what is wrong."""
    edges = text.split("/")
    if len(edges) == 1:
        return TimeSpan(instant_ms(text), instant_ms(text, at_end=True))
    if len(edges) > 2:
        raise ValueError("needs one instant or start/end")
    span = TimeSpan.from_iso(edges[0], edges[1])
    if span.start_ms is None and span.end_ms is None:
        raise ValueError("needs at least one end; leave datetime out for any time")
    return span


def _parts(text: str) -> frozenset[Part]:
    if text in ("all", "none"):
        return ALL_PARTS if text == "all" else frozenset()
    named = {part.strip() for part in text.split(",")}
    unknown = named - set(get_args(Part))
    if unknown:
        raise ValueError(f"does not know {', '.join(sorted(unknown))}; it knows all, none, {', '.join(get_args(Part))}")
    return cast(frozenset[Part], frozenset(named))


def to_request(given: SearchParameters) -> SearchRequest:
    """Raises InvalidInput where parameters contradict each other or the cursor is not one of ours."""
    if given.relation is not None and given.bbox is None and given.place is None:
        raise InvalidInput("relation", "relation: says how a record lies to an area; name the area by bbox or place")
    if given.bbox is not None and given.place is not None:
        raise InvalidInput("place", "place: the area is already named by bbox; give one of the two")
    filters = Filters(
        area=read_bbox(given.bbox) if given.bbox else None,
        relation=given.relation,
        span=read_datetime(given.datetime) if given.datetime else None,
        types=tuple(given.type),
        sources=tuple(given.source),
        keywords=tuple(given.keyword),
        organisations=tuple(given.organisation),
        themes=tuple(given.theme),
        licences=tuple(given.licence),
        provenance=tuple(given.provenance),
        media_types=tuple(given.media_type),
        formats=tuple(given.format),
        expression=(clause_of(parse(given.filter, given.filter_lang)),) if given.filter else (),
    )
    return SearchRequest(
        q=given.q,
        algorithm="dense" if given.algorithm == "sbert" else given.algorithm,
        filters=filters,
        place=given.place,
        interpret=_parts(given.interpret),
        spatial=given.spatial,
        temporal=given.temporal == "on",
        rerank=given.rerank,
        explain=given.explain,
        highlight=given.highlight,
        expand=given.expand == "on",
        group=given.group,
        diversity=given.diversity == "on",
        facets=tuple(given.facets),
        limit=given.limit,
        offset=_offset(given),
    )


def cursor_for(given: SearchParameters, offset: int) -> str:
    """An opaque position in the answer to just this question."""
    text = json.dumps({"o": offset, "q": _fingerprint(given)}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _offset(given: SearchParameters) -> int:
    if given.cursor is None:
        return 0
    try:
        padded = given.cursor + "=" * (-len(given.cursor) % 4)
        inside: Mapping[str, Any] = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        offset, question = int(inside["o"]), inside["q"]
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise InvalidInput("cursor", "cursor: is not one that this service gave out") from None
    if question != _fingerprint(given) or offset < 0:
        raise InvalidInput("cursor", "cursor: belongs to another question; start again without it")
    return offset


def _fingerprint(given: SearchParameters) -> str:
    """Of everything that decides the order; how much is shown of it may change from page to page."""
    asked = given.model_dump(mode="json", exclude={"cursor", "limit", "explain", "highlight", "facets", "f"})
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:12]
