"""DCAT 3 / DCAT-AP as RDF: Turtle, JSON-LD or RDF/XML."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal as OneOf
from typing import get_args
from urllib.parse import quote

from lxml import etree
from rdflib import DCAT, DCTERMS, FOAF, RDF, RDFS, SKOS, XSD, BNode, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from core.geo import BBox
from core.record import HIGH_VALUE_VOCABULARIES, Contact, Keyword, Link, Record
from core.timespan import TimeSpan, iso
from search_api.formats_out.notations import (
    DcatFeed,
    FeedPage,
    NameKind,
    OutputFormat,
    degrees,
    iri,
    legal_xml,
    licence_url,
    names_beside_keywords,
    wkt,
)

Syntax = OneOf["turtle", "json-ld", "xml"]

_VCARD = Namespace("http://www.w3.org/2006/vcard/ns#")
_GEOSPARQL = Namespace("http://www.opengis.net/ont/geosparql#")
_HYDRA = Namespace("http://www.w3.org/ns/hydra/core#")
_PROV = Namespace("http://www.w3.org/ns/prov#")
_ADMS = Namespace("http://www.w3.org/ns/adms#")
_ACCESS = Namespace("http://publications.europa.eu/resource/authority/access-right/")
_LANGUAGES = Namespace("http://id.loc.gov/vocabulary/iso639-1/")
_DCATAP = Namespace("http://data.europa.eu/r5r/")
_LOCN = Namespace("http://www.w3.org/ns/locn#")
_DQV = Namespace("http://www.w3.org/ns/dqv#")
_GEODCAT = Namespace("http://data.europa.eu/930/")
_RESOURCE_TYPE = Namespace("http://inspire.ec.europa.eu/metadata-codelist/ResourceType/")
_ROLES = "http://inspire.ec.europa.eu/metadata-codelist/ResponsiblePartyRole/"
_MEDIA = Namespace("https://www.iana.org/assignments/media-types/")

_DCAT_VERSION = URIRef(f"{DCAT}version")  # of DCAT 3, which rdflib does not know yet
_KINDS: tuple[NameKind, ...] = get_args(NameKind)

_HIGH_VALUE = {vocabulary: _DCATAP[name] for name, vocabulary in HIGH_VALUE_VOCABULARIES.items()}
_TWO_LETTERS = re.compile(r"^[a-z]{2}$")
_PYTHON_YEAR = re.compile(r"^(?!0000)\d{4}(?!\d)")
_DOWNLOADS = frozenset(("download", "enclosure", "item", "data"))
_ROLES_WITH_PROPERTY = ("author", "publisher", "pointOfContact")
_PUBLISHERS = ("publisher", "distributor", "resourceProvider", "owner", "custodian")


def empty_graph() -> Graph:
    graph = Graph(bind_namespaces="none")
    bound = {"dcat": DCAT, "dct": DCTERMS, "foaf": FOAF, "vcard": _VCARD, "skos": SKOS, "rdfs": RDFS, "prov": _PROV}
    for name, namespace in (
        bound | {"gsp": _GEOSPARQL, "hydra": _HYDRA, "adms": _ADMS, "dcatap": _DCATAP, "xsd": XSD, "rdf": RDF}
    ).items():
        graph.bind(name, namespace)
    return graph


def record_text(record: Record, address: str, syntax: Syntax) -> str:
    """Only the record."""
    graph = empty_graph()
    add_record(graph, record, URIRef(address))
    return _serialise(graph, syntax)


def catalogue_text(page: FeedPage, syntax: Syntax) -> str:
    """A catalogue with one page of its records."""
    about = page.about
    graph, catalogue = empty_graph(), URIRef(about.address)
    graph.add((catalogue, RDF.type, DCAT.Catalog))
    graph.add((catalogue, DCTERMS.title, _text(about.title)))
    graph.add((catalogue, DCTERMS.description, Literal("Records of geoscience and environmental data catalogues.")))
    publisher = _blank(graph)
    graph.add((catalogue, DCTERMS.publisher, publisher))
    _add_agent(graph, publisher, Contact(organisation=about.publisher, email=about.mail), about.publisher)
    for record, address in page.entries:
        add_record(graph, record, URIRef(address))
        graph.add((catalogue, DCAT.service if record.type == "service" else DCAT.dataset, URIRef(address)))
    _add_paging(graph, catalogue, page)
    return _serialise(graph, syntax)


def _serialise(graph: Graph, syntax: Syntax) -> str:
    """RDF/XML with sorted subjects, because rdflib's order differs between processes."""
    text = graph.serialize(format=syntax)
    if syntax != "xml":
        return text
    root = etree.fromstring(text.encode(), etree.XMLParser(remove_blank_text=True))
    root[:] = sorted(root, key=lambda subject: sorted(map(str, subject.attrib.values())))
    return etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True).decode()


