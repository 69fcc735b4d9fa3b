"""Maps the resource types of every standard to Record's types (ISO 19115 scope codes and a few more)."""

from __future__ import annotations

_BY_NAME = {
    name.lower(): name
    for name in (
        "dataset", "series", "service", "document", "software", "collection", "nonGeographicDataset", "tile", "model",
        "feature", "featureType", "attribute", "attributeType", "propertyType", "fieldSession", "collectionSession",
        "collectionHardware", "dimensionGroup", "initiative", "sensor", "platform", "map", "sample", "aggregate",
    )
} | {
    "application": "software", "datasetcollection": "collection", "collectionofdatasets": "collection",
    "paper": "document", "publication": "document", "nongeographic": "nonGeographicDataset",
    "repository": "collection", "services": "service", "seriesofdatasets": "series",
}  # fmt: skip
_OF_OTHER_STANDARDS = {
    "datasets": "dataset", "data": "dataset", "data set": "dataset", "image": "dataset", "imagery": "dataset",
    "stillimage": "dataset", "geospatial dataset": "dataset", "dataservice": "service", "web services": "service",
    "webservice": "service", "datasetseries": "series", "catalog": "collection", "catalogue": "collection",
    "text": "document", "report": "document", "journalarticle": "document", "article": "document",
    "datapaper": "document", "book": "document", "bookchapter": "document", "conferencepaper": "document",
    "conferenceproceeding": "document", "preprint": "document", "dissertation": "document", "thesis": "document",
    "presentation": "document", "poster": "document", "publication-article": "document", "workflow": "software",
    "computationalnotebook": "software", "softwaresourcecode": "software", "softwareapplication": "software",
    "instrument": "collectionHardware", "physicalobject": "sample", "maps": "map", "collections": "collection",
    "scholarlyarticle": "document", "websites": "service", "interactiveresource": "service",
}  # fmt: skip


def scope(stated: str) -> str | None:
    """The ISO scope code, ignoring blanks and case; None for any other text."""
    return _BY_NAME.get(stated.replace(" ", "").lower())


def resource_type(stated: str) -> str | None:
    """The type for a word of any standard, or for a URI that ends with it; None where it is unknown."""
    last = stated.strip().rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2]
    for name in (last, stated):
        found = scope(name) or _OF_OTHER_STANDARDS.get(name.strip().lower())
        if found is not None:
            return found
    return None
