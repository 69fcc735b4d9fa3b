"""Tools that orient and that read documents: holdings, places, terms, passages, answers."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from core.json_types import Json
from search_api.formats_out.notations import without_empty
from search_api.protocols.mcp.answers import shortened, with_quoted, within_budget
from search_api.protocols.mcp.api import (
    Box,
    Limit,
    Period,
    Query,
    Source,
    ToolContext,
    api_of,
    bbox_text,
    catalogues_of,
    refuse_unknown,
)

_COUNTED = ("source", "type", "theme", "provenance", "variable", "region", "decade")
_MOST_VALUES = 8
Topic = Annotated[str, Field(max_length=500, description="Only what is here about this topic, in plain words.")]
Name = Annotated[str, Field(min_length=1, max_length=200, description="A place name.")]
Term = Annotated[str, Field(min_length=1, max_length=200, description="A word, a product's name or an acronym.")]

_NOTHING = "No document here speaks of that."
OfRecord = Annotated[str | None, Field(max_length=500, description="Only documents of this record.")]


def describe_holdings(context: ToolContext, topic: Topic = "", source: Source = None) -> str:
    """What these catalogues hold, counted: catalogues, kinds, topics, variables, regions, decades.

    With a topic, the records that have its words or are near it in meaning, so kindred topics too; `with_its_words`
    counts those that have its words or their synonyms. `nothing` means that there is no such record.
    """
    api = api_of(context)
    query = {"q": topic, "source": source, "limit": 3, "facets": ",".join(_COUNTED)}
    answer = api.get("/search", query)
    own: Json = {"records": answer["sonde:total"]}
    if topic:
        by_words = api.get("/search", {"q": topic, "source": source, "limit": 1, "algorithm": "bm25"})
        own |= {"with_its_words": by_words["sonde:total"], "no_record_has_the_words": answer.get("sonde:unknownWords")}
    if not answer["features"]:
        if source:
            refuse_unknown(api, source)
        own["nothing"] = f"These catalogues hold nothing about {topic!r}." if topic else "There is no record here."
        return within_budget(with_quoted(own, []))
    holdings: Json = {"counts": {name: _values(facet) for name, facet in answer["sonde:facets"].items()}}
    if topic:
        holdings["best"] = [
            {"id": record["id"], "title": record["properties"].get("title")} for record in answer["features"]
        ]
    else:
        holdings["catalogues"] = catalogues_of(api)
    return within_budget(with_quoted(own, holdings))


def lookup_place(context: ToolContext, name: Name) -> str:
    """Where a named place is (bbox), other places of like names, and how many records lie there."""
    api = api_of(context)
    similar = api.get("/suggest", {"q": name, "limit": 5})["places"]
    try:
        here = api.get("/search", {"place": name, "limit": 1})
    except ToolError as unknown:
        if "no place named" not in str(unknown):
            raise
        advice = "Use one of the like names, or a bbox." if similar else "Use a bbox, or the name of a larger place."
        own = {"nothing": f"No place named {name!r} is known.", "advice": advice}
        return within_budget(with_quoted(own, {"like_names": similar}))
    places = [without_empty(place) for place in similar]
    return within_budget(with_quoted({"records_there": here["sonde:total"]}, {"places": places}))


def lookup_terms(context: ToolContext, term: Term) -> str:
    """What a word or acronym means here: synonyms and narrower terms of the vocabularies, product names, keywords
    with their counts. A search uses synonyms by itself; look up only what you or the user do not know.
    """
    api = api_of(context)
    answer = api.get("/search", {"q": term, "limit": 1})
    read, typed = answer["sonde:interpretation"], api.get("/suggest", {"q": term, "limit": 6})
    meaning = without_empty(
        {
            "concepts": [_concept(concept) for concept in read["terms"]],
            "names": _names(read, typed),
            "keywords": typed["keywords"],
        }
    )
    own: Json = {"records": answer["sonde:total"]}
    if not meaning:
        own["nothing"] = f"No vocabulary, product name or keyword here has {term!r}."
    return within_budget(with_quoted(own, meaning))


def _names(read: Json, typed: Json) -> list[Json]:
    """Each name that a record bears once, as it was asked if it was."""
    names = [(entry["name"], entry["count"]) for entry in typed["names"]]
    names += [(entry["text"], entry["count"]) for entry in read["names"]]
    return [
        {"name": name, "records": count}
        for name, count in {entry[0].lower(): entry for entry in names}.values()
        if count
    ]


def _concept(term: Json) -> Json:
    members: Json = {
        "term": term["text"],
        "concept": term["concept"],
        "synonyms": [label["label"] for label in term["synonyms"]][:_MOST_VALUES],
        "narrower": [label["label"] for label in term["narrower"]][:_MOST_VALUES],
    }
    return without_empty(members)


def _values(facet: Json) -> Json:
    most = sorted(facet["values"], key=lambda value: -value["count"])[:_MOST_VALUES]
    return {str(value["label"] or value["value"]): value["count"] for value in most}


def read_passages(
    context: ToolContext, query: Query, record: OfRecord = None, source: Source = None, limit: Limit = 4
) -> str:
    """Passages of documents (reports, papers, manuals) that speak of the question, with where to cite them."""
    body = {"question": query, "record": record, "source": [source] if source else [], "top_k": limit}
    passages = api_of(context).first_event("/ask", body).get("passages", [])
    return within_budget(
        with_quoted({} if passages else _nothing(record), [_passage(passage, 1500) for passage in passages])
    )


def ask_documents(
    context: ToolContext,
    question: Query,
    record: OfRecord = None,
    source: Source = None,
    bbox: Box = None,
    period: Period = None,
) -> str:
    """An answer from the documents, each sentence with the numbers of the passages that support it.

    `refused` means that the documents do not hold the answer; say so, and do not answer from memory.
    """
    body = {
        "question": question,
        "record": record,
        "source": [source] if source else [],
        "bbox": bbox_text(bbox),
        "datetime": period,
    }
    answer = api_of(context).post("/ask", body)
    own = {"refused": answer["refused"] or None, "without": answer["degraded"]}
    if answer["refused"]:
        return within_budget(with_quoted({**own, **_nothing(record)}, []))
    quoted = {
        "answer": [
            {
                "text": sentence.get("cell", sentence)["text"],
                "passages": sentence["citations"],
                "supported": sentence["supported"],
            }
            for sentence in answer["sentences"]
        ],
        "passages": [_passage(passage, 300) for passage in answer["passages"]],
    }
    return within_budget(with_quoted(own, quoted))


def _nothing(record: str | None) -> Json:
    if record is None:
        return {"nothing": _NOTHING, "advice": "Tell the user so. `search` finds data sets that are about it."}
    return {"nothing": _NOTHING, "advice": "Call again without `record` to read all documents."}


def _passage(passage: Json, longest: int) -> Json:
    members: Json = {
        "number": passage["number"],
        "title": passage["title"],
        "section": " > ".join(passage["section"]),
        "pages": passage["pages"],
        "id": passage["record"] or passage["document"],
        "document": passage["document"],
        "text": shortened(passage["text"], longest),
    }
    return without_empty(members)
