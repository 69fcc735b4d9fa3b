"""Namespaces, schemas and queryable names of CSW 2.0.2."""

from __future__ import annotations

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

ANY_TEXT, ABSTRACT, IDENTIFIER = "anytext", "abstract", "identifier"
"""Names that are no property of the house: all texts, the abstract's words, either identifier."""

QUERYABLES: dict[str, str] = {
    "anytext": ANY_TEXT,
    "any": ANY_TEXT,
    "abstract": ABSTRACT,
    "description": ABSTRACT,
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
    "boundingbox": "geometry",
    "spatial": "geometry",
    "coverage": "geometry",
    "topiccategory": "themes",
    "parentidentifier": "parent",
    "denominator": "scale",
    "distancevalue": "resolution",
    "tempextent_begin": "time",
    "tempextent_end": "time",
}
"""Local name of a CSW or ISO queryable, in small letters, to the property of the house that answers it."""

SUPPORTED = (
    "csw:AnyText", "dc:title", "dc:identifier", "dc:subject", "dct:abstract", "dc:type", "dc:format", "dc:language",
    "dct:modified", "dc:date", "dc:creator", "dc:publisher", "dc:contributor", "dc:rights", "ows:BoundingBox",
)  # fmt: skip
ADDITIONAL = (
    "apiso:TopicCategory", "apiso:ParentIdentifier", "apiso:Denominator", "apiso:DistanceValue",
    "apiso:OrganisationName", "apiso:TempExtent_begin", "apiso:TempExtent_end", "apiso:CreationDate",
    "apiso:PublicationDate", "apiso:RevisionDate",
)  # fmt: skip


def local(name: str) -> str:
    """``apiso:Title`` and ``/csw:Record/dc:title`` as ``title``."""
    return name.rsplit("/", 1)[-1].rsplit(":", 1)[-1].strip().lower()
