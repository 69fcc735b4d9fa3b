"""The list of metadata formats. A new format is a module with a ``FORMAT``, and one line in the list here.

The first format that recognises a document reads it. Specific formats therefore come first: JSON profiles before
plain DCAT and schema.org, which many other documents resemble.
"""

from __future__ import annotations

from indexer.formats import (
    ckan,
    datacite,
    dcat,
    dif,
    dublin_core,
    echo10,
    eml,
    fgdc,
    geoblacklight,
    iso19115_3,
    iso19139,
    ogc_record,
    schema_org,
    stac,
    umm_c,
)
from indexer.formats.format import Format

_LISTED = (
    iso19139.FORMAT,
    iso19139.FORMAT_WITH_IMAGERY,
    iso19115_3.FORMAT,
    fgdc.FORMAT,
    eml.FORMAT,
    dif.FORMAT,
    echo10.FORMAT,
    stac.FORMAT,
    ogc_record.FORMAT,
    umm_c.FORMAT,
    geoblacklight.FORMAT,
    datacite.FORMAT,
    ckan.FORMAT,
    dcat.FORMAT,
    schema_org.FORMAT,
    dublin_core.FORMAT,
)
FORMATS: dict[str, Format] = {one.name: one for one in _LISTED}
