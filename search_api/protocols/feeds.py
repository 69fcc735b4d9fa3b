"""For harvesters and crawlers: the DCAT feed, the sitemap and the OpenSearch description."""

from __future__ import annotations

from typing import Annotated, Any

from flask import Response, request
from flask_openapi import APIBlueprint, Tag
from lxml import etree
from pydantic import Field

from core.document import CATALOGUE
from search_api.catalogue.catalogues import ALL, Catalogue
from search_api.catalogue.listing import ListRequest, Selection
from search_api.formats_out.formats import feed_writers
from search_api.formats_out.notations import About, FeedPage, add_child
from search_api.http.openapi import PROBLEMS, WITH_NOT_FOUND, text_answer
from search_api.http.parameters import Cursor, OneOf, Parameters, Text
from search_api.http.responses import Addresses
from search_api.page.shell import current_look
from search_api.parts import Parts
from search_api.search.order import read_position, write_position

XML = "application/xml"
OPENSEARCH = "application/opensearchdescription+xml"
DCAT_PAGE = 100
LARGEST_DCAT_PAGE = 500
SITEMAP_PAGE = 10_000  # the protocol allows 50,000; Elasticsearch returns 10,000 in one page

_NOT_FOR_CRAWLERS = ("/search", "/suggest", "/ask", "/embeddings", "/library", "/harvest", "/metrics")
"""Each address there needs a computation; the records themselves are in the sitemap."""

_DOCUMENTS = "sitemap documents"
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
_OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"


class DcatParameters(Parameters):
    """Which catalogue, in which syntax, from which position."""

    source: Text | None = Field(None, description="Only this catalogue. Default: all.")
    f: Annotated[str, OneOf(feed_writers)] | None = Field(None, description="Default: the `Accept` header decides.")
    limit: int = Field(
        DCAT_PAGE,
        ge=1,
        description=f"A larger one than {LARGEST_DCAT_PAGE} is lowered to it.",
        json_schema_extra={"maximum": LARGEST_DCAT_PAGE},
    )
    cursor: Cursor | None = Field(None, description="From hydra:next.")


class SitemapParameters(Parameters):
    """A part of the sitemap; without `after` and `documents` its index."""

    after: Cursor | None = Field(None, description="From the sitemap's index: records.")
    documents: Cursor | None = Field(None, description="From the sitemap's index: public documents.")


def feeds_views(parts: Parts) -> APIBlueprint:
    api = APIBlueprint("feeds", __name__, abp_tags=[Tag(name="feeds", description="For harvesters and crawlers")])

    @api.get(
        "/dcat",
        summary="All records as a DCAT-AP catalogue, in pages",
        responses={200: text_answer(*(media_type for media_type, _ in feed_writers().values())), **WITH_NOT_FOUND},
    )
    def feed(query: DcatParameters) -> Response:
        catalogue = parts.catalogues.get(query.source or ALL)
        return _dcat_page(parts, query, catalogue)

    @api.get("/sitemap.xml", summary="Sitemap of all records", responses={200: text_answer(XML), **PROBLEMS})
    def sitemap(query: SitemapParameters) -> Response:
        if query.documents is not None:
            root = _sitemap_of_documents(parts, query.documents)
        else:
            root = _sitemap_index(parts) if query.after is None else _sitemap_part(parts, query.after)
        return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), mimetype=XML)

    @api.get("/robots.txt", summary="What crawlers may read", responses={200: text_answer("text/plain")})
    def robots() -> Response:
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in _NOT_FOR_CRAWLERS), "Allow: /"]
        lines += ["", f"Sitemap: {Addresses.of(parts.http).to('/sitemap.xml')}", ""]
        return Response("\n".join(lines), mimetype="text/plain")

    @api.get("/opensearch.xml", summary="OpenSearch description", responses={200: text_answer(OPENSEARCH)})
    def opensearch() -> Response:
        root = _description(Addresses.of(parts.http))
        return Response(etree.tostring(root, xml_declaration=True, encoding="UTF-8"), mimetype=OPENSEARCH)

    return api


def _dcat_page(parts: Parts, query: DcatParameters, catalogue: Catalogue) -> Response:
    writers = feed_writers()
    by_media_type = {media_type: name for name, (media_type, _) in writers.items()}
    best = request.accept_mimetypes.best_match(list(by_media_type), default=next(iter(by_media_type)))
    media_type, feed = writers[query.f or by_media_type[best]]
    question = f"dcat {catalogue.id}"
    after = read_position(query.cursor, question, ("text",)) if query.cursor is not None else None
    page = parts.records.page(
        ListRequest(Selection(source=catalogue.source), limit=min(query.limit, LARGEST_DCAT_PAGE), after=after)
    )
    addresses = Addresses.of(parts.http)
    following = addresses.page(write_position(page.after, question)) if page.after is not None else None
    about = About(
        catalogue.title,
        addresses.to("/dcat", [("source", catalogue.id)] if catalogue.source else []),
        parts.http.publisher,
        parts.http.contact,
    )
    entries = [(stored.record, addresses.item(stored.record)) for stored in page.records]
    text = feed.write(FeedPage(about, addresses.this(), addresses.page(None), following, page.matched, entries))
    return Response(text, mimetype=media_type)


