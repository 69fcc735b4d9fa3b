"""``/collections/{catalogue}/fair`` and ``/items/{record}/fair``: how FAIR the metadata are, and what to mend."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, ConfigDict, Field

from core.json_types import Json
from core.timespan import iso
from search_api.catalogue.fair.indicators import INDICATORS, MODEL, Indicator, Judgement, judged
from search_api.catalogue.fair.summary import Count
from search_api.http.addresses import GEOJSON, JSON, Addresses, link
from search_api.http.documented import WITH_NOT_FOUND
from search_api.http.parameter_types import NoParameters
from search_api.parts import Parts
from search_api.protocols.ogc.collections import CataloguePath
from search_api.protocols.ogc.items import ItemPath

_MEASURED_BY = "Indicators of RDA's FAIR data maturity model, those that metadata can answer."


class RecordFairness(BaseModel):
    """A record by the indicators of RDA's FAIR data maturity model."""

    model_config = ConfigDict(title="RecordFairness")

    model: str = Field(description="The DOI of the model.")
    linksChecked: str | None = Field(  # noqa: N815 - as OGC writes names
        description="When the last complete check of the source's links started; null: never."
    )
    indicators: list[Json] = Field(
        description="Each with `id`, `principle`, `priority`, `question` and `holds` (null: not measured); where it "
        "does not hold, `mend`, and `lacks` if several things can be missing."
    )
    links: list[Json]


class CatalogueFairness(BaseModel):
    """The records of a catalogue, counted by indicator."""

    model_config = ConfigDict(title="CatalogueFairness")

    catalogue: str
    model: str = Field(description="The DOI of the model.")
    records: int
    lookedAt: int = Field(  # noqa: N815
        description="All records, or a random part of a large catalogue."
    )
    indicators: list[Json] = Field(
        description="Each with `id`, `principle`, `priority`, `question`, `mend`, and of how many "
        "of the records that were looked at it `holds`, `fails`, and was `notMeasured`."
    )
    links: list[Json]


def fairness_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("fairness", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/fair",
        summary="How FAIR a record's metadata are, and what to mend",
        description=_MEASURED_BY,
        responses={200: RecordFairness, **WITH_NOT_FOUND},
    )
    def of_record(path: ItemPath, query: NoParameters) -> Response:  # noqa: ARG001
        addresses, source = Addresses.of(parts), parts.catalogues.get(path.catalogue).source
        subject = parts.fairness.of_record(path.record, source)
        return jsonify(
            {
                "model": MODEL,
                "linksChecked": None if subject.check is None else iso(subject.check.started),
                "indicators": [
                    {**_described(one), **_judgement(one, found)}
                    for one, found in zip(INDICATORS, judged(subject), strict=True)
                ],
                "links": [link("self", addresses.this(), JSON), link("about", addresses.item(subject.record), GEOJSON)],
            }
        )

    @api.get(
        "/collections/<catalogue>/fair",
        summary="How FAIR a catalogue's metadata are: its records by indicator",
        description=f"{_MEASURED_BY} Counted anew after ten minutes.",
        responses={200: CatalogueFairness, **WITH_NOT_FOUND},
    )
    def of_catalogue(path: CataloguePath, query: NoParameters) -> Response:  # noqa: ARG001
        addresses, one = Addresses.of(parts), parts.catalogues.get(path.catalogue)
        found = parts.fairness.of_source(one.source)
        return jsonify(
            {
                "catalogue": one.id,
                "model": MODEL,
                "records": found.records,
                "lookedAt": found.looked_at,
                "indicators": [
                    {**_described(each), "mend": each.mend, **_count(count)}
                    for each, count in zip(INDICATORS, found.counts, strict=True)
                ],
                "links": [
                    link("self", addresses.this(), JSON),
                    link("collection", addresses.collection(one.id), JSON),
                ],
            }
        )

    return api


def _described(one: Indicator) -> Json:
    return {"id": one.id, "principle": one.principle, "priority": one.priority, "question": one.question}


def _judgement(one: Indicator, found: Judgement) -> Json:
    if found.holds is not False:
        return {"holds": found.holds}
    return {"holds": False, "mend": one.mend, **({"lacks": list(found.lacks)} if found.lacks else {})}


def _count(count: Count) -> Json:
    return {"holds": count.holds, "fails": count.fails, "notMeasured": count.not_measured}
