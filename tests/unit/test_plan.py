"""What ``plan`` decides, case by case, and what must hold of every decision."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from es_mappings.codecs.ledger import EntryState, LedgerEntry
from indexer.plan.plan import (
    Content,
    Document,
    Owner,
    RunMoment,
    is_unchanged,
    plan,
    plan_refused,
    plan_unread,
    uncommitted_entry,
)

NOW = RunMoment(run="run-2", now="2026-01-02T00:00:00Z", model="model-a")
DOCUMENT = Document(source="s", native_id="a.xml", origin="/data/a.xml", raw_hash="raw-1")
CONTENT = Content(record="s:a", record_hash="record-1", text_hash="text-1", warnings=2)
STORED = LedgerEntry(
    source="s",
    native_id="a.xml",
    state="current",
    origin="/data/a.xml",
    raw_hash="raw-1",
    record="s:a",
    record_hash="record-1",
    text_hash="text-1",
    embedding_model="model-a",
    first_seen="2026-01-01T00:00:00Z",
    last_seen="2026-01-01T00:00:00Z",
    last_seen_run="run-1",
)
OTHER = replace(STORED, native_id="old.xml", origin="/data/old.xml")


def test_the_same_bytes_by_the_same_reader_need_no_parsing() -> None:
    assert is_unchanged(DOCUMENT, STORED)
    assert not is_unchanged(replace(DOCUMENT, raw_hash="raw-2"), STORED)
    assert not is_unchanged(DOCUMENT, None)
    for state in ("duplicate", "moved", "removed", "skipped"):  # their record is not theirs, or is gone
        assert not is_unchanged(DOCUMENT, replace(STORED, state=state))


def test_unread_is_same_and_only_marked_as_seen() -> None:
    decision = plan_unread(STORED, NOW)
    assert (decision.outcome, decision.write, decision.vector, decision.keep_bytes) == ("same", False, "none", False)
    assert decision.entry == replace(STORED, last_seen=NOW.now, last_seen_run="run-2")


def test_what_was_refused_before_is_refused_again_for_the_same_reason() -> None:
    broken = replace(STORED, state="refused", reason="not well-formed")
    decision = plan_unread(broken, NOW)
    assert (decision.outcome, decision.entry.reason) == ("refused", "not well-formed")


def test_a_document_never_seen_is_new_and_embedded() -> None:
    decision = plan(DOCUMENT, CONTENT, None, None, NOW)
    assert (decision.outcome, decision.write, decision.vector, decision.keep_bytes) == ("new", True, "embed", True)
    assert (decision.entry.first_seen, decision.entry.warnings) == (NOW.now, 2)
    assert decision.entry.embedding_model is None  # until a vector was really written


def test_other_bytes_with_the_same_record_are_kept_without_writing_the_record() -> None:
    decision = plan(replace(DOCUMENT, raw_hash="raw-2"), CONTENT, STORED, None, NOW)
    assert (decision.outcome, decision.write, decision.keep_bytes) == ("same", False, True)
    assert (decision.entry.raw_hash, decision.entry.embedding_model) == ("raw-2", "model-a")


def test_a_changed_record_with_the_same_text_keeps_its_vector() -> None:
    decision = plan(DOCUMENT, replace(CONTENT, record_hash="record-2"), STORED, None, NOW)
    assert (decision.outcome, decision.write, decision.vector) == ("changed", True, "keep")
    assert decision.entry.first_seen == STORED.first_seen


def test_another_text_or_another_model_or_no_vector_yet_is_embedded() -> None:
    other_record = replace(CONTENT, record_hash="record-2")
    other_text = replace(other_record, text_hash="text-2")
    assert plan(DOCUMENT, other_text, STORED, None, NOW).vector == "embed"
    assert plan(DOCUMENT, other_record, STORED, None, replace(NOW, model="model-b")).vector == "embed"
    assert plan(DOCUMENT, other_record, replace(STORED, embedding_model=None), None, NOW).vector == "embed"


def test_a_record_under_another_native_id_has_moved_and_the_old_document_gives_it_up() -> None:
    decision = plan(DOCUMENT, CONTENT, None, Owner(OTHER, seen=False), NOW)
    assert (decision.outcome, decision.write, decision.keep_bytes) == ("moved", False, True)
    assert decision.displaced_entry is not None
    assert (decision.displaced_entry.key, decision.displaced_entry.state, decision.displaced_entry.record_in_index) == (
        "s:old.xml",
        "moved",
        None,
    )
    assert (decision.entry.first_seen, decision.entry.record_in_index) == (OTHER.first_seen, "s:a")


def test_a_moved_record_that_changed_as_well_is_written() -> None:
    decision = plan(DOCUMENT, replace(CONTENT, record_hash="record-2"), None, Owner(OTHER, seen=False), NOW)
    assert (decision.outcome, decision.write, decision.vector) == ("moved", True, "keep")


def test_the_later_of_two_documents_with_one_record_is_named_and_not_written() -> None:
    decision = plan(DOCUMENT, CONTENT, STORED, Owner(OTHER, seen=True), NOW)
    assert (decision.outcome, decision.write, decision.keep_bytes) == ("duplicate", False, False)
    assert decision.entry.record_in_index is None
    assert decision.entry.reason == "says the same as '/data/old.xml', and is indexed once"


def test_a_document_that_breaks_keeps_the_last_good_version() -> None:
    decision = plan_refused(replace(DOCUMENT, raw_hash="raw-2"), "empty", STORED, NOW)
    assert (decision.outcome, decision.write) == ("refused", False)
    assert (decision.entry.record_in_index, decision.entry.raw_hash, decision.entry.reason) == ("s:a", "raw-2", "empty")
    mended = plan(DOCUMENT, CONTENT, decision.entry, None, NOW)
    assert (mended.outcome, mended.write, mended.entry.state, mended.entry.reason) == ("same", False, "current", None)


def test_a_document_broken_from_the_start_holds_nothing() -> None:
    for stored in (None, replace(STORED, state="removed"), replace(STORED, state="duplicate")):
        assert plan_refused(DOCUMENT, "empty", stored, NOW).entry.record_in_index is None


def test_what_was_removed_comes_back_as_new() -> None:
    assert plan(DOCUMENT, CONTENT, replace(STORED, state="removed"), None, NOW).outcome == "new"


def test_a_document_with_another_identifier_is_new() -> None:
    assert plan(DOCUMENT, replace(CONTENT, record="s:b"), STORED, None, NOW).outcome == "new"


def test_what_was_not_taken_is_seen_and_tried_again() -> None:
    decision = plan(DOCUMENT, replace(CONTENT, record_hash="record-2"), STORED, None, NOW)
    entry = uncommitted_entry(decision.entry, STORED, "400 too long", NOW)
    assert (entry.record_in_index, entry.last_seen_run, entry.record_hash) == ("s:a", "run-2", "record-1")
    assert not is_unchanged(DOCUMENT, entry)
    new = uncommitted_entry(decision.entry, None, "400 too long", NOW)
    assert (new.state, new.record, new.reason, new.last_seen_run) == ("refused", None, "400 too long", "run-2")
    assert not is_unchanged(DOCUMENT, new)


hashes = st.sampled_from(["1", "2"])
contents = st.builds(Content, record=st.sampled_from(["s:a", "s:b"]), record_hash=hashes, text_hash=hashes)
states: st.SearchStrategy[EntryState] = st.sampled_from(
    ["current", "refused", "skipped", "duplicate", "moved", "removed"]
)
entries = st.builds(
    replace,
    st.just(STORED),
    state=states,
    raw_hash=hashes,
    record=st.sampled_from(["s:a", "s:b", None]),
    record_hash=hashes,
    text_hash=hashes,
    embedding_model=st.sampled_from(["model-a", "model-b", None]),
)


@given(contents, st.none() | entries)
def test_deciding_again_after_a_commit_finds_everything_the_same(content: Content, stored: LedgerEntry | None) -> None:
    first = plan(DOCUMENT, content, stored, None, NOW)
    again = plan(DOCUMENT, content, first.entry, None, NOW)
    assert (again.outcome, again.write) == ("same", False)
    assert is_unchanged(DOCUMENT, first.entry)


@given(contents, st.none() | entries, st.booleans())
def test_a_record_has_one_holder_after_every_decision(content: Content, stored: LedgerEntry | None, seen: bool) -> None:
    owner = Owner(replace(OTHER, record=content.record), seen)
    decision = plan(DOCUMENT, content, stored, owner, NOW)
    after = decision.displaced_entry or owner.entry
    assert [entry.record_in_index for entry in (decision.entry, after)].count(content.record) == 1


@given(contents, st.none() | entries)
def test_a_vector_is_kept_only_where_text_and_model_are_the_same(content: Content, stored: LedgerEntry | None) -> None:
    decision = plan(DOCUMENT, content, stored, None, NOW)
    if decision.vector == "keep":
        assert stored is not None
        assert (stored.text_hash, stored.embedding_model) == (content.text_hash, NOW.model)
    assert (decision.vector == "none") == (not decision.write)