def _add_paging(graph: Graph, catalogue: URIRef, page: FeedPage) -> None:
    """Paging as the harvesters of CKAN and data.europa.eu follow it (hydra:PartialCollectionView)."""
    view = URIRef(page.address)
    graph.add((catalogue, RDF.type, _HYDRA.Collection))
    graph.add((catalogue, _HYDRA.totalItems, Literal(page.matched)))
    graph.add((catalogue, _HYDRA.view, view))
    graph.add((view, RDF.type, _HYDRA.PartialCollectionView))
    graph.add((view, _HYDRA.first, URIRef(page.first)))
    if page.following is not None:
        graph.add((view, _HYDRA.next, URIRef(page.following)))


def add_record(graph: Graph, record: Record, about: URIRef) -> None:
    """Adds everything that DCAT can express."""
    graph.add((about, RDF.type, DCAT.DataService if record.type == "service" else DCAT.Dataset))
    language = next((code for code in record.languages if _TWO_LETTERS.match(code)), None)
    graph.add((about, DCTERMS.title, _text(record.title, language)))
    graph.add((about, DCTERMS.description, _text(record.abstract or record.title, language)))
    graph.add((about, DCTERMS.identifier, _text(record.identifier)))
    doi = iri(f"https://doi.org/{record.doi}") if record.doi else None
    if doi:
        graph.add((about, _ADMS.identifier, URIRef(doi)))
        graph.add((URIRef(doi), RDF.type, _ADMS.Identifier))
        graph.add((URIRef(doi), SKOS.notation, Literal(doi, datatype=XSD.anyURI)))
    _add_terms(graph, record, about, language if len(record.languages) == 1 else None)
    _add_dates(graph, record, about)
    _add_rights(graph, record, about)
    for contact in record.contacts:
        _add_contact(graph, contact, about)
    for box in record.extents:
        _add_box(graph, box, about)
    if (shape := wkt(record.geometry)) is not None:
        _add_place(graph, about, _LOCN.geometry, shape)
    for span in record.times:
        _add_span(graph, span, about)
    _add_resolution(graph, record, about)
    _add_provenance(graph, record, about)
    for position, link in enumerate(record.links):
        _add_link(graph, link, record, about, position)


def _add_terms(graph: Graph, record: Record, about: URIRef, language: str | None) -> None:
    for keyword in record.keywords:
        property = _HIGH_VALUE.get(keyword.vocabulary or "")
        if property is not None and _add_resource(graph, about, property, keyword.uri):
            continue
        graph.add((about, DCAT.keyword, _text(keyword.term, language)))
        _add_resource(graph, about, DCAT.theme, keyword.uri)
        if keyword.vocabulary or iri(keyword.uri):
            _add_subject(graph, keyword, about)
    _add_kind_and_names(graph, record, about)
    for code in record.languages:
        if _TWO_LETTERS.match(code):
            graph.add((about, DCTERMS.language, _LANGUAGES[code]))


