"""A large source harvested twice, or a large Turtle catalogue read: time, memory, and whether all is there."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass

from es_mappings.names import alias
from indexer.formats.splitting.split import records_of_graph
from indexer.harvest.harvest import harvest
from indexer.parts import Parts
from indexer.plan.parsed_record import parse
from indexer.raw import RawRecord
from indexer.sources.rdf_answers import parse_rdf
from lab.chaos.harvests import SOURCE, open_csw
from lab.chaos.large_catalogue import large_catalogue

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
    read = [
        parse(RawRecord(record.name, record.content, record.name, "application/ld+json"), "made")
        for record in records_of_graph(graph)
    ]
    return Reading(len({parsed.record.id for parsed in read}), time.process_time() - begun)


def _no_context(url: str) -> object:
    raise ValueError(f"Turtle has no context, and {url} is none")


@dataclass(frozen=True, slots=True)
class Volume:
    """One harvest. ``seconds`` by the clock; ``cpu_s`` of this process, all its threads; ``read_s``: the part of the
    clock's in which pages were fetched, read and planned. ``peak_mib``: most memory that the process ever held.
    """

    run: str
    state: str
    records: int
    in_service: int
    seconds: float
    cpu_s: float
    read_s: float
    peak_mib: float

    @property
    def right(self) -> bool:
        return self.state == "complete" and self.in_service == self.records


def volume(parts: Parts, records: int) -> Iterator[Volume]:
    """Everything is new, then everything is as it was; into indices that hold nothing of the source yet."""
    with large_catalogue(records) as url:
        for run in ("all new", "all the same"):
            clock, cpu = time.perf_counter(), time.process_time()
            report = harvest(SOURCE, open_csw(url, page_size=200), parts)
            seconds, cpu_s = time.perf_counter() - clock, time.process_time() - cpu
            read_s = (report.took_ms["fetch"] + report.took_ms["plan"]) / 1000.0
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
            yield Volume(run, report.state, records, _in_service(parts), seconds, cpu_s, read_s, peak)


def _in_service(parts: Parts) -> int:
    index = alias(parts.prefix, "records")
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query={"term": {"source": SOURCE}})["count"])
