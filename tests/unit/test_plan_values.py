"""The pure parts around the plan: batches, chunks, the sweep's comparison, warnings by kind, the stored report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SondeError
from es_mappings.codecs.runs import Refusal, RunReport, TokenCounts, from_document, to_document
from indexer.harvest.harvest import batches
from indexer.harvest.report import Tally, warning_kind
from indexer.parts import Options
from indexer.plan.parsed_record import raw_hash
from indexer.raw import RawPage, RawRecord, SkippedMember
from indexer.remove.sweep import Removal, compare, refuse
from indexer.store.bulk import chunked, delete_operation, index_operation, update_operation

SORTED_IDS = st.sets(st.text("abc", min_size=1, max_size=4)).map(sorted)


def page(names: str, position: str | None = None) -> RawPage:
    return RawPage(tuple(RawRecord(name, b"12345", name) for name in names), position or names[-1:])


def names(batch: RawPage) -> str:
    return "".join(record.native_id for record in batch.records)


def test_pages_are_joined_whole_and_a_batch_resumes_after_its_last_page() -> None:
    joined = list(batches([page("ab"), page("cd"), page("e"), page("f")], size=3))
    assert [(names(batch), batch.position) for batch in joined] == [("abcd", "d"), ("ef", "f")]


def test_a_batch_is_closed_early_by_its_bytes() -> None:
    joined = list(batches([page("ab"), page("cd"), page("e")], size=100, limit_bytes=10))
    assert [names(batch) for batch in joined] == ["ab", "cd", "e"]


def test_members_that_were_skipped_are_handed_on() -> None:
    skipped = SkippedMember("x.xml", "too large")
    (batch,) = batches([page("a"), RawPage((), "x", None, (skipped,))], size=10)
    assert (names(batch), batch.skipped, batch.position) == ("a", (skipped,), "x")


def test_what_came_before_a_break_is_handed_out_before_the_error() -> None:
    def breaking() -> Iterator[RawPage]:
        yield page("ab")
        raise SondeError("broken off")

    stream = batches(breaking(), size=10)
    assert names(next(stream)) == "ab"
    with pytest.raises(SondeError, match="broken off"):
        next(stream)


@given(st.lists(st.integers(0, 300)), st.integers(1, 500))
def test_chunks_keep_every_operation_in_order_and_under_the_limit(sizes: list[int], limit: int) -> None:
    operations = [index_operation("i", str(n), {"text": "x" * size}) for n, size in enumerate(sizes)]
    chunks = list(chunked(operations, limit))
    assert [operation for chunk in chunks for operation in chunk] == operations
    assert all(len(chunk) == 1 or sum(each.size for each in chunk) <= limit for chunk in chunks)


def test_an_operation_is_two_lines_and_a_delete_one() -> None:
    written = index_operation("i", "a", {"title": "Größe"})
    assert written.lines == (b'{"index":{"_index":"i","_id":"a","require_alias":true}}', '{"title":"Größe"}'.encode())
    assert b'"require_alias":true' in update_operation("i", "a", {"doc": {}}).lines[0]
    assert delete_operation("i", "a").lines == (b'{"delete":{"_index":"i","_id":"a","require_alias":true}}',)


@given(SORTED_IDS, SORTED_IDS)
def test_comparing_two_lists_is_set_difference_both_ways(present: list[str], held: list[str]) -> None:
    extra, missing, total = compare(present, held)
    assert extra == sorted(set(present) - set(held))
    assert missing == sorted(set(held) - set(present))
    assert total == len(present)


def removal(doomed: int, before: int) -> Removal:
    return Removal(tuple(map(str, range(doomed))), (), (), (), before)


def test_a_fifth_may_go_and_no_more() -> None:
    assert refuse(removal(20, 100), 80, Options()) is None
    assert "21 of 100 records would vanish, more than 20%" in (refuse(removal(21, 100), 79, Options()) or "")
    assert refuse(removal(21, 100), 79, Options(max_removal_share=0.3)) is None
    assert refuse(removal(100, 100), 0, Options(allow_mass_removal=True)) is None


def test_a_source_that_gave_nothing_is_never_taken_for_empty() -> None:
    assert "gave nothing" in (refuse(removal(1, 100), 0, Options(max_removal_share=1.0)) or "")
    assert refuse(removal(0, 0), 0, Options()) is None


def test_bytes_and_reader_are_both_in_the_raw_hash() -> None:
    assert raw_hash(b"x", "iso19139/1") != raw_hash(b"x", "iso19139/2")
    assert raw_hash(b"x", "a") != raw_hash(b"y", "a")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("bbox: west 190.5 brought to -169.5", "bbox: west # brought to #"),
        ("time: '1990-13-01' is no date", "time: … is no date"),
        ("duplicate: 'gives the same record as /data/a.xml'", "duplicate: …"),
    ],
)
def test_warnings_differ_in_kind_not_in_names_and_numbers(text: str, kind: str) -> None:
    assert warning_kind(text) == kind


def test_a_warning_kind_counts_all_and_shows_three() -> None:
    tally = Tally.of(report())
    for number in range(5):
        tally.warn(f"{number}.xml", f"west {number} moved")
    (found,) = tally.warnings.values()
    assert (found.count, len(found.examples), found.examples[0]) == (5, 3, "0.xml: west 0 moved")
    assert list(tally.warnings) == ["west 0 moved"], "real numbers, not their places"
    resumed = Tally.of(replace(report(), **tally.parts()))
    resumed.warn("5.xml", "west 5 moved")
    assert [found.count for found in resumed.warnings.values()] == [6]


def test_tokens_beyond_what_is_read_are_summed() -> None:
    tokens = TokenCounts().with_texts(256, [100, 256, 300]).with_texts(256, [400])
    assert tokens == TokenCounts(read=256, texts=4, longer=2, beyond=44 + 144, longest=400)
    assert tokens.longer_share == 0.5
    assert TokenCounts().longer_share == 0.0


def test_a_report_survives_being_stored() -> None:
    tally = Tally.of(report())
    tally.add("seen", 3)
    tally.refuse(Refusal("a.xml", "empty"))
    tally.warn("b.xml", "west 190 moved")
    tally.add_time("plan", 0.25)
    full = RunReport("r", "s", "complete", "2026-01-01", "2026-01-02", position="p", **tally.parts())
    assert full.counts.refused == 1
    assert full.took_ms == {"plan": 250}
    assert from_document("r", to_document(full)) == full


def report() -> RunReport:
    return RunReport("r", "s", "running", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
