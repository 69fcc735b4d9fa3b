"""A large source harvested twice, or a large Turtle catalogue read: time, memory, and whether all is there."""

from __future__ import annotations

import multiprocessing
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from es_mappings.names import alias
from indexer.formats.splitting.split import records_of_graph
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts
from indexer.plan.parsed_record import parse
from indexer.raw import RawRecord
from indexer.sources.rdf_answers import parse_rdf
from lab.chaos.harvests import SOURCE, CswServer, open_csw

_CAP = 200


def _text(name: str, value: str) -> str:
    return f"<gmd:{name}><gco:CharacterString>{value}</gco:CharacterString></gmd:{name}>"


def _code_element(name: str, code_list: str, value: str) -> str:
    return f'<gmd:{name}><gmd:{code_list} codeList="x#{code_list}" codeListValue="{value}"/></gmd:{name}>'


def _edge(name: str, degrees: str) -> str:
    return f"<gmd:{name}><gco:Decimal>{degrees}</gco:Decimal></gmd:{name}>"


_CONTACT = (
    "<gmd:CI_ResponsibleParty>"
    + _text("individualName", "Person {who}")
    + _text("organisationName", "Institute {who} for Water and Climate")
    + "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>"
    + _text("electronicMailAddress", "data{who}@example.org")
    + "</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
    + _code_element("role", "CI_RoleCode", "pointOfContact")
    + "</gmd:CI_ResponsibleParty>"
)
_ABSTRACT = (
    "Daily sums of precipitation at {who} gauges of basin {n}, quality checked, homogenised and gridded by kriging "
    "with external drift; gaps of less than five days are filled from neighbouring gauges and marked. The series "
    "serves water balance studies, flood statistics and the validation of regional climate models."
)
_DATE = "<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2021-03-04</gco:Date></gmd:date>" + _code_element(
    "dateType", "CI_DateTypeCode", "publication"
)
_RECORD = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" '
    'xmlns:gml="http://www.opengis.net/gml">'
    + _text("fileIdentifier", "{id}")
    + _code_element("language", "LanguageCode", "eng")
    + _code_element("hierarchyLevel", "MD_ScopeCode", "dataset")
    + f"<gmd:contact>{_CONTACT}</gmd:contact><gmd:dateStamp><gco:Date>2022-05-06</gco:Date></gmd:dateStamp>"
    + "<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>"
    + _text("title", "Precipitation of river basin {n}, version {version}")
    + f"{_DATE}</gmd:CI_Date></gmd:date></gmd:CI_Citation></gmd:citation>"
    + _text("abstract", _ABSTRACT)
    + f"<gmd:pointOfContact>{_CONTACT}</gmd:pointOfContact><gmd:descriptiveKeywords><gmd:MD_Keywords>"
    + "".join(_text("keyword", word) for word in ("precipitation", "rain gauge", "hydrology", "basin {n}"))
    + "</gmd:MD_Keywords></gmd:descriptiveKeywords><gmd:resourceConstraints><gmd:MD_LegalConstraints>"
    + _text("otherConstraints", "CC BY 4.0")
    + "</gmd:MD_LegalConstraints></gmd:resourceConstraints><gmd:extent><gmd:EX_Extent><gmd:geographicElement>"
    + "<gmd:EX_GeographicBoundingBox>"
    + _edge("westBoundLongitude", "{west}")
    + _edge("eastBoundLongitude", "{east}")
    + _edge("southBoundLatitude", "{south}")
    + _edge("northBoundLatitude", "{north}")
    + "</gmd:EX_GeographicBoundingBox></gmd:geographicElement><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
    + '<gml:TimePeriod gml:id="t"><gml:beginPosition>19{year}-01-01</gml:beginPosition>'
    + "<gml:endPosition>2020-12-31</gml:endPosition></gml:TimePeriod></gmd:extent></gmd:EX_TemporalExtent>"
    + "</gmd:temporalElement></gmd:EX_Extent></gmd:extent></gmd:MD_DataIdentification></gmd:identificationInfo>"
    + "<gmd:distributionInfo><gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine>"
    + "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>https://data.example.org/{id}.nc</gmd:URL></gmd:linkage>"
    + "</gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions></gmd:transferOptions>"
    + "</gmd:MD_Distribution></gmd:distributionInfo></gmd:MD_Metadata>"
)


def document(n: int, version: int = 1) -> str:
    """The record number ``n``, some 4.5 kB; the same each time."""
    west, south = n % 340 - 170, n % 150 - 75
    return _RECORD.format(
        id=f"made-{n:07d}",
        n=n,
        version=version,
        who=n % 97,
        west=west,
        east=west + 1 + n % 7,
        south=south,
        north=south + 1 + n % 5,
        year=50 + n % 50,
    )


@contextmanager
def large_catalogue(records: int) -> Iterator[str]:
    """The address of a CSW that holds ``records`` records; its process ends with the block, or with ours.

    Raises EOFError if the process does not come up.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe()
    process = context.Process(target=_serve, args=(records, sender), daemon=True, name="large-catalogue")
    process.start()
    sender.close()  # so that its death ends our waiting
    try:
        yield f"http://127.0.0.1:{receiver.recv()}/csw"
    finally:
        process.terminate()
        process.join()


def _serve(records: int, pipe: Connection) -> None:
    def pages(first: int, size: int) -> tuple[int, list[str]]:
        return records, [document(n) for n in range(first, min(first + size, records))]

    server = CswServer(pages, _CAP)
    pipe.send(server.server_address[1])
    server.serve_forever()


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
    started_s = time.process_time()
    graph = parse_rdf(content, "turtle", "https://data.example.org/catalogue", _no_context)
    parsed_records = [
        parse(RawRecord(record.name, record.content, record.name, "application/ld+json"), "made")
        for record in records_of_graph(graph)
    ]
    return Reading(len({parsed_record.record.id for parsed_record in parsed_records}), time.process_time() - started_s)


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


def volume(parts: HarvestParts, records: int) -> Iterator[Volume]:
    """Everything is new, then everything is as it was; into indices that hold nothing of the source yet."""
    with large_catalogue(records) as url:
        for run in ("all new", "all the same"):
            clock, cpu = time.perf_counter(), time.process_time()
            report = harvest(SOURCE, open_csw(url, page_size=200), parts)
            seconds, cpu_s = time.perf_counter() - clock, time.process_time() - cpu
            read_s = (report.took_ms["fetch"] + report.took_ms["plan"]) / 1000.0
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
            yield Volume(run, report.state, records, _count_in_service(parts), seconds, cpu_s, read_s, peak)


def _count_in_service(parts: HarvestParts) -> int:
    index = alias(parts.prefix, "records")
    parts.client.indices.refresh(index=index)
    return int(parts.client.count(index=index, query={"term": {"source": SOURCE}})["count"])
