"""``/collections/{catalogue}/fair`` and ``/items/{record}/fair``: how FAIR the metadata are, and what to improve."""

from __future__ import annotations

from flask import Response, jsonify
from flask_openapi import APIBlueprint, Tag
from pydantic import BaseModel, Field

from core.json_types import Json
from core.timespan import iso
from search_api.catalogue.fair.indicators import INDICATORS, MODEL, Indicator, IndicatorResult, judge_all
from search_api.catalogue.view import CataloguePath, ItemPath
from search_api.http.openapi import WITH_NOT_FOUND
from search_api.http.parameters import NoParameters
from search_api.http.responses import GEOJSON, JSON, Addresses, link
from search_api.parts import Parts

_MEASURED_BY = "Indicators of RDA's FAIR data maturity model, those that metadata can answer."


class RecordFairAnswer(BaseModel, title="RecordFairness"):
    """A record by the indicators of RDA's FAIR data maturity model."""

    model: str = Field(description="The DOI of the model.")
    linksChecked: str | None = Field(  # noqa: N815 - as OGC writes names
        description="When the last complete check of the source's links started; null: never."
    )
    indicators: list[Json] = Field(
        description="Each with `id`, `principle`, `priority`, `question` and `holds` (null: not measured); where it "
        "does not hold, `advice`, and `lacks` if several things can be missing."
    )
    links: list[Json]


class CatalogueFairAnswer(BaseModel, title="CatalogueFairness"):
    """The records of a catalogue, counted by indicator."""

    catalogue: str
    model: str = Field(description="The DOI of the model.")
    records: int
    lookedAt: int = Field(  # noqa: N815
        description="All records, or a random part of a large catalogue."
    )
    indicators: list[Json] = Field(
        description="Each with `id`, `principle`, `priority`, `question`, `advice`, and of how many "
        "of the records that were looked at it `holds`, `fails`, and was `notMeasured`."
    )
    links: list[Json]


def fair_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("fairness", __name__, abp_tags=[Tag(name="records", description="OGC API - Records")])

    @api.get(
        "/collections/<catalogue>/items/<record>/fair",
        summary="How FAIR a record's metadata are, and what to improve",
        description=_MEASURED_BY,
        responses={200: RecordFairAnswer, **WITH_NOT_FOUND},
    )
    def of_record(path: ItemPath, query: NoParameters) -> Response:  # noqa: ARG001
        addresses, source = Addresses.of(parts.http), parts.catalogues.get(path.catalogue).source
        subject = parts.fair.of_record(path.record, source)
        return jsonify(
            {
                "model": MODEL,
                "linksChecked": None if subject.check is None else iso(subject.check.started),
                "indicators": [
                    {**_indicator_json(indicator), **_result_json(indicator, result)}
                    for indicator, result in zip(INDICATORS, judge_all(subject), strict=True)
                ],
                "links": [link("self", addresses.this(), JSON), link("about", addresses.item(subject.record), GEOJSON)],
            }
        )

    @api.get(
        "/collections/<catalogue>/fair",
        summary="How FAIR a catalogue's metadata are: its records by indicator",
        description=f"{_MEASURED_BY} Counted anew after ten minutes.",
        responses={200: CatalogueFairAnswer, **WITH_NOT_FOUND},
    )
    def of_catalogue(path: CataloguePath, query: NoParameters) -> Response:  # noqa: ARG001
        addresses, catalogue = Addresses.of(parts.http), parts.catalogues.get(path.catalogue)
        summary = parts.fair.of_source(catalogue.source)
        return jsonify(
            {
                "catalogue": catalogue.id,
                "model": MODEL,
                "records": summary.records,
                "lookedAt": summary.looked_at,
                "indicators": [
                    {
                        **_indicator_json(indicator),
                        "advice": indicator.advice,
                        "holds": count.holds,
                        "fails": count.fails,
                        "notMeasured": count.not_measured,
                    }
                    for indicator, count in zip(INDICATORS, summary.counts, strict=True)
                ],
                "links": [
                    link("self", addresses.this(), JSON),
                    link("collection", addresses.collection(catalogue.id), JSON),
                ],
            }
        )

    return api


def _indicator_json(indicator: Indicator) -> Json:
    return {name: getattr(indicator, name) for name in ("id", "principle", "priority", "question")}


def _result_json(indicator: Indicator, judgement: IndicatorResult) -> Json:
    if judgement.holds is not False:
        return {"holds": judgement.holds}
    return {"holds": False, "advice": indicator.advice, **({"lacks": list(judgement.lacks)} if judgement.lacks else {})}
