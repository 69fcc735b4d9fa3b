"""A small CSW 2.0.2 over records in memory, so that a catalogue can change between two harvests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lxml import etree

_CSW = "http://www.opengis.net/cat/csw/2.0.2"
_CAP = 100
_CAPABILITIES = f"""<csw:Capabilities xmlns:csw="{_CSW}" xmlns:ows="http://www.opengis.net/ows" version="2.0.2">
<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:Parameter name="outputSchema">
<ows:Value>http://www.isotc211.org/2005/gmd</ows:Value></ows:Parameter></ows:Operation></ows:OperationsMetadata>
</csw:Capabilities>"""
_RECORD = """<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
<gmd:fileIdentifier><gco:CharacterString>{id}</gco:CharacterString></gmd:fileIdentifier>
<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>
<gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>
<gmd:abstract><gco:CharacterString>A record that a test made.</gco:CharacterString></gmd:abstract>
</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"""


@contextmanager
def catalogue_server(records: dict[str, str]) -> Iterator[str]:
    """The address of a catalogue that holds ``records`` (id to title) as they are at each request."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.records = records
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), name="catalogue", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/csw"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    records: dict[str, str]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._send(_CAPABILITIES)

    def do_POST(self) -> None:
        asked = etree.fromstring(self.rfile.read(int(self.headers.get("content-length", "0"))))
        start, size = int(asked.get("startPosition", "1")), min(int(asked.get("maxRecords", "10")), _CAP)
        records = dict(self.server.records)
        some = sorted(records)[start - 1 : start - 1 + size]
        following = start + len(some) if start + len(some) <= len(records) else 0
        body = "".join(_RECORD.format(id=escape(id), title=escape(records[id])) for id in some)
        self._send(
            f'<csw:GetRecordsResponse xmlns:csw="{_CSW}"><csw:SearchResults numberOfRecordsMatched="{len(records)}" '
            f'numberOfRecordsReturned="{len(some)}" nextRecord="{following}">{body}</csw:SearchResults>'
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
