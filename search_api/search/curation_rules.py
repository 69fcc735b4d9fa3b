"""A steward's rule, and its index."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, ClassVar, Literal, Self, cast, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from core.errors import NotFound, Unavailable
from core.geo import BBox, Place
from core.json_types import Json, JsonMapping
from core.record import Overlay, overlay_from_content
from es_gateway.client import Elasticsearch
from es_gateway.searching import stored_document
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from reading.gazetteer import name_key
from reading.vocabulary import term_key
from search_api.http.parameters import printable

RuleKind = Literal["pins", "blocks", "boosts", "synonyms", "places", "overlays"]
RULE_KINDS: tuple[RuleKind, ...] = get_args(RuleKind)
DRAFT_KINDS: tuple[RuleKind, ...] = ("pins", "blocks", "boosts", "synonyms", "places")
"""The kinds that a draft can hold. A draft here is a named set of rules that a steward tries in searches before they
are published. An overlay changes the record itself, so no search can try it.
"""

LARGEST_BOOST = 0.3
"""A share of the best score; about the penalty of a record outside the place of the question."""


def _require_word(text: str) -> str:
    if not term_key(text):
        raise ValueError("holds no word")
    return text


Line = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(printable)]
Words = Annotated[Line, AfterValidator(_require_word)]
RecordId = Annotated[
    str, Field(min_length=3, max_length=450, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*:[A-Za-z0-9._:~-]+$")
]
SourceId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
RuleId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:~-]{0,449}$")]


class CurationRule(BaseModel):
    """``valid_from`` and ``valid_until``: the days on which it counts, both inclusive."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    kind: ClassVar[RuleKind]

    id: RuleId | None = Field(None, description="Default: Sonde makes one.")
    reason: Line | None = Field(None, description="Why; the explanation of a hit says it.")
    valid_from: date | None = None
    valid_until: date | None = None

    @model_validator(mode="after")
    def _check_order(self) -> Self:
        if self.valid_from and self.valid_until and self.valid_from > self.valid_until:
            raise ValueError("valid_from is after valid_until")
        return self

    def holds_on(self, day: date) -> bool:
        return (self.valid_from or day) <= day <= (self.valid_until or day)


class PinRule(CurationRule):
    """For these words, this record first."""

    model_config = ConfigDict(title="Pin")
    kind = "pins"
    words: Words
    record: RecordId
    match: Literal["whole", "part"] = Field("whole", description="Whether the words are the question, or in it.")
    order: int = Field(1, ge=1, le=100, description="Among several pins of a question; 1 is the first.")


class BlockRule(CurationRule):
    """This record, or every record of this source, is not a hit: of questions with these words, or of any."""

    model_config = ConfigDict(title="Block")
    kind = "blocks"
    record: RecordId | None = None
    source: SourceId | None = Field(None, description="Instead of a record: all of its records.")
    words: Words | None = Field(None, description="Default: of every question.")
    match: Literal["whole", "part"] = "part"

    @model_validator(mode="after")
    def _check_target(self) -> Self:
        if (self.record is None) == (self.source is None):
            raise ValueError("a block needs a record or a source, and not both")
        return self


class BoostRule(CurationRule):
    """Hits of this source count more, or less: of questions with these words, or of any."""

    model_config = ConfigDict(title="Boost")
    kind = "boosts"
    source: SourceId
    boost: float = Field(ge=-LARGEST_BOOST, le=LARGEST_BOOST, description="Added to a score of about 0 to 1.")
    words: Words | None = Field(None, description="Default: of every question.")
    match: Literal["whole", "part"] = "part"


class SynonymRule(CurationRule):
    """Words and acronyms that mean the same."""

    model_config = ConfigDict(title="Synonyms")
    kind = "synonyms"
    words: Annotated[tuple[Words, ...], Field(min_length=2, max_length=20)]
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] | None = Field(None, description="ISO 639-1.")

    @model_validator(mode="after")
    def _check_difference(self) -> Self:
        if len({term_key(words) for words in self.words}) < 2:
            raise ValueError("words: are the same, but for case, accents and plurals")
        return self


