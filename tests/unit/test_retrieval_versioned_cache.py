"""What is remembered of records is remembered at one version."""

from __future__ import annotations

from core.record import Record
from search_api.search.retrieval.versioned_cache import VersionedCache, version_of, weight_of


def test_only_just_this_version_is_known() -> None:
    memory: VersionedCache[str] = VersionedCache("records", 10)
    memory.keep({"a": ("index-1", 4, 1), "b": ("index-1", 5, 1)}, {"a": "first", "b": "other"})
    assert memory.known({"a": ("index-1", 4, 1), "b": ("index-1", 6, 1)}) == {"a": "first"}
    assert memory.known({"a": ("index-2", 4, 1)}) == {}  # the same name and number in an index made anew
    assert memory.known({"a": ("index-1", 4, 2)}) == {}  # a write after another copy took over


def test_a_later_version_takes_the_place_of_the_earlier() -> None:
    memory: VersionedCache[str] = VersionedCache("records", 10)
    for number, text in ((1, "old"), (2, "new")):
        memory.keep({"a": ("i", number, 1)}, {"a": text})
    assert memory.known({"a": ("i", 2, 1)}) == {"a": "new"}
    assert memory.known({"a": ("i", 1, 1)}) == {}


def test_what_has_no_version_is_not_kept_and_the_longest_unasked_goes_first() -> None:
    memory: VersionedCache[str] = VersionedCache("records", 2)
    memory.keep({}, {"a": "unknown"})
    versions = {name: ("i", number, 1) for number, name in enumerate("abc")}
    memory.keep({name: versions[name] for name in "ab"}, {"a": "A", "b": "B"})
    memory.known({"a": versions["a"]})
    memory.keep({"c": versions["c"]}, {"c": "C"})
    assert memory.known(versions) == {"a": "A", "c": "C"}


def test_a_version_is_of_one_index_and_one_write() -> None:
    assert version_of("uuid", {"_seq_no": 7, "_primary_term": 2}) == ("uuid", 7, 2)


def test_a_large_record_takes_the_place_of_several() -> None:
    small, large = Record("s:1", "s", "1", "Coast"), Record("s:2", "s", "2", "Coast", abstract="x" * 25_000)
    assert (weight_of(small), weight_of(large)) == (1, 3)
    memory: VersionedCache[Record] = VersionedCache("records", 3, weight_of)
    versions = {record.id: ("i", 1, 1) for record in (small, large)}
    memory.keep(versions, {small.id: small})
    memory.keep(versions, {large.id: large})
    assert memory.known(versions) == {large.id: large}
