"""The Flask application: read it as a table of contents."""

from __future__ import annotations

import time
import uuid

import structlog
from flask import Flask, Response, g, request
from flask_openapi import APIBlueprint, Info, OpenAPI
from prometheus_client import Histogram

from search_api.ask.compare_view import compare_views
from search_api.ask.view import ask_views
from search_api.catalogue.documents.view import documents_views
from search_api.catalogue.fair.view import fairness_views
from search_api.catalogue.granules.view import granules_views
from search_api.catalogue.preview.view import preview_views
from search_api.catalogue.related.view import kin_views
from search_api.http import admission, limits, longest_address, openapi, problems, response_headers, telemetry_traces
from search_api.http.access import audited, guard, headers
from search_api.http.fast_json import FastProvider
from search_api.http.response_headers import LARGEST_BODY_BYTES as LARGEST_BODY_BYTES
from search_api.library.notebooks_view import notebook_views
from search_api.library.view import library_views
from search_api.operations.view import operations_views
from search_api.page import error_page, portal
from search_api.page.docs import docs_views
from search_api.page.landing import landing_views
from search_api.page.page import page_views
from search_api.parts import Parts
from search_api.protocols.csw.view import csw_views
from search_api.protocols.feeds import feeds_views
from search_api.protocols.mcp.view import mcp_views
from search_api.protocols.oai.view import oai_views
from search_api.protocols.ogc.collections import collections_views
from search_api.protocols.ogc.conformance import conformance_views
from search_api.protocols.ogc.items import items_views
from search_api.protocols.ogc.push import push_views
from search_api.protocols.stac.aggregate_view import stac_aggregate_views
from search_api.protocols.stac.filter_properties import stac_properties_views
from search_api.protocols.stac.items_view import stac_items_views
from search_api.protocols.stac.transactions import stac_transaction_views
from search_api.protocols.stac.view import stac_views
from search_api.search.views.embeddings import embeddings_views
from search_api.search.views.search import search_views
from search_api.search.views.suggest import suggest_views
from search_api.stewards.alerts.view import saved_search_views
from search_api.stewards.curation.try_view import curation_try_views
from search_api.stewards.curation.view import curation_views
from search_api.stewards.harvests.view import harvest_views
from search_api.stewards.insight.nightly_view import nightly_views
from search_api.stewards.insight.view import insight_views, opened_views

log = structlog.get_logger(__name__)

_SECONDS = Histogram("sonde_http_request_seconds", "Time to answer", ["endpoint", "method", "status"])


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
    app.json = FastProvider(app)
    portal.register(app, parts.portal)
    problems.register(app)
    telemetry_traces.register(app)
    _watch(app)
    headers.register(app)
    audited.register(app)
    longest_address.register(app)
    limits.register(app, parts.rates)
    admission.register(app, parts.limits)
    guard.register(app, parts.authenticator)
    response_headers.apply(app, parts.http)
    app.register_api(landing_views(parts))
    app.register_api(page_views(parts))
    app.register_api(conformance_views())
    app.register_api(search_views(parts))
    app.register_api(suggest_views(parts))
    app.register_api(collections_views(parts))
    app.register_api(items_views(parts))
    app.register_api(kin_views(parts))
    app.register_api(fairness_views(parts))
    app.register_api(preview_views(parts))
    app.register_api(granules_views(parts))
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
    error_page.register(app)
    return app


def _register_beside(app: OpenAPI, api: APIBlueprint) -> None:
    """Registers it and keeps the document of the other methods of its paths, which flask-openapi would drop."""
    for path, item in api.paths.items():
        if path in app.paths:
            added = {name: getattr(item, name) for name in item.model_fields_set}
            api.paths[path] = app.paths[path].model_copy(update=added)
    app.register_api(api)


def _watch(app: Flask) -> None:
    """Each request has an id, is timed and logged as one event, without the question's text."""

    @app.before_request
    def begin() -> None:
        g.started = time.perf_counter()
        g.request_id = request.headers.get("X-Request-Id", "")[:64] or uuid.uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=g.request_id)

    @app.after_request
    def finish(response: Response) -> Response:
        took = time.perf_counter() - g.get("started", time.perf_counter())
        endpoint = request.endpoint or "unknown"
        _SECONDS.labels(endpoint, request.method, response.status_code).observe(took)
        response.headers["X-Request-Id"] = g.get("request_id", "")
        log.info("request.answered", path=request.path, status=response.status_code, took_ms=round(took * 1000, 1))
        return response

    @app.teardown_request
    def unbind(_error: object) -> None:
        structlog.contextvars.unbind_contextvars("request_id")
