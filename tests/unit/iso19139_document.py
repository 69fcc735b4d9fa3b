"""ISO 19139 documents for tests, written here: a skeleton and the parts that a test is about."""

from __future__ import annotations

from core.record import Record
from indexer.formats.registry import read
from indexer.raw import RawRecord

NAMESPACES = """xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"
 xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:gmi="http://www.isotc211.org/2005/gmi"
 xmlns:srv="http://www.isotc211.org/2005/srv" xmlns:gml="http://www.opengis.net/gml/3.2"
 xmlns:gml31="http://www.opengis.net/gml" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance\""""


def text(name: str, value: str) -> str:
    return f"<gmd:{name}><gco:CharacterString>{value}</gco:CharacterString></gmd:{name}>"


def code(name: str, kind: str, value: str) -> str:
    return f'<gmd:{name}><gmd:{kind} codeList="#{kind}" codeListValue="{value}">{value}</gmd:{kind}></gmd:{name}>'


def citation(inner: str, name: str = "citation") -> str:
    return f"<gmd:{name}><gmd:CI_Citation>{inner}</gmd:CI_Citation></gmd:{name}>"


def geographic(element: str) -> str:
    return f"<gmd:geographicElement>{element}</gmd:geographicElement>"


def temporal(primitive: str) -> str:
    inner = f"<gmd:EX_TemporalExtent><gmd:extent>{primitive}</gmd:extent></gmd:EX_TemporalExtent>"
    return f"<gmd:temporalElement>{inner}</gmd:temporalElement>"


def box(west: object, south: object, east: object, north: object) -> str:
    edges = {
        "westBoundLongitude": west,
        "eastBoundLongitude": east,
        "southBoundLatitude": south,
        "northBoundLatitude": north,
    }
    inner = "".join(f"<gmd:{name}><gco:Decimal>{value}</gco:Decimal></gmd:{name}>" for name, value in edges.items())
    return geographic(f"<gmd:EX_GeographicBoundingBox>{inner}</gmd:EX_GeographicBoundingBox>")


def polygon(gml: str) -> str:
    return geographic(f"<gmd:EX_BoundingPolygon><gmd:polygon>{gml}</gmd:polygon></gmd:EX_BoundingPolygon>")


def period(inner: str, gml: str = "gml") -> str:
    return temporal(f"<{gml}:TimePeriod {gml}:id='t'>{inner}</{gml}:TimePeriod>")


def begin_end(begin: str, end: str, gml: str = "gml") -> str:
    return period(
        f"<{gml}:beginPosition>{begin}</{gml}:beginPosition><{gml}:endPosition>{end}</{gml}:endPosition>", gml
    )


def extent(*inner: str) -> str:
    return f"<gmd:extent><gmd:EX_Extent>{''.join(inner)}</gmd:EX_Extent></gmd:extent>"


def document(
    identification: str = "",
    metadata: str = "",
    *,
    title: str | None = "Rain gauges of the Limpopo",
    abstract: str | None = "Daily sums.",
    identifier: str | None = "za.rain.1",
    cited: str = "",
    root: str = "gmd:MD_Metadata",
    kind: str = "gmd:MD_DataIdentification",
) -> bytes:
    titled = "" if title is None else text("title", title)
    summary = "" if abstract is None else text("abstract", abstract)
    named = "" if identifier is None else text("fileIdentifier", identifier)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {NAMESPACES}>{named}{metadata}<gmd:identificationInfo>'
        f"<{kind}>{citation(titled + cited)}{summary}{identification}</{kind}></gmd:identificationInfo></{root}>"
    ).encode()


def record(*args: str, **parts: str | None) -> Record:
    """The Record of ``document(...)`` in the source ``test``; its native id is ``folder/file.xml``."""
    return read_bytes(document(*args, **parts))  # type: ignore[arg-type]


def read_bytes(content: bytes) -> Record:
    return read(RawRecord("folder/file.xml", content, "/x/folder/file.xml"), "test")
