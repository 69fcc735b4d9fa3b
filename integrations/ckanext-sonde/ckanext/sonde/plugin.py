"""The plugin: CKAN's hooks, each handed on to a module that does it."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins as plugins
import ckan.plugins.toolkit as tk
from ckanext.sonde import pushing, rewriting
from ckanext.sonde.asking import SondeUnavailable
from ckanext.sonde.cli import commands
from ckanext.sonde.configured import mode, public_url, sonde
from flask import Blueprint

log = logging.getLogger(__name__)
page = Blueprint("sonde", __name__)


@page.route("/sonde")
def search() -> str:
    """Sonde's search with map and periods, embedded in the portal's own frame."""
    if public_url() is None:
        tk.abort(404)
    html: str = tk.render("sonde/search.html")
    return html


@tk.blanket.config_declarations
class SondePlugin(plugins.SingletonPlugin):
    """Questions go to Sonde; listings, sorted lists and Solr's syntax stay with CKAN; so does all when Sonde fails."""

    plugins.implements(plugins.IConfigurer)
    plugins.implements(plugins.IPackageController, inherit=True)
    plugins.implements(plugins.ITemplateHelpers)
    plugins.implements(plugins.IClick)
    plugins.implements(plugins.IBlueprint)

    def update_config(self, config: Any) -> None:
        tk.add_template_directory(config, "templates")

    def before_dataset_search(self, search_params: dict[str, Any]) -> dict[str, Any]:
        """Lets Sonde rank the data sets; returns the parameters unchanged if Sonde does not answer."""
        search_mode = rewriting.requested_mode(search_params, mode())
        question = rewriting.question(search_params) if search_mode != "own" else None
        if question is None:
            return search_params
        try:
            ids = sonde().ranked_ids(question, search_mode)
        except SondeUnavailable as reason:
            log.warning("CKAN answers without Sonde: %s", reason)
            return _with_note(search_params, {"mode": "own", "instead_of": search_mode, "reason": str(reason)})
        return _with_note(
            rewriting.restrict_to(search_params, ids), {"mode": search_mode, "sort": search_params.get("sort")}
        )

    def after_dataset_search(self, search_results: dict[str, Any], search_params: dict[str, Any]) -> dict[str, Any]:
        """Says in the answer who ranked."""
        note = (search_params.get("extras") or {}).pop("sonde_note", None)
        if note is not None:
            sort = note.pop("sort", None)
            if sort is not None:
                search_results["sort"] = sort
            search_results["sonde"] = note
        return search_results

    def after_dataset_create(self, context: Any, pkg_dict: dict[str, Any]) -> None:  # noqa: ARG002
        pushing.enqueue(pkg_dict["id"])

    def after_dataset_update(self, context: Any, pkg_dict: dict[str, Any]) -> None:  # noqa: ARG002
        pushing.enqueue(pkg_dict["id"])

    def after_dataset_delete(self, context: Any, pkg_dict: dict[str, Any]) -> None:  # noqa: ARG002
        pushing.enqueue(pkg_dict["id"])

    def get_helpers(self) -> dict[str, Any]:
        return {"sonde_modes": _modes, "sonde_mode": _mode, "sonde_public_url": public_url}

    def get_commands(self) -> list[Any]:
        return [commands]

    def get_blueprint(self) -> list[Any]:
        return [page]


def _with_note(params: dict[str, Any], note: dict[str, Any]) -> dict[str, Any]:
    return {**params, "extras": {**(params.get("extras") or {}), "sonde_note": note}}


def _modes() -> list[tuple[str, str]]:
    """Labels for the switch in the search form."""
    return [("hybrid", tk._("Words and meaning")), ("bm25", tk._("Words")), ("own", tk._("CKAN's own"))]


def _mode() -> str:
    """The chosen way to search in the current request."""
    requested = tk.request.args.get("ext_sonde")
    return requested if requested in rewriting.MODES else mode()
