"""A made-up DCAT catalogue in Turtle, and what it costs to read it: from the answer's bytes to records with hashes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from indexer.formats.split import parts_of
from indexer.plan.digest import digest
from indexer.raw import RawRecord
from indexer.sources.rdf_answers import parse_rdf

_PREFIXES = """@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
_DATA_SET = """<https://data.example.org/d/{n}> a dcat:Dataset ; dct:identifier "made-{n}" ;
  dct:title "Precipitation of river basin {n}"@en ;
  dct:description "Daily sums of precipitation at the gauges of basin {n}, quality checked and gridded."@en ;
  dcat:keyword "precipitation", "rain gauge", "hydrology", "basin {n}" ; dct:issued "2021-03-04"^^xsd:date ;
  dct:modified "2022-05-06"^^xsd:date ; dct:language <http://publications.europa.eu/resource/authority/language/ENG> ;
  dct:license <https://creativecommons.org/licenses/by/4.0/> ;
  dct:publisher [ a foaf:Organization ; foaf:name "Institute {n}" ] ;
  dcat:contactPoint [ a vcard:Kind ; vcard:fn "Person {n}" ] ;
  dct:spatial [ a dct:Location ; dcat:bbox "POLYGON(({w} 45,{e} 45,{e} 55,{w} 55,{w} 45))" ] ;
  dct:temporal [ a dct:PeriodOfTime ; dcat:startDate "1990-01-01"^^xsd:date ] ;
  dcat:distribution [ a dcat:Distribution ; dcat:downloadURL <https://data.example.org/f/{n}.nc> ] .
"""
TRIPLES = 27  # of each data set


@dataclass(frozen=True, slots=True)
class Reading:
    """``cpu_s`` of this process."""

    records: int
    cpu_s: float


def catalogue(records: int) -> bytes:
    return (_PREFIXES + "".join(_DATA_SET.format(n=n, w=n % 90, e=n % 90 + 5) for n in range(records))).encode()


def read_catalogue(records: int) -> Reading:
    """One answer that holds them all: graph, parts, records, hashes. Nothing is fetched, and nothing written."""
    content = catalogue(records)
    begun = time.process_time()
    graph = parse_rdf(content, "turtle", "https://data.example.org/catalogue", _no_context)
    read = [digest(RawRecord(id, part, id, "application/ld+json"), "made") for id, part in parts_of(graph)]
    return Reading(len({one.record.id for one in read}), time.process_time() - begun)


def _no_context(url: str) -> object:
    raise ValueError(f"Turtle has no context, and {url} is none")
