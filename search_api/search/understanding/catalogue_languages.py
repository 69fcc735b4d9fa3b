"""The languages of a catalogue's records, read from a sample of them: few records state their language."""

from __future__ import annotations

from collections import Counter

from es_gateway.client import Elasticsearch
from reading.language import detect_language

_SAMPLED = 200
_LEAST_SHARE = 0.02


def catalogue_languages(client: Elasticsearch, index: str) -> frozenset[str]:
    """The languages that at least one in fifty of the sampled records is written in; empty if none is recognised."""
    sample = {"function_score": {"query": {"match_all": {}}, "random_score": {"seed": 7, "field": "_seq_no"}}}
    found = client.search(index=index, query=sample, source={"includes": ["title", "abstract"]}, size=_SAMPLED)
    sources = (hit["_source"] for hit in found["hits"]["hits"])
    texts = (f"{source.get('title') or ''}. {source.get('abstract') or ''}" for source in sources)
    return common_languages([language for text in texts if (language := detect_language(text)) is not None])


def common_languages(seen: list[str]) -> frozenset[str]:
    """Those of at least one in fifty of ``seen``: fewer may be misread."""
    return frozenset(code for code, count in Counter(seen).items() if count >= _LEAST_SHARE * len(seen))
