"""A CSW 2.0.2 of any number of made-up ISO 19139 records, in a process of its own, so that its memory is not ours."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection

from lxml import etree

_CSW = "http://www.opengis.net/cat/csw/2.0.2"
_CAP = 200
_CAPABILITIES = f"""<csw:Capabilities xmlns:csw="{_CSW}" xmlns:ows="http://www.opengis.net/ows" version="2.0.2">
<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:Parameter name="outputSchema">
<ows:Value>http://www.isotc211.org/2005/gmd</ows:Value></ows:Parameter></ows:Operation></ows:OperationsMetadata>
</csw:Capabilities>"""


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


def _serve(records: int, told: Connection) -> None:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.records = records
    told.send(server.server_address[1])
    server.serve_forever()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    records: int


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._send(_CAPABILITIES)

    def do_POST(self) -> None:
        asked = etree.fromstring(self.rfile.read(int(self.headers.get("content-length", "0"))))
        start, size = int(asked.get("startPosition", "1")), min(int(asked.get("maxRecords", "10")), _CAP)
        numbers = range(start - 1, min(start - 1 + size, self.server.records))
        following = numbers.stop + 1 if numbers.stop < self.server.records else 0
        body = "".join(document(n) for n in numbers)
        self._send(
            f'<csw:GetRecordsResponse xmlns:csw="{_CSW}"><csw:SearchResults '
            f'numberOfRecordsMatched="{self.server.records}" numberOfRecordsReturned="{len(numbers)}" '
            f'nextRecord="{following}">{body}</csw:SearchResults></csw:GetRecordsResponse>'
        )

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def _send(self, text: str) -> None:
        content = text.encode()
        self.send_response(200)
        self.send_header("content-type", "application/xml")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
