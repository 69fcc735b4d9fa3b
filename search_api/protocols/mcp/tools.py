"""Tools for agents: for records, and those that orient and that read documents."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from core.json_types import Json
from search_api.formats_out.notations import split_address, without_empty
from search_api.protocols.mcp import answers
from search_api.protocols.mcp.answers import readable, shorten, with_quoted, within_budget
from search_api.protocols.mcp.api import (
    AgentApi,
    Box,
    KindOf,
    Limit,
    Period,
    Place,
    Query,
    RecordId,
    Source,
    ToolContext,
    api_of,
    bbox_text,
    catalogues_of,
    kind_filters,
    refuse_unknown,
)

_SUMMARY_CHARACTERS = 1600
Cursor = Annotated[str | None, Field(max_length=2000, description="`next_cursor` of the page before, else nothing.")]

_MOST_LINKS = 20
_OF_DATA = ("download", "enclosure", "data", "item")
_WAYS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("zarr",), "xarray.open_zarr({href!r})"),
    (("opendap", "dods", "thredds/dodsc"), "xarray.open_dataset({href!r})"),
    (("service=wms", "/wms", "wms?"), "owslib.wms.WebMapService({href!r})"),
    (("service=wfs", "/wfs", "wfs?"), "owslib.wfs.WebFeatureService({href!r})"),
    (("stac",), "pystac_client.Client.open({href!r})"),
    (("geo+json", ".geojson", "geopackage", ".gpkg", ".shp", "shapefile"), "geopandas.read_file({href!r})"),
    (("parquet",), "pandas.read_parquet({href!r})"),
    (("csv",), "pandas.read_csv({href!r})"),
    (("geotiff", "image/tiff", ".tif"), "rioxarray.open_rasterio({href!r})"),
    (("netcdf", ".nc", "hdf5", ".h5"), "xarray.open_dataset(pooch.retrieve({href!r}, None))"),
)
"""What shows the form of a link (its media type, title or address), and the Python that opens it; first match."""


def search(
    context: ToolContext,
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
    api = api_of(context)
    filters = without_empty({"place": place, "bbox": bbox_text(bbox), "period": period, "kind": kind, "source": source})
    conditions = {"place": place, "bbox": bbox_text(bbox), "datetime": period, "source": source}
    parameters = {"q": query, **conditions, **kind_filters(kind), "limit": limit, "cursor": cursor, "explain": "true"}
    answer = api.get("/search", parameters)
    longest, reasons = min(240, _SUMMARY_CHARACTERS // limit), 2 if limit <= 10 else 1
    hits = [
        {**answers.brief(feature, longest), "why": answers.strongest_reasons(feature, reasons)}
        for feature in answer["features"]
    ]
    return within_budget(with_quoted({**_summary(answer), **_no_records(api, query, filters, answer)}, hits))


def get_record(context: ToolContext, id: RecordId) -> str:
    """Everything important that one record says: abstract, period, place, resolution, keywords, makers, licence."""
    feature = api_of(context).record(id)
    return within_budget(with_quoted({"page": answers.page_of(feature)}, answers.full_record(feature)))


def find_similar(context: ToolContext, id: RecordId, limit: Limit = 5) -> str:
    """Records like one that you already have, most similar first."""
    features = api_of(context).record(id, "/similar", {"limit": limit})["features"]
    hits = [
        {**answers.brief(feature, 120), "similarity": answers.round_similarity(feature.get("sonde:similarity"))}
        for feature in features
    ]
    return within_budget(with_quoted({} if hits else {"nothing": "No other record is like this one."}, hits))


def _summary(answer: Json) -> Json:
    return {
        "matches": answer["sonde:total"],
        "understood": _interpretation_summary(answer["sonde:interpretation"]),
        "corrected_from": answer.get("sonde:correctedFrom"),
        "did_you_mean": answer.get("sonde:didYouMean"),
        "no_record_has_the_words": answer.get("sonde:unknownWords"),
        "without": answer["sonde:degraded"],
        "next_cursor": _cursor(answer),
    }


def _interpretation_summary(interpretation: Json) -> Json:
    """How the question was read, so that the agent can say it otherwise. Only what was found."""
    members: Json = {
        "topic": interpretation["thematic"],
        "places": [entry["name"] for entry in interpretation["places"]],
        "period": interpretation["datetime"],
        "kind": [entry["kind"] for entry in interpretation["kinds"]],
        "names": [f"{entry['text']} ({entry['count']} records)" for entry in interpretation["names"]],
        "identifiers": [
            {"value": entry["value"], "in_these_catalogues": entry["known"]}
            for entry in interpretation["identifiers"]
            if "known" in entry
        ],
    }
    return without_empty(members)


def _no_records(api: AgentApi, query: str, filters: Json, answer: Json) -> Json:
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
    return parse_qs(split_address(following).query)["cursor"][0] if following else None


def get_access(context: ToolContext, id: RecordId) -> str:
    """How to get the data of one record: links, licence, formats, access, and Python that opens what can be opened."""
    feature = api_of(context).record(id)
    properties = feature["properties"]
    links = [_link(link) for link in answers.links_of(feature) if _is_web(link["href"])]
    summary: Json = {"page": answers.page_of(feature)}
    if not links:
        summary["nothing"] = "The record has no link to the data; ask the organisations that it names."
    elif not any("python" in link or link["rel"] in _OF_DATA for link in links):
        summary["advice"] = "No link is known to lead to files or a service: give the user the page of the data."
    quotes = without_empty(
        {
            "id": feature["id"],
            "title": properties.get("title"),
            "licence": properties.get("license"),
            "rights": properties.get("rights"),
            "access": properties.get("sonde:access"),
            "formats": [format["name"] for format in properties.get("formats", [])],
            "organisations": answers.organisations(feature),
            "links": links[:_MOST_LINKS],
            "more_links": max(0, len(links) - _MOST_LINKS) or None,
        }
    )
    return within_budget(with_quoted(summary, quotes))


def _link(link: Json) -> Json:
    href = readable(link["href"])
    description = " ".join((link.get("type") or "", link.get("title") or "", href)).lower()
    python = next(
        (way for marks, way in _WAYS if link["rel"] != "about" and any(mark in description for mark in marks)), None
    )
    members: Json = {
        "href": href,
        "rel": link["rel"],
        "type": link.get("type"),
        "title": link.get("title"),
        "python": python.format(href=href) if python else None,
    }
    return without_empty(members)


def _is_web(href: str) -> bool:
    """Whether the link is to the web; an agent must not be handed ``file:`` or ``javascript:``."""
    return split_address(href).scheme in ("http", "https", "ftp", "s3", "gs")


_COUNTED_FACETS = ("source", "type", "theme", "provenance", "variable", "region", "decade")
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
    query = {"q": topic, "source": source, "limit": 3, "facets": ",".join(_COUNTED_FACETS)}
    answer = api.get("/search", query)
    summary: Json = {"records": answer["sonde:total"]}
    if topic:
        by_words = api.get("/search", {"q": topic, "source": source, "limit": 1, "algorithm": "bm25"})
        summary |= {
            "with_its_words": by_words["sonde:total"],
            "no_record_has_the_words": answer.get("sonde:unknownWords"),
        }
    if not answer["features"]:
        if source:
            refuse_unknown(api, source)
        summary["nothing"] = f"These catalogues hold nothing about {topic!r}." if topic else "There is no record here."
        return within_budget(with_quoted(summary, []))
    holdings: Json = {"counts": {name: _values(facet) for name, facet in answer["sonde:facets"].items()}}
    if topic:
        holdings["best"] = [
            {"id": record["id"], "title": record["properties"].get("title")} for record in answer["features"]
        ]
    else:
        holdings["catalogues"] = catalogues_of(api)
    return within_budget(with_quoted(summary, holdings))


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
        summary = {"nothing": f"No place named {name!r} is known.", "advice": advice}
        return within_budget(with_quoted(summary, {"like_names": similar}))
    places = [without_empty(place) for place in similar]
    return within_budget(with_quoted({"records_there": here["sonde:total"]}, {"places": places}))


def lookup_terms(context: ToolContext, term: Term) -> str:
    """What a word or acronym means here: synonyms and narrower terms of the vocabularies, product names, keywords
    with their counts. A search uses synonyms by itself; look up only what you or the user do not know.
    """
    api = api_of(context)
    answer = api.get("/search", {"q": term, "limit": 1})
    interpretation, typed = answer["sonde:interpretation"], api.get("/suggest", {"q": term, "limit": 6})
    meaning = without_empty(
        {
            "concepts": [_concept(concept) for concept in interpretation["terms"]],
            "names": _names(interpretation, typed),
            "keywords": typed["keywords"],
        }
    )
    summary: Json = {"records": answer["sonde:total"]}
    if not meaning:
        summary["nothing"] = f"No vocabulary, product name or keyword here has {term!r}."
    return within_budget(with_quoted(summary, meaning))


def _names(interpretation: Json, typed: Json) -> list[Json]:
    """Each name that records have, once; a name of the question as the question writes it."""
    names = [(entry["name"], entry["count"]) for entry in typed["names"]]
    names += [(entry["text"], entry["count"]) for entry in interpretation["names"]]
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
    most_frequent = sorted(facet["values"], key=lambda value: -value["count"])[:_MOST_VALUES]
    return {str(value["label"] or value["value"]): value["count"] for value in most_frequent}


def read_passages(
    context: ToolContext, query: Query, record: OfRecord = None, source: Source = None, limit: Limit = 4
) -> str:
    """Passages of documents (reports, papers, manuals) that speak of the question, with where to cite them."""
    body = {"question": query, "record": record, "source": [source] if source else [], "top_k": limit}
    found = api_of(context).first_event("/ask", body).get("passages", [])
    passages = [passage for passage in found if passage["kind"] != "record"]
    return within_budget(
        with_quoted({} if passages else _no_result(record), [_passage(passage, 1500) for passage in passages])
    )


def ask_documents(
    context: ToolContext,
    question: Query,
    record: OfRecord = None,
    source: Source = None,
    bbox: Box = None,
    period: Period = None,
) -> str:
    """An answer from documents and records, each sentence with the numbers of the passages that support it.

    A passage of the kind `record` is the abstract of a data set. `refused` means that neither documents nor records
    hold the answer; say so, and do not answer from memory.
    """
    body = {
        "question": question,
        "record": record,
        "source": [source] if source else [],
        "bbox": bbox_text(bbox),
        "datetime": period,
    }
    answer = api_of(context).post("/ask", body)
    summary = {"refused": answer["refused"] or None, "without": answer["degraded"]}
    if answer["refused"]:
        return within_budget(with_quoted({**summary, **_no_result(record)}, []))
    quotes = {
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
    return within_budget(with_quoted(summary, quotes))


def _no_result(record: str | None) -> Json:
    if record is None:
        return {"nothing": _NOTHING, "advice": "Tell the user so. `search` finds data sets that are about it."}
    return {"nothing": _NOTHING, "advice": "Call again without `record` to read all documents."}


def _passage(passage: Json, longest: int) -> Json:
    members: Json = {
        "number": passage["number"],
        "kind": "record" if passage["kind"] == "record" else "document",
        "title": passage["title"],
        "section": " > ".join(passage["section"]),
        "pages": passage["pages"],
        "id": passage["record"] or passage["document"],
        "document": passage["document"],
        "text": shorten(passage["text"], longest),
    }
    return without_empty(members)
