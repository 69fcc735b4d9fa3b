"""Reads the names of places from the titles of all public records after a harvest that changed some."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from itertools import islice

import structlog

from core.errors import SondeError
from core.geo import BBox
from core.json_types import Json
from core.timespan import now_iso
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.codecs.title_places import DOCUMENT, to_document
from es_mappings.names import alias
from indexer.store.ledger import scan
from reading.title_names import TitledBox, title_places

log = structlog.get_logger(__name__)

MOST_RECORDS = 200_000
_FIELDS = ("title", "abstract", "boxes")
_PUBLIC: Json = {"bool": {"must_not": {"exists": {"field": "access_groups"}}}}


def refresh_title_places(client: Elasticsearch, prefix: str) -> int:
    """Replaces the stored places and returns their number. Raises the errors of the gateway."""
    client.indices.refresh(index=alias(prefix, "records"))
    places = title_places(read_titles(client, prefix))
    document = to_document(places, uuid.uuid4().hex, now_iso())
    client.index(index=alias(prefix, "vocabulary"), id=DOCUMENT, document=document, require_alias=True)
    return len(places)


def try_refresh(client: Elasticsearch, prefix: str) -> None:
    """The same, but only logs a failure: the records are written, and the next harvest tries again."""
    try:
        log.info("title_places.stored", places=refresh_title_places(client, prefix))
    except (ElasticsearchError, SondeError) as error:
        log.warning("title_places.failed", error=type(error).__name__)


def read_titles(client: Elasticsearch, prefix: str) -> Iterator[TitledBox]:
    """Of the first ``MOST_RECORDS``; a name of a restricted record's title would show that it exists."""
    for hit in islice(scan(client, alias(prefix, "records"), _PUBLIC, _FIELDS), MOST_RECORDS):
        source = hit["_source"]
        title, abstract = source.get("title") or "", source.get("abstract") or ""
        boxes = [BBox(*map(float, box.split(","))) for box in source.get("boxes", ())]
        yield TitledBox(title, f"{title}. {abstract}", boxes)
