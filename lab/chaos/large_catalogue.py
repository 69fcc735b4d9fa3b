"""A CSW 2.0.2 of any number of made-up ISO 19139 records, in a process of its own, so that its memory is not ours."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from lab.chaos.csw import CswServer

_CAP = 200


def _text(name: str, value: str) -> str:
    return f"<gmd:{name}><gco:CharacterString>{value}</gco:CharacterString></gmd:{name}>"


def _coded(name: str, code_list: str, value: str) -> str:
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
    + _coded("role", "CI_RoleCode", "pointOfContact")
    + "</gmd:CI_ResponsibleParty>"
)
_ABSTRACT = (
    "Daily sums of precipitation at {who} gauges of basin {n}, quality checked, homogenised and gridded by kriging "
    "with external drift; gaps of less than five days are filled from neighbouring gauges and marked. The series "
    "serves water balance studies, flood statistics and the validation of regional climate models."
)
_DATE = "<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2021-03-04</gco:Date></gmd:date>" + _coded(
    "dateType", "CI_DateTypeCode", "publication"
)
_RECORD = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco" '
    'xmlns:gml="http://www.opengis.net/gml">'
    + _text("fileIdentifier", "{id}")
    + _coded("language", "LanguageCode", "eng")
    + _coded("hierarchyLevel", "MD_ScopeCode", "dataset")
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

    Raises EOFError where the process does not come up.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(records, theirs), daemon=True, name="large-catalogue")
    process.start()
    theirs.close()  # so that its death ends our waiting
    try:
        yield f"http://127.0.0.1:{ours.recv()}/csw"
    finally:
        process.terminate()
        process.join()


def _serve(records: int, pipe: Connection) -> None:
    def pages(first: int, size: int) -> tuple[int, list[str]]:
        return records, [document(n) for n in range(first, min(first + size, records))]

    server = CswServer(pages, _CAP)
    pipe.send(server.server_address[1])
    server.serve_forever()
