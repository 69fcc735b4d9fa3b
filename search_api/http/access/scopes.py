"""The scope that each path needs: one table, so that no view can forget it. A view may require more with ``needs``.

The first entry whose path is a prefix of the route counts. A route without an entry needs the scope ``admin``, which is
the safe default; a test names such routes.
"""

from __future__ import annotations

from functools import cache

from core.access import AccessScope

Rule = tuple[str, AccessScope | None]
"""A path, and the scope for reading below it."""

_RULES: tuple[Rule, ...] = (
    # For the cluster. Metrics name every source, so they need the operator's key or the probes' listener.
    ("/healthz", None),
    ("/readyz", None),
    ("/metrics", "admin"),
    # The page's shell and the API description: no records.
    ("/page/", None),
    ("/static/", None),
    ("/sources", None),
    ("/desk", None),
    ("/embed", None),
    ("/answers", None),
    ("/my-documents", None),
    ("/docs", None),
    ("/api", None),
    ("/conformance", None),
    ("/opensearch.xml", None),
    ("/robots.txt", None),
    ("/stac/conformance", None),
    # Everything that shows records.
    ("/search", "search"),
    ("/suggest", "search"),
    ("/ask", "search"),
    ("/embeddings", "search"),
    ("/mcp", "search"),
    ("/opened", "search"),
    ("/records/", "search"),
    ("/collections", "search"),
    ("/stac", "search"),
    ("/oai", "search"),
    ("/csw", "search"),
    ("/dcat", "search"),
    ("/documents", "search"),
    ("/sitemap.xml", "search"),
    # A signed link of a mail needs no key; saved searches have an owner.
    ("/saved-searches/links/", None),
    ("/saved-searches", "search"),
    # Views of the harvest decide how much they show.
    ("/harvest", "search"),
    # For stewards: what is asked, and what they set right.
    ("/curation", "curate"),
    ("/insight", "curate"),
    # Personal data.
    ("/library", "library"),
)
_CHANGING: tuple[Rule, ...] = (("/collections", "write"), ("/stac/collections", "write"), ("/harvest", "admin"))
"""Where a request that changes something needs more; elsewhere POST only reads."""
_READING = frozenset(("GET", "HEAD"))


@cache
def scope_of(route: str, method: str) -> AccessScope | None:
    """The scope that a request to that route (as the app's rule has it) needs; None: nothing."""
    if method == "OPTIONS" or route == "/":  # a preflight has no key; the landing page shows no record
        return None
    found = (entry_of(route, _CHANGING) if method not in _READING else None) or entry_of(route)
    return "admin" if found is None else found[1]


def entry_of(route: str, table: tuple[Rule, ...] = _RULES) -> Rule | None:
    """The table's entry for the route; None if there is none."""
    return next((rule for rule in table if _begins(route, rule[0])), None)


def _begins(route: str, path: str) -> bool:
    return route == path.rstrip("/") or route.startswith(path if path.endswith("/") else f"{path}/")
