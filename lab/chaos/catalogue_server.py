"""A small CSW over records in memory, so that a catalogue can change between two harvests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

from evaluation.local_server import served
from lab.chaos.csw import CswServer

_CAP = 100
_RECORD = """<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco">
<gmd:fileIdentifier><gco:CharacterString>{id}</gco:CharacterString></gmd:fileIdentifier>
<gmd:identificationInfo><gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>
<gmd:title><gco:CharacterString>{title}</gco:CharacterString></gmd:title></gmd:CI_Citation></gmd:citation>
<gmd:abstract><gco:CharacterString>A record that a test made.</gco:CharacterString></gmd:abstract>
</gmd:MD_DataIdentification></gmd:identificationInfo></gmd:MD_Metadata>"""


@contextmanager
def catalogue_server(records: dict[str, str], cap: int = _CAP, page_s: float = 0.0) -> Iterator[str]:
    """The address of a catalogue that holds ``records`` (id to title) as they are at each request.

    ``cap``: the most records of a page; ``page_s``: seconds that each takes.
    """

    def pages(first: int, size: int) -> tuple[int, list[str]]:
        time.sleep(page_s)
        now = dict(records)
        some = sorted(now)[first : first + size]
        return len(now), [_RECORD.format(id=escape(id), title=escape(now[id])) for id in some]

    with served(CswServer(pages, cap)) as url:
        yield f"{url}/csw"