def _add_kind_and_names(graph: Graph, record: Record, about: URIRef) -> None:
    for theme in record.themes:
        _add_node(graph, about, _GEODCAT.topicCategory, SKOS.Concept, (SKOS.prefLabel, _text(theme)))
    for title in record.alternate_titles:
        graph.add((about, DCTERMS.alternative, _text(title)))
    if record.edition:
        graph.add((about, _DCAT_VERSION, _text(record.edition)))
    _add_names(graph, record, about)
    for name in record.formats:
        graph.add((about, DCTERMS.format, _text(name)))
    if record.parent and not _add_resource(graph, about, DCTERMS.isPartOf, record.parent):
        _add_node(graph, about, DCTERMS.isPartOf, None, (DCTERMS.identifier, _text(record.parent)))
    if record.type == "series":
        graph.add((about, DCTERMS.type, _RESOURCE_TYPE.series))
    elif record.type not in ("dataset", "service"):
        _add_node(graph, about, DCTERMS.type, SKOS.Concept, (SKOS.prefLabel, _text(record.type)))


def _add_names(graph: Graph, record: Record, about: URIRef) -> None:
    """Short names as alternative titles: among several identifiers, no reader could tell which is the record's own.

    DCAT has no terms for the others, so they are subjects of schemes.
    """
    for name in record.names.short_names:
        graph.add((about, DCTERMS.alternative, _text(name)))
    for kind in _KINDS:
        for name in names_beside_keywords(record, kind):
            _add_subject(graph, Keyword(name, kind), about)
    if record.names.processing_level:
        _add_subject(graph, Keyword(record.names.processing_level, "processing level"), about)


def _add_subject(graph: Graph, keyword: Keyword, about: URIRef) -> None:
    """The concept of a keyword, with the title of its vocabulary."""
    address = iri(keyword.uri)
    concept = _blank(graph) if address is None else URIRef(address)
    graph.add((about, DCTERMS.subject, concept))
    graph.add((concept, RDF.type, SKOS.Concept))
    graph.add((concept, SKOS.prefLabel, _text(keyword.term)))
    if keyword.vocabulary:
        _add_node(graph, concept, SKOS.inScheme, SKOS.ConceptScheme, (DCTERMS.title, _text(keyword.vocabulary)))


def _add_node(
    graph: Graph, about: Node, predicate: URIRef, kind: URIRef | None, *properties: tuple[URIRef, Node]
) -> BNode:
    """A blank node with its class and properties."""
    node = _blank(graph)
    graph.add((about, predicate, node))
    if kind is not None:
        graph.add((node, RDF.type, kind))
    for name, value in properties:
        graph.add((node, name, value))
    return node


def _add_dates(graph: Graph, record: Record, about: URIRef) -> None:
    for predicate, text in (
        (DCTERMS.created, record.dates.created),
        (DCTERMS.issued, record.dates.published),
        (DCTERMS.modified, record.dates.modified),
    ):
        if text:
            graph.add((about, predicate, _date(text)))


def _blank(graph: Graph) -> BNode:
    """A blank node, numbered by the number of earlier statements, so that equal records give equal bytes.

    Add a statement about it before making the next one.
    """
    return BNode(f"b{len(graph)}")


def _text(text: str, language: str | None = None) -> Literal:
    """Removes the characters that RDF/XML cannot contain."""
    return Literal(legal_xml(text), lang=language)


def _date(text: str) -> Literal:
    """In the precision given; a year that rdflib cannot parse (the Holocene) stays plain text."""
    if not _PYTHON_YEAR.match(text):
        return Literal(text)
    kind = {4: XSD.gYear, 7: XSD.gYearMonth, 10: XSD.date}.get(len(text), XSD.dateTime)
    return Literal(text, datatype=kind, normalize=False)


def _add_rights(graph: Graph, record: Record, about: URIRef) -> None:
    graph.add((about, DCTERMS.accessRights, _ACCESS["PUBLIC" if record.access == "open" else "RESTRICTED"]))
    licence = licence_url(record.licence)
    if licence:
        graph.add((about, DCTERMS.license, URIRef(licence)))
    elif record.licence:
        _add_node(graph, about, DCTERMS.license, DCTERMS.LicenseDocument, (RDFS.label, _text(record.licence)))
    for text in record.constraints:
        _add_node(graph, about, DCTERMS.rights, DCTERMS.RightsStatement, (RDFS.label, _text(text)))


