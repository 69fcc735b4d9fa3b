"""Which scope each path asks for: one table, so that no view can forget it. A view may ask for more by ``needs``.

The first entry whose path is the beginning of the route's counts. A route without one needs the scope ``admin``, which
is the safe mistake; a test names it.
"""

from __future__ import annotations

from core.access import AccessScope

Rule = tuple[str, AccessScope | None]
"""A path, and the scope for reading below it."""

_RULES: tuple[Rule, ...] = (
    # For the cluster. Metrics name every source: they are the operator's, by key or by the listener of the probes.
    ("/healthz", None),
    ("/readyz", None),
    ("/metrics", "admin"),
    # The page's shell and what describes the API: they hold no record.
    ("/page/", None),
    ("/static/", None),
    ("/sources", None),
    ("/answers", None),
    ("/my-documents", None),
    ("/docs", None),
    ("/api", None),
    ("/conformance", None),
    ("/opensearch.xml", None),
    ("/robots.txt", None),
    ("/stac/conformance", None),
    # Whatever tells of records.
    ("/search", "search"),
    ("/suggest", "search"),
    ("/ask", "search"),
    ("/embeddings", "search"),
    ("/records/", "search"),
    ("/collections", "search"),
    ("/stac", "search"),
    ("/oai", "search"),
    ("/dcat", "search"),
    ("/sitemap.xml", "search"),
    # Views of the harvest decide how much of it they tell.
    ("/harvest", "search"),
    # What is somebody's own.
    ("/library", "library"),
)
_CHANGING: tuple[Rule, ...] = (("/collections", "write"), ("/harvest", "admin"))
"""Where a request that changes something needs more; elsewhere POST only asks."""
_READING = frozenset(("GET", "HEAD"))


def scope_of(route: str, method: str) -> AccessScope | None:
    """What a request of that route (as the app's rule has it) needs; None: nothing."""
    if method == "OPTIONS" or route == "/":  # a preflight carries no key; the landing page holds no record
        return None
    found = (entry_of(route, _CHANGING) if method not in _READING else None) or entry_of(route)
    return "admin" if found is None else found[1]


def entry_of(route: str, table: tuple[Rule, ...] = _RULES) -> Rule | None:
    """The table's entry for the route; None where there is none."""
    return next((rule for rule in table if _begins(route, rule[0])), None)


def _begins(route: str, path: str) -> bool:
    return route == path.rstrip("/") or route.startswith(path if path.endswith("/") else f"{path}/")
