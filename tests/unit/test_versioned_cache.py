"""What is remembered of records is remembered at one version."""

from __future__ import annotations

from core.record import Record
from search_api.search.caches import VersionedCache, versions_of
from search_api.search.retrieval.record_reads import weight_of


def test_only_just_this_version_is_known() -> None:
    cache: VersionedCache[str] = VersionedCache("records", 10)
    cache.put({"a": ("index-1", 4, 1), "b": ("index-1", 5, 1)}, {"a": "first", "b": "other"})
    assert cache.get({"a": ("index-1", 4, 1), "b": ("index-1", 6, 1)}) == {"a": "first"}
    assert cache.get({"a": ("index-2", 4, 1)}) == {}  # the same name and number in an index made anew
    assert cache.get({"a": ("index-1", 4, 2)}) == {}  # a write after another copy took over


def test_a_later_version_takes_the_place_of_the_earlier() -> None:
    cache: VersionedCache[str] = VersionedCache("records", 10)
    for number, text in ((1, "old"), (2, "new")):
        cache.put({"a": ("i", number, 1)}, {"a": text})
    assert cache.get({"a": ("i", 2, 1)}) == {"a": "new"}
    assert cache.get({"a": ("i", 1, 1)}) == {}


def test_what_has_no_version_is_not_kept_and_the_longest_unasked_goes_first() -> None:
    cache: VersionedCache[str] = VersionedCache("records", 2)
    cache.put({}, {"a": "unknown"})
    versions = {name: ("i", number, 1) for number, name in enumerate("abc")}
    cache.put({name: versions[name] for name in "ab"}, {"a": "A", "b": "B"})
    cache.get({"a": versions["a"]})
    cache.put({"c": versions["c"]}, {"c": "C"})
    assert cache.get(versions) == {"a": "A", "c": "C"}


def test_a_version_is_of_one_index_and_one_write() -> None:
    assert versions_of("uuid", {"a": {"_seq_no": 7, "_primary_term": 2}}) == {"a": ("uuid", 7, 2)}


def test_a_large_record_takes_the_place_of_several() -> None:
    small, large = Record("s:1", "s", "1", "Coast"), Record("s:2", "s", "2", "Coast", abstract="x" * 25_000)
    assert (weight_of(small), weight_of(large)) == (1, 3)
    cache: VersionedCache[Record] = VersionedCache("records", 3, weight_of)
    versions = {record.id: ("i", 1, 1) for record in (small, large)}
    cache.put(versions, {small.id: small})
    cache.put(versions, {large.id: large})
    assert cache.get(versions) == {large.id: large}
