"""A small CSW 2.0.2: capabilities, and pages of ISO 19139 records that whoever holds them writes."""

from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from lxml import etree

Pages = Callable[[int, int], tuple[int, list[str]]]
"""From the first record's place (from 0) and the most that are wanted to how many there are in all, and these."""

_CSW = "http://www.opengis.net/cat/csw/2.0.2"
_CAPABILITIES = f"""<csw:Capabilities xmlns:csw="{_CSW}" xmlns:ows="http://www.opengis.net/ows" version="2.0.2">
<ows:OperationsMetadata><ows:Operation name="GetRecords"><ows:Parameter name="outputSchema">
<ows:Value>http://www.isotc211.org/2005/gmd</ows:Value></ows:Parameter></ows:Operation></ows:OperationsMetadata>
</csw:Capabilities>"""


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
        asked = etree.fromstring(self.rfile.read(int(self.headers.get("content-length", "0"))))
        start, size = int(asked.get("startPosition", "1")), min(int(asked.get("maxRecords", "10")), self.server.cap)
        matched, some = self.server.pages(start - 1, size)
        following = start + len(some) if start + len(some) <= matched else 0
        self._send(
            f'<csw:GetRecordsResponse xmlns:csw="{_CSW}"><csw:SearchResults numberOfRecordsMatched="{matched}" '
            f'numberOfRecordsReturned="{len(some)}" nextRecord="{following}">{"".join(some)}</csw:SearchResults>'
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
