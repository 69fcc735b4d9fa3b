"""Names that go on as typed, whatever the separators: products, platforms, instruments and projects of the index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from core.json_types import Json, JsonMapping
from core.names import name_key

NameKind = Literal["short_name", "platform", "instrument", "project"]

_LEAST = 2  # letters and digits
_LONGEST = 60
_BETWEEN = "[^a-z0-9]*"


@dataclass(frozen=True, slots=True)
class NameFound:
    """A name (folded), what it is of, and how many records have it."""

    name: str
    kind: NameKind
    count: int


def names_body(typed: str, limit: int) -> Json:
    """``mod11 l2`` goes on as ``mod11_l2``, so the typed letters may have any separators between them."""
    key = name_key(typed)
    if not _LEAST <= len(key) <= _LONGEST or not key.isascii():
        return {"size": 0, "track_total_hits": False, "query": {"match_none": {}}}
    goes_on = f"{_BETWEEN}{_BETWEEN.join(key)}.*"
    return {
        "size": 0,
        "track_total_hits": False,
        "query": {"bool": {"filter": [{"prefix": {"names.keys": key}}]}},
        "aggs": {
            kind: {"terms": {"field": f"names.{kind}s", "size": limit, "include": goes_on}}
            for kind in get_args(NameKind)
        },
    }


def names_in(answer: JsonMapping, limit: int) -> list[NameFound]:
    """Those of products first, then the more frequent."""
    found = [
        NameFound(str(bucket["key"]), kind, bucket["doc_count"])
        for kind in get_args(NameKind)
        for bucket in answer.get("aggregations", {}).get(kind, {"buckets": ()})["buckets"]
    ]
    ordered = sorted(found, key=lambda one: (one.kind != "short_name", -one.count, one.name))
    return list({one.name: one for one in reversed(ordered)}.values())[::-1][:limit]