class PlaceRule(CurationRule):
    """A place that the gazetteer does not know, or another box of one that it knows.

    With ``no_place`` instead of a box, the place that the catalogue's titles gave that name is removed.
    """

    model_config = ConfigDict(title="OwnPlace")
    kind = "places"
    name: Words
    other_names: Annotated[tuple[Words, ...], Field(max_length=50)] = ()
    bbox: Annotated[tuple[float, ...], Field(min_length=4, max_length=4)] | None = Field(
        None,
        description="West, south, east, north in degrees; west > east crosses the antimeridian.",
    )
    no_place: bool = Field(
        False, description="Instead of a box: the place that Sonde read from the catalogue's titles is removed."
    )
    country: Annotated[str, Field(pattern=r"^[A-Z]{2}$")] | None = Field(None, description="ISO 3166-1 alpha-2.")

    @model_validator(mode="after")
    def _check_bbox(self) -> Self:
        if (self.bbox is None) != self.no_place:
            raise ValueError("needs either a bbox or no_place")
        if self.bbox is not None:
            BBox(*self.bbox)
        return self

    @property
    def place(self) -> Place | None:
        if self.bbox is None:
            return None
        return Place(self.name, "named_region", BBox(*self.bbox), self.country, 1.0, source="curation")

    @property
    def keys(self) -> frozenset[str]:
        """As the gazetteer writes its names."""
        return frozenset(name_key(name) for name in (self.name, *self.other_names))


class OverlayRule(CurationRule):
    """Metadata of one record that replace those of its source at every harvest."""

    kind = "overlays"
    record: RecordId
    title: Line | None = None
    keywords: Annotated[tuple[Line, ...], Field(max_length=200)] | None = Field(
        None, description="Added to those of the source."
    )
    bbox: Annotated[tuple[float, ...], Field(min_length=4, max_length=4)] | None = Field(
        None, description="West, south, east, north in degrees."
    )
    start: str | None = Field(None, max_length=40, description="ISO 8601.")
    end: str | None = Field(None, max_length=40, description="ISO 8601.")

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        if not self.overlay.fields:
            raise ValueError("an overlay needs a title, keywords, bbox, start or end")
        if self.valid_from or self.valid_until:
            raise ValueError("an overlay counts until it is removed; leave valid_from and valid_until out")
        if self.id not in (None, self.record):
            raise ValueError("the id of an overlay is its record")
        return self

    @property
    def overlay(self) -> Overlay:
        """Raises ValueError for a box or period that does not exist."""
        return overlay_from_content(self.model_dump())


RULES: dict[RuleKind, type[CurationRule]] = {
    "pins": PinRule,
    "blocks": BlockRule,
    "boosts": BoostRule,
    "synonyms": SynonymRule,
    "places": PlaceRule,
    "overlays": OverlayRule,
}


RuleAction = Literal["added", "changed", "removed", "published", "undone"]


@dataclass(frozen=True, slots=True)
class RuleKey:
    """``draft`` empty: the rule is live."""

    kind: RuleKind
    id: str
    draft: str = ""

    @property
    def document(self) -> str:
        """Its id in the index. Neither drafts nor ids contain a slash."""
        return f"{self.kind}/{self.draft}/{self.id}"

    def live(self) -> RuleKey:
        return RuleKey(self.kind, self.id)


@dataclass(frozen=True, slots=True)
class StoredRule:
    """A rule as stored. ``content`` None: the draft removes the live rule. ``at``: ISO 8601."""

    key: RuleKey
    content: Json | None
    by: str
    at: str

    @property
    def rule(self) -> CurationRule | None:
        """Raises pydantic's ValidationError for content of another version."""
        return None if self.content is None else RULES[self.key.kind].model_validate(self.content)


@dataclass(frozen=True, slots=True)
class RuleChange:
    """An entry of the history. ``before`` and ``after``: the rule as JSON, None if there is none."""

    key: RuleKey
    action: RuleAction
    before: Json | None
    after: Json | None
    by: str
    at: str
    id: str = field(default_factory=lambda: uuid.uuid4().hex)


MOST_RULES = 10_000
_MARK = "mark"
_CHANGE = "change"
_BY_RULE: list[Json] = [{"kind": "asc"}, {"rule": "asc"}]
_NEWEST: list[Json] = [{"at": "desc"}, {"rule": "asc"}]

Mark = tuple[int, int] | None
"""Changes with every write; None before the first one."""


