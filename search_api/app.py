"""The Flask application: read it as a table of contents."""

from __future__ import annotations

from functools import partial

from flask import Flask
from flask_openapi import APIBlueprint, Info, OpenAPI

from search_api.ask.compare_view import compare_views
from search_api.ask.view import ask_views
from search_api.catalogue.documents.view import documents_views
from search_api.catalogue.fair.view import fair_views
from search_api.catalogue.granules.view import granules_views
from search_api.catalogue.pictures.view import picture_views
from search_api.catalogue.related.view import related_views
from search_api.catalogue.rows.view import rows_views
from search_api.catalogue.view import add_record_page, preview_views
from search_api.http import limits, openapi, parameters, problems, responses, telemetry
from search_api.http.access import guard
from search_api.http.responses import LARGEST_BODY_BYTES, OrjsonProvider
from search_api.library.notebooks_view import notebook_views
from search_api.library.own_documents_view import scoped_answer
from search_api.library.view import library_views
from search_api.page.plain_page import register_error_page
from search_api.page.shell import register_portal
from search_api.page.view import docs_views, landing_views, page_views
from search_api.parts import Parts
from search_api.protocols.csw.view import csw_views
from search_api.protocols.feeds import feeds_views
from search_api.protocols.mcp.view import mcp_views
from search_api.protocols.oai import oai_views
from search_api.protocols.ogc.collections import collections_views, conformance_views
from search_api.protocols.ogc.items import items_views
from search_api.protocols.ogc.push import push_views
from search_api.protocols.probes import operations_views
from search_api.protocols.stac.aggregations import stac_aggregate_views
from search_api.protocols.stac.transactions import stac_transaction_views
from search_api.protocols.stac.view import stac_items_views, stac_properties_views, stac_views
from search_api.search.views.search import embeddings_views, search_views
from search_api.search.views.suggest import suggest_views
from search_api.stewards.alerts.view import saved_search_views
from search_api.stewards.curation.trial import curation_try_views
from search_api.stewards.curation.view import curation_views
from search_api.stewards.harvests_view import harvest_views
from search_api.stewards.insight_view import insight_views, nightly_views, opened_views


def create_app(parts: Parts) -> Flask:
    """The whole API on the given parts; opens no socket and reads no environment."""
    app = OpenAPI(
        "sonde",
        info=Info(
            title="Sonde",
            version=parts.version,
            description="Search for geoscience and environmental data catalogues: words, meaning, place and time.",
        ),
        validation_error_callback=problems.from_validation,
        validation_error_status=400,
        validation_error_model=problems.Problem,
        doc_ui=False,
    )
    app.openapi_version = "3.1.0"
    app.url_map.strict_slashes = False  # /stac/ is /stac
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY_BYTES
    app.json = OrjsonProvider(app)
    register_portal(app, parts.portal, lambda: bool(parts.documents.ids("", 1)[0]))
    problems.register(app)
    telemetry.watch(app)
    guard.register_audit(app)
    limits.refuse_long_addresses(app)
    limits.register_rate_limits(app, parts.rates)
    limits.register_admission(app, parts.limits)
    guard.register(app, parts.authenticator)
    parameters.register(app)
    responses.register(app, parts.http)
    app.register_api(landing_views(parts))
    pages = page_views()
    add_record_page(pages, parts)
    app.register_api(pages)
    app.register_api(conformance_views())
    app.register_api(search_views(parts, partial(scoped_answer, parts=parts)))
    app.register_api(suggest_views(parts))
    app.register_api(collections_views(parts))
    app.register_api(items_views(parts))
    app.register_api(related_views(parts))
    app.register_api(fair_views(parts))
    app.register_api(preview_views(parts))
    app.register_api(granules_views(parts))
    app.register_api(rows_views(parts))
    app.register_api(picture_views(parts))
    _register_beside(app, push_views(parts))
    app.register_api(stac_views(parts))
    app.register_api(stac_properties_views(parts))
    app.register_api(stac_items_views(parts))
    app.register_api(stac_aggregate_views(parts))
    _register_beside(app, stac_transaction_views(parts))
    app.register_api(oai_views(parts))
    app.register_api(csw_views(parts))
    app.register_api(feeds_views(parts))
    app.register_api(docs_views())
    app.register_api(embeddings_views(parts))
    app.register_api(ask_views(parts))
    app.register_api(compare_views(parts))
    app.register_api(mcp_views(parts))
    app.register_api(library_views(parts))
    app.register_api(notebook_views(parts))
    app.register_api(documents_views(parts))
    app.register_api(harvest_views(parts))
    app.register_api(opened_views(parts))
    app.register_api(insight_views(parts))
    app.register_api(curation_try_views(parts))
    app.register_api(curation_views(parts))
    app.register_api(saved_search_views(parts))
    app.register_api(nightly_views(parts))
    app.register_api(operations_views(parts))
    openapi.register(app)
    register_error_page(app)
    return app


def _register_beside(app: OpenAPI, api: APIBlueprint) -> None:
    """Registers it and keeps the document of the other methods of its paths, which flask-openapi would drop."""
    for path, item in api.paths.items():
        if path in app.paths:
            new_members = {name: getattr(item, name) for name in item.model_fields_set}
            api.paths[path] = app.paths[path].model_copy(update=new_members)
    app.register_api(api)
