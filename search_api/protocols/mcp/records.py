"""A record in a few lines, from its GeoJSON feature."""

from __future__ import annotations

from core.json_types import Json
from search_api.protocols.mcp.catalogue_text import shortened

_MOST_KEYWORDS = 15
_MOST_BOXES = 3
_OF_THE_BEST = {"cosine": "near in meaning", "score": "the question's words"}


def brief(feature: Json, longest: int) -> Json:
    """What a list shows: id, title, the beginning of the abstract, period, place. ``longest``: of the abstract."""
    said = feature["properties"]
    return stated(
        {
            "id": feature["id"],
            "title": said.get("title"),
            "kind": said.get("type"),
            "product": said.get("sonde:provenance") if said.get("sonde:provenance") != "unknown" else None,
            "abstract": shortened(said.get("description") or "", longest),
            "period": period(feature),
            "bbox": _boxes(said, 1),
            "source": said.get("sonde:source"),
        }
    )


def full(feature: Json) -> Json:
    """What a person would ask about one record; its links are the answer of ``get_access``."""
    said = feature["properties"]
    return stated(
        {
            **brief(feature, 2000),
            "bbox": _boxes(said, _MOST_BOXES),
            "times": said.get("sonde:times", [])[:_MOST_BOXES] if len(said.get("sonde:times", [])) > 1 else None,
            "resolution": said.get("sonde:resolution"),
            "names": said.get("sonde:names"),
            "keywords": said.get("keywords", [])[:_MOST_KEYWORDS],
            "organisations": organisations(feature),
            "licence": said.get("license"),
            "rights": said.get("rights"),
            "access": said.get("sonde:access"),
            "dates": said.get("sonde:dates"),
            "edition": said.get("sonde:edition"),
            "identifiers": [one["value"] for one in said.get("externalIds", [])],
            "lineage": said.get("sonde:lineage"),
            "parent": said.get("sonde:parent"),
            "doubts": [one["text"] for one in said.get("sonde:doubts", [])],
            "links": len(links_of(feature)),
        }
    )


def why(feature: Json, most: int) -> list[str]:
    """The strongest reasons of the hit's rank; always whether it states no area, if a place was asked."""
    signals: list[Json] = feature.get("sonde:explanation", {}).get("signals", [])
    strongest = [one for one in signals[:most] if one.get("contribution", 0) > 0]
    unplaced = [one for one in signals if one not in strongest and _states_no_area(one)]
    return [_reason(one) for one in (*strongest, *unplaced)]


def _states_no_area(signal: Json) -> bool:
    return any(one["code"] == "area_not_stated" for one in signal.get("reasons", []))


def _reason(signal: Json) -> str:
    """A score alone says nothing to somebody who does not know its scale."""
    for one in signal.get("reasons", []):
        if one["code"] in _OF_THE_BEST and one.get("best"):
            return f"{_OF_THE_BEST[one['code']]}: {max(0.0, one['raw'] / one['best']):.0%} of the best here"
        if one["code"] == "interaction":
            return f"the question's words in their context: {one['raw']:.0%}"
    return str(signal["reason"])


def rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def period(feature: Json) -> str | None:
    """``1981-01-01/..``: days are enough."""
    interval = (feature.get("time") or {}).get("interval")
    return "/".join(edge.split("T")[0] for edge in interval) if interval else None


def organisations(feature: Json) -> list[str]:
    contacts = feature["properties"].get("contacts", [])
    return list(dict.fromkeys(one["organization"] for one in contacts if "organization" in one))


def page_of(feature: Json) -> str | None:
    """The address of the record in this service."""
    return next((one["href"] for one in feature["links"] if one["rel"] == "self"), None)


def links_of(feature: Json) -> list[Json]:
    """The links of the metadata, without those that this service adds."""
    own = (page_of(feature) or "").partition("/collections/")[0]
    return [
        one for one in feature["links"] if one["rel"] != "profile" and not (own and one["href"].startswith(f"{own}/"))
    ]


def stated(said: Json) -> Json:
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def _boxes(said: Json, most: int) -> list[Json]:
    boxes: list[Json] = said.get("sonde:boxes", [])
    return boxes[:most]
