"""Namespaces, schemas and queryable names of CSW 2.0.2, and its errors."""

from __future__ import annotations

from typing import Final

CSW = "http://www.opengis.net/cat/csw/2.0.2"
OGC = "http://www.opengis.net/ogc"
OWS = "http://www.opengis.net/ows"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
GML = "http://www.opengis.net/gml"
XLINK = "http://www.w3.org/1999/xlink"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
XSD = "http://www.w3.org/2001/XMLSchema"
INSPIRE_DS = "http://inspire.ec.europa.eu/schemas/inspire_ds/1.0"
INSPIRE = "http://inspire.ec.europa.eu/schemas/common/1.0"

NSMAP = {"csw": CSW, "ows": OWS, "ogc": OGC, "dc": DC, "dct": DCT, "gml": GML, "xlink": XLINK, "xsi": XSI}
VERSION = "2.0.2"
RECORD_SCHEMA = "http://schemas.opengis.net/csw/2.0.2/record.xsd"

ANY_TEXT: Final = "anytext"
ABSTRACT: Final = "abstract"
IDENTIFIER: Final = "identifier"
"""Names that are no property of the house: all texts, the abstract's words, either identifier."""

SOURCES, REFERENCES = "dc:source", "dct:references"
"""Elements of our csw:Record that have a field in the index, but no name in the OGC API."""

CSW_QUERYABLES: dict[str, str] = {
    "anytext": ANY_TEXT,
    "any": ANY_TEXT,
    "abstract": ABSTRACT,
    "description": ABSTRACT,
    "source": SOURCES,
    "references": REFERENCES,
    "identifier": IDENTIFIER,
    "title": "title",
    "subject": "keywords",
    "keyword": "keywords",
    "keywordtype": "keywords",
    "type": "type",
    "format": "formats",
    "language": "language",
    "modified": "updated",
    "revisiondate": "updated",
    "date": "created",
    "created": "created",
    "creationdate": "created",
    "publicationdate": "created",
    "creator": "organisation",
    "publisher": "organisation",
    "contributor": "organisation",
    "organisationname": "organisation",
    "rights": "license",
    "license": "license",
    "issued": "created",
    "boundingbox": "geometry",
    "topiccategory": "themes",
    "parentidentifier": "parent",
    "relation": "parent",
    "ispartof": "parent",
    "denominator": "scale",
    "distancevalue": "resolution",
    "tempextent_begin": "time",
    "tempextent_end": "time",
}
"""Local name of a CSW or ISO queryable, in small letters, to the property of the house that answers it."""

ELEMENTS = frozenset((
    "anytext", "boundingbox", "contributor", "coverage", "creator", "date", "description", "format", "identifier",
    "language", "publisher", "relation", "rights", "source", "subject", "title", "type", "abstract", "accessrights",
    "alternative", "audience", "available", "bibliographiccitation", "conformsto", "created", "dateaccepted",
    "datecopyrighted", "datesubmitted", "educationlevel", "extent", "hasformat", "haspart", "hasversion", "isformatof",
    "ispartof", "isreferencedby", "isreplacedby", "isrequiredby", "issued", "isversionof", "license", "mediator",
    "medium", "modified", "provenance", "references", "replaces", "requires", "rightsholder", "spatial",
    "tableofcontents", "temporal", "valid",
))  # fmt: skip
"""The elements of csw:Record (record.xsd) in small letters. One without a property here is NULL in every record."""

SUPPORTED = (
    "csw:AnyText", "dc:title", "dc:identifier", "dc:subject", "dct:abstract", "dc:type", "dc:format", "dc:language",
    "dct:modified", "dc:date", "dc:creator", "dc:publisher", "dc:contributor", "dc:rights", "dc:relation", "dc:source",
    "dct:references", "dct:isPartOf", "dct:created", "dct:issued", "dct:license", "ows:BoundingBox",
)  # fmt: skip
ADDITIONAL = (
    "apiso:TopicCategory", "apiso:ParentIdentifier", "apiso:Denominator", "apiso:DistanceValue",
    "apiso:OrganisationName", "apiso:TempExtent_begin", "apiso:TempExtent_end", "apiso:CreationDate",
    "apiso:PublicationDate", "apiso:RevisionDate",
)  # fmt: skip


def local(name: str) -> str:
    """``apiso:Title`` and ``/csw:Record/dc:title`` as ``title``."""
    return name.rsplit("/", 1)[-1].rsplit(":", 1)[-1].strip().lower()


class CswError(Exception):
    """An exception of OWS Common 1.0, with its code and the parameter that is wrong."""

    def __init__(self, code: str, message: str, locator: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.locator = locator
