"""A small CSW 2.0.2: capabilities, and pages of ISO 19139 records, made by a function or held in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lxml import etree

from evaluation.local_server import served

Pages = Callable[[int, int], tuple[int, list[str]]]
"""From the first record's place (from 0) and the most that are wanted to how many there are in all, and these."""

_CSW = "http://www.opengis.net/cat/csw/2.0.2"
_CAPABILITIES = f"""<csw:Capabilities xmlns:csw="{_CSW}" xmlns:ows="http://www.opengis.net/ows" version="2.0.2">
<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:Parameter name="outputSchema">
<ows:Value>http://www.isotc211.org/2005/gmd</ows:Value></ows:Parameter></ows:Operation></ows:OperationsMetadata>
</csw:Capabilities>"""
_CAP = 100
_RECORD = """<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
<gmd:fileIdentifier><gco:CharacterString>{id}</gco:CharacterString></gmd:fileIdentifier>
<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>
<gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>
<gmd:abstract><gco:CharacterString>A record that a test made.</gco:CharacterString></gmd:abstract>
</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"""


class CswServer(ThreadingHTTPServer):
    """On a free port of this machine. ``cap``: the most records of one answer."""

    daemon_threads = True

    def __init__(self, pages: Pages, cap: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages, self.cap = pages, cap


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: CswServer

    def do_GET(self) -> None:
        self._send(_CAPABILITIES)

    def do_POST(self) -> None:
        query = etree.fromstring(self.rfile.read(int(self.headers.get("content-length", "0"))))
        start, size = int(query.get("startPosition", "1")), min(int(query.get("maxRecords", "10")), self.server.cap)
        matched, page = self.server.pages(start - 1, size)
        following = start + len(page) if start + len(page) <= matched else 0
        self._send(
            f'<csw:GetRecordsResponse xmlns:csw="{_CSW}"><csw:SearchResults numberOfRecordsMatched="{matched}" '
            f'numberOfRecordsReturned="{len(page)}" nextRecord="{following}">{"".join(page)}</csw:SearchResults>'
            "</csw:GetRecordsResponse>"
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


@contextmanager
def catalogue_server(records: dict[str, str], cap: int = _CAP, page_s: float = 0.0) -> Iterator[str]:
    """The address of a catalogue that holds ``records`` (id to title) as they are at each request.

    ``cap``: the most records of a page; ``page_s``: seconds that each takes.
    """

    def pages(first: int, size: int) -> tuple[int, list[str]]:
        time.sleep(page_s)
        now = dict(records)
        page = sorted(now)[first : first + size]
        return len(now), [_RECORD.format(id=escape(id), title=escape(now[id])) for id in page]

    with served(CswServer(pages, cap)) as url:
        yield f"{url}/csw"