def _sitemap_index(parts: Parts) -> etree._Element:
    """One part for each 10,000 records, then each 10,000 documents; an empty id sorts first."""
    root = etree.Element(f"{{{_SITEMAP}}}sitemapindex", nsmap=_default(_SITEMAP))
    addresses = Addresses.of(parts.http)
    after: str | None = ""
    while after is not None:
        part = add_child(root, f"{{{_SITEMAP}}}sitemap")
        add_child(
            part, f"{{{_SITEMAP}}}loc", addresses.to("/sitemap.xml", [("after", write_position((after,), "sitemap"))])
        )
        after = _end_of_part(parts, after)
    document: str | None = ""
    while document is not None:
        part = add_child(root, f"{{{_SITEMAP}}}sitemap")
        position = write_position((document,), _DOCUMENTS)
        add_child(part, f"{{{_SITEMAP}}}loc", addresses.to("/sitemap.xml", [("documents", position)]))
        document = parts.documents.ids(document, SITEMAP_PAGE)[1]
    return root


def _sitemap_of_documents(parts: Parts, cursor: str) -> etree._Element:
    """Public documents, which need no key."""
    root = etree.Element(f"{{{_SITEMAP}}}urlset", nsmap=_default(_SITEMAP))
    (after,) = read_position(cursor, _DOCUMENTS, ("text",), "documents")
    addresses = Addresses.of(parts.http)
    for id in parts.documents.ids(str(after or ""), SITEMAP_PAGE)[0]:
        url = add_child(root, f"{{{_SITEMAP}}}url")
        add_child(url, f"{{{_SITEMAP}}}loc", addresses.to(f"/documents/{id}"))
    return root


def _end_of_part(parts: Parts, after: str) -> str | None:
    """The id after which the next part starts; None if there is no next one."""
    body = {"size": SITEMAP_PAGE, "sort": [{"id": "asc"}], "search_after": [after], "_source": False}
    hits = parts.records.search({**body, "track_total_hits": False})["hits"]["hits"]
    return str(hits[-1]["sort"][0]) if len(hits) == SITEMAP_PAGE else None


def _sitemap_part(parts: Parts, cursor: str) -> etree._Element:
    root = etree.Element(f"{{{_SITEMAP}}}urlset", nsmap=_default(_SITEMAP))
    body = {
        "size": SITEMAP_PAGE,
        "sort": [{"id": "asc"}],
        "search_after": list(read_position(cursor, "sitemap", ("text",), "after")),
        "_source": ["id", "source", "harvest.written"],
        "track_total_hits": False,
    }
    addresses = Addresses.of(parts.http)
    for hit in parts.records.search(body)["hits"]["hits"]:
        source = hit["_source"]
        if source["source"] == CATALOGUE:  # documents have their own part
            continue
        url = add_child(root, f"{{{_SITEMAP}}}url")
        add_child(url, f"{{{_SITEMAP}}}loc", addresses.record_page(source["id"]))
        if source.get("harvest", {}).get("written"):
            add_child(url, f"{{{_SITEMAP}}}lastmod", source["harvest"]["written"][:10])
    return root


def _description(addresses: Addresses) -> etree._Element:
    """Tells browsers and OpenSearch clients how to search."""
    root = etree.Element(f"{{{_OPENSEARCH}}}OpenSearchDescription", nsmap=_default(_OPENSEARCH))
    add_child(root, f"{{{_OPENSEARCH}}}ShortName", current_look().name)
    add_child(root, f"{{{_OPENSEARCH}}}Description", "Search geoscience and environmental data catalogues")
    add_child(root, f"{{{_OPENSEARCH}}}InputEncoding", "UTF-8")
    for media_type, template in (
        ("text/html", addresses.to("/?q={searchTerms}")),
        ("application/atom+xml", addresses.to("/search?f=atom&q={searchTerms}")),
        ("application/geo+json", addresses.to("/search?q={searchTerms}")),
        ("application/x-suggestions+json", addresses.to("/suggest/opensearch?q={searchTerms}")),
    ):
        add_child(root, f"{{{_OPENSEARCH}}}Url", type=media_type, template=template)
    return root


def _default(namespace: str) -> Any:
    """Without a prefix, as simple readers expect it."""
    return {None: namespace}
