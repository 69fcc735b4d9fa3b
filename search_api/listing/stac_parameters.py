"""Parses the parameters of STAC's item search, by GET and by POST, into a ``ListRequest``."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from core.extent import BBox
from core.json_types import Json
from search_api.filtering import literals
from search_api.formats_out.rfc3339 import EXPRESSIBLE
from search_api.formats_out.stac import ASSET_RELS
from search_api.listing.order import kinds_of
from search_api.listing.parameters import LARGEST_PAGE, Limit
from search_api.listing.position import read_position
from search_api.listing.request import Clause, ListRequest, Selection
from search_api.parameter_types import (
    Cursor,
    FlatBoxParameter,
    Ids,
    MomentText,
    Parameters,
    Text,
    Tokens,
    read_datetime,
    read_flat_bbox,
)
from search_api.retrieval.filters import span_clause

Numbers = Annotated[list[float], Field(min_length=4, max_length=6)]

WITH_ASSETS: tuple[Clause, ...] = ({"terms": {"links.rel": list(ASSET_RELS)}}, span_clause(EXPRESSIBLE))
"""A STAC item is a record with a download and a time that STAC can express."""


class StacQuery(Parameters):
    """Item search by GET."""

    collections: Tokens = Field(default=[], description="Ids of collections.")
    ids: Ids = Field(default=[], description="Ids of items.")
    bbox: FlatBoxParameter | None = Field(None, description="west,south,east,north or six numbers.")
    datetime: MomentText | None = Field(None, description="An instant (RFC 3339) or `start/end`; `..`: open end.")
    intersects: str | None = Field(None, max_length=20_000, description="A GeoJSON geometry.")
    limit: Limit = 10
    token: Cursor | None = Field(None, description="From the `next` link.")

    @field_validator("intersects")
    @classmethod
    def _intersects_is_json(cls, text: str | None) -> str | None:
        try:
            if text is not None:
                json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("is not a GeoJSON geometry") from None
        return text


class StacBody(BaseModel):
    """Item search by POST."""

    model_config = ConfigDict(extra="forbid")

    collections: list[Text] = []
    ids: list[Text] = []
    bbox: Numbers | None = None
    datetime: Text | None = None
    intersects: Json | None = None
    limit: Limit = 10
    token: str | None = Field(None, max_length=2000)

    @model_validator(mode="after")
    def _one_area(self) -> StacBody:
        self.as_query()
        return self

    def as_query(self) -> StacQuery:
        """The same as GET parameters. Raises ValueError for an invalid value."""
        asked = self.model_dump(exclude_none=True)
        if self.bbox is not None:
            asked["bbox"] = ",".join(str(edge) for edge in self.bbox)
        if self.intersects is not None:
            asked["intersects"] = json.dumps(self.intersects)
        return StacQuery.model_validate(asked)


def to_stac_request(given: StacQuery, collection: str | None = None) -> ListRequest:
    """Raises InvalidInput for an invalid geometry or token."""
    asked = [collection] if collection is not None else given.collections
    only: tuple[Clause, ...] = ({"terms": {"source": asked}},) if asked else ()
    selection = Selection(
        area=_area(given),
        span=read_datetime(given.datetime) if given.datetime else None,
        ids=tuple(given.ids),
        also=(*WITH_ASSETS, *only, *_shape(given)),
    )
    after = None
    if given.token is not None:
        after = read_position(given.token, stac_question(given, collection), kinds_of(()), "token")
    return ListRequest(selection, (), min(given.limit, LARGEST_PAGE), after)


def stac_question(given: StacQuery, collection: str | None) -> str:
    """Everything that decides the items."""
    return json.dumps([collection, given.model_dump(mode="json", exclude={"token", "limit"})], sort_keys=True)


def _area(given: StacQuery) -> BBox | None:
    return read_flat_bbox(given.bbox) if given.bbox else None


def _shape(given: StacQuery) -> tuple[Clause, ...]:
    if given.intersects is None:
        return ()
    shape = literals.geometry_of(json.loads(given.intersects), "intersects")
    return ({"geo_shape": {"extent": {"shape": shape, "relation": "intersects"}}},)
