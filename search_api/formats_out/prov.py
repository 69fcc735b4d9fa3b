"""Writes the provenance of a record as PROV-O in JSON-LD."""

from __future__ import annotations

from core.json_types import Json
from core.record import Record
from search_api.formats_out.notations import iri, without_empty

CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "dct": "http://purl.org/dc/terms/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "sonde": "urn:sonde:",
}


def provenance(record: Record, address: str, harvest: Harvest) -> Json:
    """The resource, its sources and makers, and the harvest that imported its metadata."""
    entity: Json = {
        "@id": address,
        "@type": "prov:Entity",
        "dct:title": record.title,
        "sonde:kind": record.provenance.kind,
        "sonde:kindSource": record.provenance.kind_source,
        "dct:provenance": record.provenance.lineage,
        "prov:wasDerivedFrom": [_node(text, "prov:Entity") for text in record.provenance.derived_from],
        "prov:wasGeneratedBy": [_node(text, "prov:Activity") for text in record.provenance.generated_by],
        "prov:wasAttributedTo": [_node(text, "prov:Agent") for text in record.provenance.attributed_to],
    }
    return {"@context": CONTEXT, "@graph": [without_empty(entity), harvest.as_json(record, address)]}


class Harvest:
    """The catalogue and run that imported the metadata, and when they were first seen and last written."""

    def __init__(self, run: str | None, first_seen: str | None, written_at: str | None) -> None:
        self._run, self._first_seen, self._written = run, first_seen, written_at

    def as_json(self, record: Record, address: str) -> Json:
        activity = {
            "@id": f"urn:sonde:run:{self._run}" if self._run else None,
            "@type": "prov:Activity",
            "rdfs:label": "harvest",
            "prov:used": {"@id": f"urn:sonde:source:{record.source}", "@type": "prov:Entity"},
        }
        metadata = {
            "@id": f"{address}#metadata",
            "@type": "prov:Entity",
            "rdfs:label": "metadata record",
            "dct:subject": {"@id": address},
            "dct:format": record.native_format,
            "dct:identifier": record.identifier,
            "prov:generatedAtTime": self._instant(self._written),
            "sonde:firstSeen": self._instant(self._first_seen),
            "prov:wasGeneratedBy": without_empty(activity),
        }
        return without_empty(metadata)

    @staticmethod
    def _instant(text: str | None) -> Json | None:
        return {"@value": text, "@type": "xsd:dateTime"} if text else None


def _node(text: str, kind: str) -> Json:
    """A resource by its IRI, else a blank node with the text as its label."""
    address = iri(text)
    return {"@id": address, "@type": kind} if address else {"@type": kind, "rdfs:label": text}