class CurationStore:
    """Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "curation")

    def mark(self) -> Mark:
        """In real time, by one small request."""
        answer: Json = self._client.options(ignore_status=404).get(index=self._index, id=_MARK, source=False).body
        return (answer["_seq_no"], answer["_primary_term"]) if answer.get("found") else None

    def rules(self, *, kind: RuleKind | None = None, draft: str | None = None) -> list[StoredRule]:
        """By kind and id; at most 10,000. ``draft`` empty: the live ones; None: all."""
        filters: list[Json] = [{"exists": {"field": "rule"}}]
        if kind is not None:
            filters.append({"term": {"kind": kind}})
        if draft is not None:
            filters.append({"term": {"draft": draft}})
        query = {"bool": {"filter": filters, "must_not": [{"term": {"kind": _CHANGE}}]}}
        return [_stored_rule(hit["_source"]) for hit in self._search(query, _BY_RULE, MOST_RULES)]

    def find(self, keys: Sequence[RuleKey]) -> dict[RuleKey, StoredRule]:
        """Those that exist, in real time."""
        if not keys:
            return {}
        ids = [key.document for key in keys]
        answer = self._client.options(ignore_status=404).mget(index=self._index, ids=ids).body
        rules = [_stored_rule(item["_source"]) for item in answer.get("docs", ()) if item.get("found")]
        return {item.key: item for item in rules}

    def write(self, changes: Sequence[RuleChange]) -> None:
        """All of them with their history; visible when this returns. Creates the index if necessary."""
        if not changes:
            return
        ensure_without_vectors(self._client, self._prefix, ("curation",))
        lines = [line for change in changes for line in _operations(change)]
        lines += [{"index": {"_id": _MARK}}, {"kind": _MARK, "at": changes[-1].at}]
        answer = self._client.bulk(index=self._index, operations=lines, refresh=True, require_alias=True).body
        if answer["errors"]:
            raise Unavailable(
                "Elasticsearch did not store all of the changes; /curation/history lists those that it stored."
            )

    def history(self, *, kind: RuleKind | None = None, rule: str | None = None, size: int = 50) -> list[RuleChange]:
        """Newest first."""
        filters: list[Json] = [{"term": {"kind": _CHANGE}}]
        if rule is not None or kind is not None:
            filters.append({"prefix": {"rule": f"{kind}/"}} if rule is None else {"term": {"rule": f"{kind}/{rule}"}})
        hits = self._search({"bool": {"filter": filters}}, _NEWEST, size)
        return [_change(hit["_id"], hit["_source"]) for hit in hits]

    def change(self, id: str) -> RuleChange:
        """Raises NotFound."""
        stored = stored_document(self._client, self._index, id)
        if stored is None or stored["_source"]["kind"] != _CHANGE:
            raise NotFound(f"There is no change {id!r} in the history.")
        return _change(id, stored["_source"])

    def _search(self, query: Json, sort: list[Json], size: int) -> Iterable[Json]:
        answer = self._client.search(index=self._index, query=query, sort=sort, size=size, ignore_unavailable=True)
        return cast("Iterable[Json]", answer.body["hits"]["hits"])


def _operations(change: RuleChange) -> Iterator[Json]:
    key = change.key
    if change.after is None and (change.action in ("published", "undone") or not key.draft):
        yield {"delete": {"_id": key.document}}
    else:
        yield {"index": {"_id": key.document}}
        document = {"kind": key.kind, "rule": key.id, "draft": key.draft, "by": change.by, "at": change.at}
        yield document | (
            {} if change.after is None else {"record": change.after.get("record"), "content": change.after}
        )
    yield {"create": {"_id": change.id}}
    yield {
        "kind": _CHANGE,
        "rule": f"{key.kind}/{key.id}",
        "draft": key.draft,
        "action": change.action,
        "by": change.by,
        "at": change.at,
        "content": {"before": change.before, "after": change.after},
    }


def _stored_rule(source: JsonMapping) -> StoredRule:
    key = RuleKey(source["kind"], source["rule"], source.get("draft", ""))
    return StoredRule(key, source.get("content"), source["by"], source["at"])


def _change(id: str, source: JsonMapping) -> RuleChange:
    kind, _, rule = str(source["rule"]).partition("/")
    key = RuleKey(cast(RuleKind, kind), rule, source.get("draft", ""))
    content, action = source["content"], cast(RuleAction, source["action"])
    return RuleChange(key, action, content["before"], content["after"], source["by"], source["at"], id)