def _add_contact(graph: Graph, contact: Contact, about: URIRef) -> None:
    name = contact.organisation or contact.name
    if name is None:
        return
    if contact.role not in _ROLES_WITH_PROPERTY:
        _add_attribution(graph, contact, about)
    node = _blank(graph)
    if contact.role in _PUBLISHERS and (about, DCTERMS.publisher, None) not in graph:
        graph.add((about, DCTERMS.publisher, node))
        _add_agent(graph, node, contact, contact.name if contact.role == "publisher" and contact.name else name)
    elif contact.role in ("author", "originator", "principalInvestigator"):
        graph.add((about, DCTERMS.creator, node))
        _add_agent(graph, node, contact, contact.name or name)
    else:
        graph.add((about, DCAT.contactPoint, node))
        graph.add((node, RDF.type, _VCARD.Individual if contact.name else _VCARD.Organization))
        graph.add((node, _VCARD.fn, _text(contact.name or name)))
        _add_place_of_work(graph, node, contact)
        _add_mail(graph, node, _VCARD.hasEmail, contact.email)


def _add_agent(graph: Graph, node: Node, contact: Contact, name: str) -> None:
    graph.add((node, RDF.type, FOAF.Agent))  # DCAT-AP requires it by name; few readers know its superproperty
    graph.add((node, RDF.type, FOAF.Person if name == contact.name else FOAF.Organization))
    graph.add((node, FOAF.name, _text(name)))
    if name == contact.name:
        _add_place_of_work(graph, node, contact)
    _add_mail(graph, node, FOAF.mbox, contact.email)


def _add_place_of_work(graph: Graph, node: Node, contact: Contact) -> None:
    if contact.name and contact.organisation:
        graph.add((node, _VCARD["organization-name"], _text(contact.organisation)))


def _add_attribution(graph: Graph, contact: Contact, about: URIRef) -> None:
    """The exact role, as in GeoDCAT-AP; readers of the plain properties find those as well."""
    if contact.role is None:
        return
    role = (DCAT.hadRole, URIRef(f"{_ROLES}{quote(contact.role, safe='')}"))
    attribution = _add_node(graph, about, _PROV.qualifiedAttribution, _PROV.Attribution, role)
    agent = _blank(graph)
    graph.add((attribution, _PROV.agent, agent))
    _add_agent(graph, agent, contact, contact.name or contact.organisation or "")


def _add_mail(graph: Graph, node: Node, predicate: URIRef, mail: str | None) -> None:
    address = iri(f"mailto:{mail.strip()}") if mail and "@" in mail else None
    if address:
        graph.add((node, predicate, URIRef(address)))


def _add_box(graph: Graph, box: BBox, about: URIRef) -> None:
    rings = [_ring(*map(degrees, part.as_list())) for part in box.parts()]
    text = f"POLYGON {rings[0]}" if len(rings) == 1 else f"MULTIPOLYGON ({', '.join(rings)})"
    if box.is_point:
        text = f"POINT ({degrees(box.west)} {degrees(box.south)})"
    _add_place(graph, about, DCAT.bbox, text)


def _add_place(graph: Graph, about: URIRef, predicate: URIRef, wkt_text: str) -> None:
    literal = Literal(wkt_text, datatype=_GEOSPARQL.wktLiteral)
    _add_node(graph, about, DCTERMS.spatial, DCTERMS.Location, (predicate, literal))


def _ring(west: str, south: str, east: str, north: str) -> str:
    return f"(({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


def _add_span(graph: Graph, span: TimeSpan, about: URIRef) -> None:
    edges = ((DCAT.startDate, span.start_ms), (DCAT.endDate, span.end_ms))
    known_edges = [(predicate, _date(iso(edge))) for predicate, edge in edges if edge is not None]
    _add_node(graph, about, DCTERMS.temporal, DCTERMS.PeriodOfTime, *known_edges)


