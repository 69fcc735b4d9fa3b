"""The page ``/sonde``: Sonde's search with map and periods, embedded in the portal's own frame."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from ckanext.sonde.configured import public_url
from flask import Blueprint

page = Blueprint("sonde", __name__)


@page.route("/sonde")
def search() -> str:
    if public_url() is None:
        tk.abort(404)
    html: str = tk.render("sonde/search.html")
    return html
