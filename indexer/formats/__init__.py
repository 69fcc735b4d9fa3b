"""How a document becomes a core.record.Record: recognised once by its content, then read by the reader of its format.

=================  =====================================================================================
registry           what the harvest calls: ``separate`` a file into its records, ``read`` one record
recognition        the list of formats, and which of them a document has
splitting/         the records inside a server's answer, a catalogue, a graph or a web page
readers/           one module per format: ``read(raw, source)``, the recogniser, and the ``FORMAT``
draft              the record while a reader fills it: repairs values and keeps the warnings
iso/               the subjects of ISO 19115 metadata in XML: citation, extents, keywords, distribution
repair/            single values: texts, links, licences, codes, names, dates, resolutions, places
json_documents/    JSON, JSON-LD, web pages with JSON-LD, and RDF as plain values
xml_documents      the XML parser, and elements by local name
survey             how much the readers read from a set of documents
stated_fields      which fields a document states, by the paths of its format; the survey compares
field_table        the tables of docs/stewards/formats.md
=================  =====================================================================================
"""