def _add_resolution(graph: Graph, record: Record, about: URIRef) -> None:
    if record.resolution.metres is not None:
        graph.add((about, DCAT.spatialResolutionInMeters, Literal(str(record.resolution.metres), datatype=XSD.decimal)))
    if record.resolution.time_step is not None:
        step = Literal(record.resolution.time_step, datatype=XSD.duration, normalize=False)
        graph.add((about, DCAT.temporalResolution, step))
    if record.resolution.scale_denominator:
        scale = f"{1 / record.resolution.scale_denominator:.12f}".rstrip("0")
        value = Literal(scale, datatype=XSD.decimal)
        measured = (_DQV.isMeasurementOf, _GEODCAT.spatialResolutionAsScale)
        _add_node(graph, about, _DQV.hasQualityMeasurement, _DQV.QualityMeasurement, measured, (_DQV.value, value))


def _add_provenance(graph: Graph, record: Record, about: URIRef) -> None:
    if record.provenance.lineage:
        lineage = (RDFS.label, _text(record.provenance.lineage))
        _add_node(graph, about, DCTERMS.provenance, DCTERMS.ProvenanceStatement, lineage)
    for source in record.provenance.derived_from:
        if not _add_resource(graph, about, _PROV.wasDerivedFrom, source):
            _add_node(graph, about, DCTERMS.source, None, (DCTERMS.title, _text(source)))
    for activity in record.provenance.generated_by:
        _add_node(graph, about, _PROV.wasGeneratedBy, _PROV.Activity, (RDFS.label, _text(activity)))


def _add_link(graph: Graph, link: Link, record: Record, about: URIRef, position: int) -> None:
    target = iri(link.href)
    if target is None:
        return
    if link in record.served_data:
        graph.add((about, DCAT.servesDataset, URIRef(target)))
        return
    if record.type == "service":
        graph.add((about, DCAT.endpointURL if position == 0 else FOAF.page, URIRef(target)))
        return
    if link.rel not in _DOWNLOADS:
        graph.add((about, DCAT.landingPage if link.rel == "about" else FOAF.page, URIRef(target)))
        if link.name and link.rel != "about":
            graph.add((URIRef(target), DCTERMS.title, _text(link.name)))
        return
    distribution = URIRef(f"{about}#distribution-{position + 1}")
    graph.add((about, DCAT.distribution, distribution))
    graph.add((distribution, RDF.type, DCAT.Distribution))
    graph.add((distribution, DCAT.accessURL, URIRef(target)))
    graph.add((distribution, DCAT.downloadURL, URIRef(target)))
    media = iri(f"{_MEDIA}{link.media_type}") if link.media_type else None
    if media:
        graph.add((distribution, DCAT.mediaType, URIRef(media)))
    if link.name:
        graph.add((distribution, DCTERMS.title, _text(link.name)))
    if link.description:
        graph.add((distribution, DCTERMS.description, _text(link.description)))


def _add_resource(graph: Graph, about: URIRef, predicate: URIRef, text: str | None) -> bool:
    """Whether the text is an address that can be written."""
    target = iri(text)
    if target:
        graph.add((about, predicate, URIRef(target)))
    return target is not None


TURTLE = OutputFormat(
    "dcat",
    "text/turtle",
    "DCAT as Turtle",
    record=partial(record_text, syntax="turtle"),
    feed=DcatFeed("turtle", partial(catalogue_text, syntax="turtle")),
)
JSON_LD = OutputFormat(
    "dcat-jsonld",
    "application/ld+json",
    "DCAT as JSON-LD",
    feed=DcatFeed("jsonld", partial(catalogue_text, syntax="json-ld")),
)
RDF_XML = OutputFormat(
    "rdf",
    "application/rdf+xml",
    "DCAT as RDF/XML",
    record=partial(record_text, syntax="xml"),
    feed=DcatFeed("rdf", partial(catalogue_text, syntax="xml")),
)
