"""The addresses of STAC's collections and items, and which catalogues are collections."""

from __future__ import annotations

from pydantic import BaseModel, Field

from core.errors import NotFound
from search_api.catalogue.listing.catalogues import ALL, Catalogue
from search_api.catalogue.listing.reader import LONGEST_ID
from search_api.parts import Parts


class StacCollectionPath(BaseModel):
    """A collection: a harvested source."""

    collection: str = Field(max_length=200)


class StacItemPath(StacCollectionPath):
    """An item of a collection."""

    item: str = Field(max_length=LONGEST_ID)


def collections_of(parts: Parts) -> list[Catalogue]:
    """One per source."""
    return [one for one in parts.catalogues.list() if one.id != ALL]


def collection_named(parts: Parts, collection: str) -> Catalogue:
    """Raises NotFound."""
    if collection == ALL:
        raise NotFound("STAC has one collection for each source; use /stac/search to search them all.")
    return parts.catalogues.get(collection)
