"""Tools that find records: ``search``, ``get_record``, ``find_similar``."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from pydantic import Field

from core.json_types import Json
from search_api.protocols.mcp import records
from search_api.protocols.mcp.api import Api
from search_api.protocols.mcp.asking import (
    Asked,
    Box,
    KindOf,
    Limit,
    Period,
    Place,
    Query,
    RecordId,
    Source,
    api_of,
    joined,
    kind_filters,
)
from search_api.protocols.mcp.budget import written
from search_api.protocols.mcp.catalogue_text import marked
from search_api.protocols.mcp.catalogues import refuse_unknown

_SUMMARY_CHARACTERS = 1600
Cursor = Annotated[str | None, Field(max_length=2000, description="`next_cursor` of the page before, else nothing.")]


def search(
    asked: Asked,
    query: Query = "",
    place: Place = None,
    bbox: Box = None,
    period: Period = None,
    kind: KindOf = None,
    source: Source = None,
    limit: Limit = 5,
    cursor: Cursor = None,
) -> str:
    """Find data sets and other records, best first, each with the reasons of its rank.

    The question may itself name place and time ("rainfall in southern Africa since 1990"): they then rank the hits.
    The other parameters filter: records without a place, period or kind drop out. Start without them.
    An answer with `nothing` means that these catalogues hold nothing about the question; say so to the user.
    """
    api = api_of(asked)
    filters = records.stated({"place": place, "bbox": joined(bbox), "period": period, "kind": kind, "source": source})
    where = {"place": place, "bbox": joined(bbox), "datetime": period, "source": source}
    given = {"q": query, **where, **kind_filters(kind), "limit": limit, "cursor": cursor, "explain": "true"}
    answer = api.get("/search", given)
    longest, reasons = min(240, _SUMMARY_CHARACTERS // limit), 2 if limit <= 10 else 1
    hits = [{**records.brief(one, longest), "why": records.why(one, reasons)} for one in answer["features"]]
    return written(marked({**_summary(answer), **_nothing(api, query, filters, answer)}, hits))


def get_record(asked: Asked, id: RecordId) -> str:
    """Everything important that one record says: abstract, period, place, resolution, keywords, makers, licence."""
    feature = api_of(asked).record(id)
    return written(marked({"page": records.page_of(feature)}, records.full(feature)))


def find_similar(asked: Asked, id: RecordId, limit: Limit = 5) -> str:
    """Records like one that you already have, most similar first."""
    found = api_of(asked).record(id, "/similar", {"limit": limit})["features"]
    hits = [{**records.brief(one, 120), "similarity": records.rounded(one.get("sonde:similarity"))} for one in found]
    return written(marked({} if hits else {"nothing": "No other record is like this one."}, hits))


def _summary(answer: Json) -> Json:
    return {
        "matches": answer["sonde:total"],
        "understood": _understood(answer["sonde:interpretation"]),
        "corrected_from": answer.get("sonde:correctedFrom"),
        "did_you_mean": answer.get("sonde:didYouMean"),
        "no_record_has_the_words": answer.get("sonde:unknownWords"),
        "without": answer["sonde:degraded"],
        "next_cursor": _cursor(answer),
    }


def _understood(read: Json) -> Json:
    """How the question was read, so that the agent can say it otherwise. Only what was found."""
    return records.stated(
        {
            "topic": read["thematic"],
            "places": [one["name"] for one in read["places"]],
            "period": read["datetime"],
            "kind": [one["kind"] for one in read["kinds"]],
            "names": [f"{one['text']} ({one['count']} records)" for one in read["names"]],
            "identifiers": [
                {"value": one["value"], "in_these_catalogues": one["known"]}
                for one in read["identifiers"]
                if "known" in one
            ],
        }
    )


def _nothing(api: Api, query: str, filters: Json, answer: Json) -> Json:
    """What to say and to try if there is no hit. Asks once more without the filters, to say which of both it was."""
    if answer["features"]:
        return {}
    if "source" in filters:
        refuse_unknown(api, filters["source"])
    if not filters:
        return {
            "nothing": f"These catalogues hold nothing about {query!r}.",
            "advice": "Tell the user so. Try once with a broader word, or see `describe_holdings`.",
        }
    beyond = api.get("/search", {"q": query, "limit": 1})
    if not beyond["features"]:
        return {
            "nothing": f"These catalogues hold nothing about {query!r}, with or without the filters.",
            "advice": "Tell the user so. `describe_holdings` says what there is.",
        }
    return {
        "nothing": f"Nothing passes the filters {', '.join(f'{name} {value}' for name, value in filters.items())}.",
        "advice": f"Without them there are {beyond['sonde:total']} matches: leave one filter out and call again.",
    }


def _cursor(answer: Json) -> str | None:
    following = next((link["href"] for link in answer["links"] if link["rel"] == "next"), None)
    return parse_qs(urlsplit(following).query)["cursor"][0] if following else None
