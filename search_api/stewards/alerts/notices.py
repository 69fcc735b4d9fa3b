"""Matches and their deliveries in the index ``{prefix}-notices``: an outbox that survives a crash.

A round of matching writes notices; their ids are made of search, window and channel, so writing them again changes
nothing. A delivery collects notices; its id is made of theirs. It marks them before it may be sent. So no notice is
lost or is part of two deliveries. A crash after the receiver accepted a delivery and before this is stored sends it
once more, under the same id, by which the receiver can drop it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from core.errors import Unavailable
from core.json_types import Json, JsonMapping
from es_gateway.client import Elasticsearch
from es_gateway.errors import VersionConflict
from es_gateway.searching import stored_document
from es_mappings.indices import ensure_without_vectors
from es_mappings.names import alias
from search_api.stewards.alerts.saved import Channel, hash_of_parts

State = Literal["new", "pending", "sent", "failed", "dropped"]
"""``new``: not all of its notices are marked yet. ``dropped``: nothing in it may be sent any more."""

RETENTION_DAYS = 60
MOST_RECORDS_OF_NOTICE = 50
"""Records in one notice; more are only counted."""
_PAGE = 2_000
_CLAIM_TIME = timedelta(minutes=10)
_PAUSES = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
_CONFLICT = 409
_OF_NOTICE = ("search", "owner", "channel", "target", "until", "due")
_OF_DELIVERY = ("channel", "target", "owner", "state", "due", "attempts")
"""Members that the index holds as they are."""


@dataclass(frozen=True, slots=True)
class RecordFound:
    """``new``: first seen in the window; else it changed."""

    id: str
    new: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """Matches of one search in one window, for one channel or its ``feed``. ``total``: number of matches, of which
    ``records`` are the first 50. ``due``: when it may be sent. Times are ISO 8601 in UTC.
    """

    search: str
    owner: str
    channel: Channel | Literal["feed"]
    target: str
    since: str
    until: str
    due: str
    records: tuple[RecordFound, ...]
    total: int

    @property
    def id(self) -> str:
        return f"{self.search}:{self.until}:{self.channel}"


@dataclass(frozen=True, slots=True)
class Delivery:
    """``notices``: ids; empty for the confirmation of an address. ``attempts``: number of attempts begun."""

    id: str
    channel: Channel
    target: str
    owner: str
    notices: tuple[str, ...]
    state: State
    due: str
    attempts: int = 0
    version: tuple[int, int] = (0, 0)

    @property
    def is_confirmation(self) -> bool:
        return not self.notices


@dataclass(frozen=True, slots=True)
class MatchingRound:
    """The matching of one window. ``after``: its position; ``found``: notices so far."""

    since: str
    until: str
    after: tuple[str, str] | None = None
    done: bool = False
    searches: int = 0
    found: int = 0
    took_s: float = 0.0


class NoticeStore:
    """Raises the errors of the gateway."""

    def __init__(self, client: Elasticsearch, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._index = alias(prefix, "notices")

    def round(self) -> MatchingRound | None:
        """The last round, in real time; None before the first."""
        stored_round = stored_document(self._client, self._index, "round")
        if stored_round is None:
            return None
        source = stored_round["_source"]
        content = source["content"]
        after = None if content.get("after") is None else (content["after"][0], content["after"][1])
        numbers = content["searches"], content["found"], content["took_s"]
        return MatchingRound(source["from"], source["until"], after, content["done"], *numbers)

    def put_round(self, state: MatchingRound) -> None:
        """After the notices of the searches up to ``after``."""
        self._ready()
        content = {
            "after": None if state.after is None else list(state.after),
            "done": state.done,
            "searches": state.searches,
            "found": state.found,
            "took_s": round(state.took_s, 1),
        }
        document = {"kind": "round", "from": state.since, "until": state.until, "content": content}
        self._client.index(index=self._index, id="round", document=document, require_alias=True)

    def write(self, notices: Sequence[Notice]) -> None:
        """Existing notices stay unchanged. Raises Unavailable if some could not be written."""
        if not notices:
            return
        self._ready()
        lines = [line for notice in notices for line in ({"create": {"_id": notice.id}}, _document(notice))]
        self._bulk(lines)

    def of_search(self, search: str, size: int) -> list[Notice]:
        """Notices of a search, newest first."""
        query = {
            "bool": {"filter": [_kind_clause("notice"), {"term": {"search": search}}, {"term": {"channel": "feed"}}]}
        }
        return [_notice(hit["_source"]) for hit in self._search(query, [{"until": "desc"}], size)]

    def find_many(self, ids: Sequence[str]) -> list[Notice]:
        """Those that exist, in real time and in this order."""
        answer = self._client.options(ignore_status=404).mget(index=self._index, ids=list(ids)).body
        return [_notice(item["_source"]) for item in answer.get("docs", ()) if item.get("found")]

    def delete_of(self, search: str) -> None:
        self._delete({"bool": {"filter": [_kind_clause("notice"), {"term": {"search": search}}]}})

    def ask_confirmation(self, owner: str, mail: str, now: datetime, number: int) -> None:
        """Creates a delivery that asks the receiver to confirm the address."""
        id = hash_of_parts("confirm", owner, mail, str(number))
        self._ready()
        self._create([Delivery(id, "mail", mail, owner, (), "pending", now.isoformat())], now)

    def counts(self) -> list[Json]:
        """The number of deliveries by channel and state."""
        by_state = {"terms": {"field": "state"}}
        aggs = {"channels": {"terms": {"field": "channel"}, "aggs": {"states": by_state}}}
        query = {"bool": {"filter": [_kind_clause("delivery")]}}
        answer = self._client.search(index=self._index, query=query, aggs=aggs, size=0, ignore_unavailable=True)
        return [
            {"channel": channel["key"], "state": state["key"], "count": state["doc_count"]}
            for channel in answer.body.get("aggregations", {}).get("channels", {}).get("buckets", [])
            for state in channel["states"]["buckets"]
        ]

    def collect(self, now: datetime) -> int:
        """Makes deliveries of the notices that are due, one for each owner and address; returns their number.

        One process at a time.
        """
        # Left by a cut between deliveries and their marks.
        self._mark(self._deliveries([{"term": {"state": "new"}}], _PAGE), now)
        count = 0
        while True:
            hits = self._not_collected_clauses(now)
            deliveries = [
                Delivery(
                    hash_of_parts(*sorted(ids)), channel, target, owner, tuple(sorted(ids)), "new", now.isoformat()
                )
                for (owner, channel, target, _), ids in _group(hits).items()
            ]
            self._create(deliveries, now)
            self._mark(deliveries, now)
            count += len(deliveries)
            if len(hits) < _PAGE:
                return count

    def due(self, now: datetime, size: int) -> list[Delivery]:
        """Those to be sent now, oldest first."""
        filters: list[Json] = [{"term": {"state": "pending"}}, {"range": {"due": {"lte": now.isoformat()}}}]
        return self._deliveries(filters, size)

    def claim(self, delivery: Delivery, now: datetime) -> bool:
        """Stores an attempt before it is made; False if another process did so first."""
        doc = {"attempts": delivery.attempts + 1, "due": (now + _CLAIM_TIME).isoformat()}
        seq_no, primary_term = delivery.version
        try:
            self._client.update(
                index=self._index, id=delivery.id, doc=doc, if_seq_no=seq_no, if_primary_term=primary_term
            )
        except VersionConflict:
            return False
        return True

    def finish(self, delivery: Delivery, state: State, problem: str | None, now: datetime) -> None:
        doc: Json = {"state": state, "at": now.isoformat(), "problem": problem or ""}
        self._client.update(index=self._index, id=delivery.id, doc=doc)

    def retry(self, delivery: Delivery, problem: str, now: datetime) -> bool:
        """Plans another attempt; False after the last one: the delivery has failed."""
        if delivery.attempts >= len(_PAUSES):
            self.finish(delivery, "failed", problem, now)
            return False
        doc = {"due": (now + _PAUSES[delivery.attempts]).isoformat(), "problem": problem}
        self._client.update(index=self._index, id=delivery.id, doc=doc)
        return True

    def refresh(self) -> None:
        """Makes claims and results visible to ``due``."""
        self._client.indices.refresh(index=self._index, ignore_unavailable=True)

    def expire(self, now: datetime) -> None:
        """Deletes notices and deliveries older than 60 days, unless they wait to be sent."""
        oldest = (now - timedelta(days=RETENTION_DAYS)).isoformat()
        old: list[Json] = [{"range": {"due": {"lt": oldest}}}]
        self._delete({"bool": {"filter": old, "must_not": [{"terms": {"state": ["new", "pending"]}}]}})

    def _not_collected_clauses(self, now: datetime) -> list[Json]:
        filters: list[Json] = [_kind_clause("notice"), {"range": {"due": {"lte": now.isoformat()}}}]
        no_delivery: list[Json] = [{"exists": {"field": "delivery"}}, {"term": {"channel": "feed"}}]
        return self._search({"bool": {"filter": filters, "must_not": no_delivery}}, [{"owner": "asc"}], _PAGE)

    def _create(self, deliveries: Sequence[Delivery], now: datetime) -> None:
        lines: list[Json] = []
        for delivery in deliveries:
            document = {
                **{name: getattr(delivery, name) for name in _OF_DELIVERY},
                "kind": "delivery",
                "at": now.isoformat(),
                "content": {"notices": list(delivery.notices)},
            }
            lines += [{"create": {"_id": delivery.id}}, document]
        self._bulk(lines)

    def _mark(self, deliveries: Sequence[Delivery], now: datetime) -> None:
        """Each delivery may be sent once its notices are marked."""
        lines: list[Json] = []
        for delivery in deliveries:
            for id in delivery.notices:
                lines += [{"update": {"_id": id}}, {"doc": {"delivery": delivery.id}}]
            lines += [{"update": {"_id": delivery.id}}, {"doc": {"state": "pending", "due": now.isoformat()}}]
        self._bulk(lines, allowed=(404,))  # its search was deleted meanwhile

    def _deliveries(self, filters: Sequence[Json], size: int) -> list[Delivery]:
        query = {"bool": {"filter": [_kind_clause("delivery"), *filters]}}
        return [_delivery(hit) for hit in self._search(query, [{"due": "asc"}], size)]

    def _bulk(self, lines: Sequence[Json], allowed: Iterable[int] = ()) -> None:
        if not lines:
            return
        answer = self._client.bulk(index=self._index, operations=lines, refresh=True, require_alias=True).body
        accepted_statuses = {_CONFLICT, *allowed}
        results = [next(iter(item.values())) for item in answer["items"]]
        failures = [
            result for result in results if result["status"] >= 400 and result["status"] not in accepted_statuses
        ]
        if failures:
            raise Unavailable(
                f"Elasticsearch refused {len(failures)} notices: {failures[0].get('error', {}).get('type')}."
            )

    def _delete(self, query: Json) -> None:
        self._client.delete_by_query(
            index=self._index, query=query, conflicts="proceed", refresh=True, ignore_unavailable=True
        )

    def _ready(self) -> None:
        ensure_without_vectors(self._client, self._prefix, ("notices",))

    def _search(self, query: Json, sort: list[Json], size: int) -> list[Json]:
        answer = self._client.search(
            index=self._index, query=query, sort=sort, size=size, seq_no_primary_term=True, ignore_unavailable=True
        )
        return list(answer.body["hits"]["hits"])


def _group(hits: Sequence[Json]) -> Mapping[tuple[str, Channel, str, str], list[str]]:
    """Ids of notices by owner, channel and target; a mail holds all searches of an address, a webhook event one.

    ``hits``: sorted by owner. The last owner of a full page may have more, and is left for the next page.
    """
    last = hits[-1]["_source"]["owner"] if len(hits) == _PAGE else None
    if last == (hits[0]["_source"]["owner"] if hits else None):
        last = None
    groups: defaultdict[tuple[str, Channel, str, str], list[str]] = defaultdict(list)
    for hit in hits:
        source = hit["_source"]
        if source["owner"] != last:
            separate_search = source["search"] if source["channel"] == "webhook" else ""
            groups[source["owner"], source["channel"], source["target"], separate_search].append(hit["_id"])
    return groups


def _kind_clause(kind: str) -> Json:
    return {"term": {"kind": kind}}


def _document(notice: Notice) -> Json:
    return {
        **{name: getattr(notice, name) for name in _OF_NOTICE},
        "kind": "notice",
        "from": notice.since,
        "content": {"records": [[record.id, record.new] for record in notice.records], "total": notice.total},
    }


def _notice(source: JsonMapping) -> Notice:
    records = tuple(RecordFound(id, new) for id, new in source["content"]["records"])
    members: Json = {name: source[name] for name in _OF_NOTICE}
    return Notice(**members, since=source["from"], records=records, total=source["content"]["total"])


def _delivery(hit: JsonMapping) -> Delivery:
    source = hit["_source"]
    members: Json = {name: source[name] for name in _OF_DELIVERY}
    version = (hit["_seq_no"], hit["_primary_term"])
    return Delivery(hit["_id"], notices=tuple(source["content"]["notices"]), version=version, **members)
