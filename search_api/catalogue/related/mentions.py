"""Public documents of ours that explain a record, and those that name it: its DOI or its title, in their text or in
their list of references.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.document import DocumentEntry, Passage, document_of_record
from core.json_types import Json
from core.names import folded, folded_words, place_of
from core.record import Record
from es_gateway.client import Elasticsearch
from es_gateway.searching import search_all
from es_mappings.codecs import documents, passages
from es_mappings.names import alias
from search_api.search.passages.scope import scopes
from search_api.search.retrieval.clauses import Clause

LEAST_TITLE_WORDS = 4
"""A shorter title ("Bathymetry data") is also an ordinary phrase."""

_MOST_DOCUMENTS = 50
_AROUND = 200
"""Characters of a quote before and after the name."""
_PASSAGE = ["record", "document", "ordinal", "text", "kind", "section_path", "section_role", "first_page", "last_page"]
_ONCE: Json = {"collapse": {"field": "document"}, "sort": [{"document": "asc"}, {"ordinal": "asc"}]}
_ENTRY_WITHOUT = ["affiliations", "tables", "front_source", "registered", "took_ms", "warnings"]


@dataclass(frozen=True, slots=True)
class Mention:
    """``passage``: where it is named; None if only the list of references names it, in ``reference``."""

    document: DocumentEntry
    passage: Passage | None
    reference: str | None = None

    def quote(self, phrases: Sequence[str]) -> str:
        """The text around the first phrase that it names."""
        text = (self.reference if self.passage is None else self.passage.text) or ""
        places = (place_of(phrase, text) for phrase in phrases)
        start, end = next((place for place in places if place is not None), (0, 0))
        first = text.rfind(" ", 0, max(0, start - _AROUND)) + 1 if start > _AROUND else 0
        last = text.find(" ", end + _AROUND)
        last = len(text) if last < 0 else last
        return ("… " if first else "") + text[first:last] + (" …" if last < len(text) else "")


@dataclass(frozen=True, slots=True)
class MentionReader:
    """``client`` returns only what the caller may see. Raises Unavailable."""

    client: Elasticsearch
    prefix: str

    def of(self, record: Record, limit: int) -> list[Mention]:
        """Documents that belong to the record itself are left out: they explain it. By the document's id."""
        phrases = phrases_of(record)
        if not phrases:
            return []
        quoted, referring = self._named(record, phrases)
        visible = self._visible([id for id in referring if id not in quoted])
        entries = {**self._entries(list(quoted)), **{id: referring[id] for id in visible}}
        mentions = [
            Mention(entry, quoted.get(id), None if id in quoted else _reference(entry, phrases))
            for id, entry in sorted(entries.items())
        ]
        return [mention for mention in mentions if mention.passage is not None or mention.reference is not None][:limit]

    def explaining(self, record: Record, limit: int) -> list[Mention]:
        """Documents that belong to the record, each with its first passage of text. By the document's id."""
        scope = scopes(self.prefix, "public", None)[0]
        own = [scope.clause, {"term": {"record": record.id}}, {"term": {"kind": "text"}}]
        body = {"query": {"bool": {"filter": own}}, "size": limit, "_source": _PASSAGE, **_ONCE}
        answer = search_all(self.client, [{"index": scope.index, "ignore_unavailable": True}, body])[0]
        first = (passages.from_document(hit["_id"], hit["_source"])[0] for hit in _hits(answer))
        by_document = {passage.document: passage for passage in first}
        entries = self._entries(list(by_document))
        return [Mention(entry, by_document[id]) for id, entry in sorted(entries.items())]

    def _named(self, record: Record, phrases: Sequence[str]) -> tuple[dict[str, Passage], dict[str, DocumentEntry]]:
        """A passage of each document whose text names it; the entries whose references do, visible or not."""
        scope = scopes(self.prefix, "public", None)[0]
        own = document_of_record(record.id)  # a document quotes its own title
        others: list[Clause] = [
            {"term": {"record": record.id}},
            *([] if own is None else [{"term": {"document": own}}]),
        ]
        texts = {"bool": {"filter": [scope.clause, _any_phrase("text", phrases)], "must_not": others}}
        lists = {"bool": {"filter": [scope.clause, _any_phrase("references", phrases)], "must_not": others}}
        entries = {"index": alias(self.prefix, "documents"), "ignore_unavailable": True}
        in_text, in_references = search_all(
            self.client,
            [
                {"index": scope.index, "ignore_unavailable": True},
                {"query": texts, "size": _MOST_DOCUMENTS, "_source": _PASSAGE, **_ONCE},
                entries,
                {"query": lists, "size": _MOST_DOCUMENTS, "_source": {"excludes": _ENTRY_WITHOUT}},
            ],
        )
        read = (passages.from_document(hit["_id"], hit["_source"])[0] for hit in _hits(in_text))
        quoted = {passage.document: passage for passage in read if names_one(passage.text, phrases)}
        return quoted, {hit["_id"]: documents.from_document(hit["_id"], hit["_source"]) for hit in _hits(in_references)}

    def _visible(self, ids: Sequence[str]) -> list[str]:
        """Those with a first passage that the caller may see: entries are not filtered, passages are."""
        if not ids:
            return []
        scope = scopes(self.prefix, "public", None)[0]
        filters = [scope.clause, {"terms": {"document": ids}}, {"term": {"ordinal": 0}}]
        body: Json = {"query": {"bool": {"filter": filters}}, "size": len(ids), "_source": ["document"]}
        answer = search_all(self.client, [{"index": scope.index, "ignore_unavailable": True}, body])[0]
        return [str(hit["_source"]["document"]) for hit in _hits(answer)]

    def _entries(self, ids: Sequence[str]) -> dict[str, DocumentEntry]:
        if not ids:
            return {}
        answer = self.client.mget(index=alias(self.prefix, "documents"), ids=ids, source_excludes=_ENTRY_WITHOUT)
        documents_found = (document for document in answer.body["docs"] if document.get("found"))
        return {
            document["_id"]: documents.from_document(document["_id"], document["_source"])
            for document in documents_found
        }


def phrases_of(record: Record) -> list[str]:
    """What names the record and hardly anything else."""
    title = record.title if len(folded_words(record.title)) >= LEAST_TITLE_WORDS else None
    return [text for text in (record.doi, title) if text]


def names_one(text: str, phrases: Sequence[str]) -> bool:
    """A phrase query ignores punctuation: ``10.5065/d6 1`` is not ``10.5065/d61``. A DOI must end where it ends."""
    return any(_is_in(phrase, text) for phrase in phrases)


def _is_in(phrase: str, text: str) -> bool:
    if phrase.startswith("10."):
        plain = re.sub(r"\s+(?=[/.])|(?<=[/.])\s+", "", folded(text))  # a line of a PDF may end in a DOI
        return re.search(rf"(?<![\w.]){re.escape(folded(phrase))}(?![\w/]|\.\w)", plain) is not None
    return f" {' '.join(folded_words(phrase))} " in f" {' '.join(folded_words(text))} "


def _reference(entry: DocumentEntry, phrases: Sequence[str]) -> str | None:
    return next((reference for reference in entry.references if names_one(reference, phrases)), None)


def _any_phrase(field: str, phrases: Sequence[str]) -> Clause:
    return {"bool": {"should": [{"match_phrase": {field: phrase}} for phrase in phrases]}}


def _hits(answer: Json) -> list[Json]:
    hits: list[Json] = answer["hits"]["hits"]
    return hits
