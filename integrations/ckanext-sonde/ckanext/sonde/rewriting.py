"""CKAN's search parameters before and after Sonde has ranked; pure, and knows neither CKAN nor HTTP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

MODES = ("own", "bm25", "hybrid")

# Solr's own syntax: a field, a wildcard, a fuzzy or a range operator. Who writes that wants Solr.
_SOLR_SYNTAX = re.compile(r"\b\w+:|[*~^]|\[.+ TO .+\]")
_BY_RELEVANCE = frozenset((None, "", "rank", "score desc", "score desc, metadata_modified desc"))


def requested_mode(params: dict[str, Any], default: str) -> str:
    """The way to search that a person chose (``ext_sonde=own|bm25|hybrid``), else the portal's."""
    requested = (params.get("extras") or {}).get("ext_sonde")
    return requested if requested in MODES else default


def question(params: dict[str, Any]) -> str | None:
    """The question for Sonde; None for a listing, a sorted search, or Solr's syntax."""
    text = (params.get("q") or "").strip()
    if not text or _SOLR_SYNTAX.search(text) or params.get("sort") not in _BY_RELEVANCE:
        return None
    return text


def restrict_to(params: dict[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """The same search over exactly these data sets, best first.

    Each id is a clause with a constant score that falls with its rank. So Solr still pages, counts, makes the facets
    and keeps from each person what they may not see.
    """
    clauses = [f'id:"{_quote(id)}"^={len(ids) - rank}' for rank, id in enumerate(ids)]
    return {
        **params,
        "q": " OR ".join(clauses) or "-*:*",
        "defType": "lucene",
        "sort": "score desc",
    }


def _quote(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
