"""The lists of names (GCMD's) among the loaded vocabularies, for what writes records."""

from __future__ import annotations

from collections.abc import Callable

from es_gateway.client import Elasticsearch
from reading.vocabulary.name_lists import NameLists
from search_api.search.understanding.vocabularies import LoadedVocabularies, VocabularyStore


def loaded_name_lists(client: Elasticsearch, prefix: str) -> Callable[[], NameLists]:
    return LoadedVocabularies(VocabularyStore(client, prefix), NameLists.of)
