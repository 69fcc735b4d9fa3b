"""Tools that orient: ``describe_holdings``, ``lookup_place``, ``lookup_terms``."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from core.json_types import Json
from search_api.protocols.mcp import records
from search_api.protocols.mcp.asking import Asked, Source, api_of
from search_api.protocols.mcp.budget import written
from search_api.protocols.mcp.catalogue_text import marked
from search_api.protocols.mcp.catalogues import catalogues, refuse_unknown

_COUNTED = ("source", "type", "theme", "provenance", "variable", "region", "decade")
_MOST_VALUES = 8
Topic = Annotated[str, Field(max_length=500, description="Only what is here about this topic, in plain words.")]
Name = Annotated[str, Field(min_length=1, max_length=200, description="A place name.")]
Term = Annotated[str, Field(min_length=1, max_length=200, description="A word, a product's name or an acronym.")]


def describe_holdings(asked: Asked, topic: Topic = "", source: Source = None) -> str:
    """What these catalogues hold, counted: catalogues, kinds, topics, variables, regions, decades.

    With a topic, the records that have its words or are near it in meaning, so kindred topics too; `with_its_words`
    counts those that have its words or their synonyms. `nothing` means that there is no such record.
    """
    api = api_of(asked)
    given = {"q": topic, "source": source, "limit": 3, "facets": ",".join(_COUNTED)}
    answer = api.get("/search", given)
    own: Json = {"records": answer["sonde:total"]}
    if topic:
        by_words = api.get("/search", {"q": topic, "source": source, "limit": 1, "algorithm": "bm25"})
        own |= {"with_its_words": by_words["sonde:total"], "no_record_has_the_words": answer.get("sonde:unknownWords")}
    if not answer["features"]:
        if source:
            refuse_unknown(api, source)
        own["nothing"] = f"These catalogues hold nothing about {topic!r}." if topic else "There is no record here."
        return written(marked(own, []))
    said: Json = {"counts": {name: _values(facet) for name, facet in answer["sonde:facets"].items()}}
    if topic:
        said["best"] = [{"id": one["id"], "title": one["properties"].get("title")} for one in answer["features"]]
    else:
        said["catalogues"] = catalogues(api)
    return written(marked(own, said))


def lookup_place(asked: Asked, name: Name) -> str:
    """Where a named place is (bbox), other places of like names, and how many records lie there."""
    api = api_of(asked)
    similar = api.get("/suggest", {"q": name, "limit": 5})["places"]
    try:
        here = api.get("/search", {"place": name, "limit": 1})
    except ToolError as unknown:
        if "no place named" not in str(unknown):
            raise
        advice = "Use one of the like names, or a bbox." if similar else "Use a bbox, or the name of a larger place."
        own = {"nothing": f"No place named {name!r} is known.", "advice": advice}
        return written(marked(own, {"like_names": similar}))
    places = [records.stated(one) for one in similar]
    return written(marked({"records_there": here["sonde:total"]}, {"places": places}))


def lookup_terms(asked: Asked, term: Term) -> str:
    """What a word or acronym means here: synonyms and narrower terms of the vocabularies, product names, keywords
    with their counts. A search uses synonyms by itself; look up only what you or the user do not know.
    """
    api = api_of(asked)
    answer = api.get("/search", {"q": term, "limit": 1})
    read, typed = answer["sonde:interpretation"], api.get("/suggest", {"q": term, "limit": 6})
    said = records.stated(
        {
            "concepts": [_concept(one) for one in read["terms"]],
            "names": _names(read, typed),
            "keywords": typed["keywords"],
        }
    )
    own: Json = {"records": answer["sonde:total"]}
    if not said:
        own["nothing"] = f"No vocabulary, product name or keyword here has {term!r}."
    return written(marked(own, said))


def _names(read: Json, typed: Json) -> list[Json]:
    """Each name that a record bears once, as it was asked if it was."""
    found = [(one["name"], one["count"]) for one in typed["names"]]
    found += [(one["text"], one["count"]) for one in read["names"]]
    return [
        {"name": name, "records": count} for name, count in {one[0].lower(): one for one in found}.values() if count
    ]


def _concept(one: Json) -> Json:
    return records.stated(
        {
            "term": one["text"],
            "concept": one["concept"],
            "synonyms": [label["label"] for label in one["synonyms"]][:_MOST_VALUES],
            "narrower": [label["label"] for label in one["narrower"]][:_MOST_VALUES],
        }
    )


def _values(facet: Json) -> Json:
    most = sorted(facet["values"], key=lambda one: -one["count"])[:_MOST_VALUES]
    return {str(one["label"] or one["value"]): one["count"] for one in most}
