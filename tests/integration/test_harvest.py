"""Harvests of a small folder into a real Elasticsearch: what is written, kept, moved, refused and removed."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST, HashingEmbedder, document, write_catalogue

from core.errors import ModelMissing
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options, RunTaken
from indexer.raw import RawPage
from indexer.sources.folder import FolderSource, SourceBroken
from indexer.store.ledger import Ledger
from indexer.store.runs import Runs
from indexer.write.embed import embed_missing

pytestmark = pytest.mark.elasticsearch


@dataclass
class Bench:
    """A folder, its indices, and the short ways to look at them."""

    client: Elasticsearch
    prefix: str
    folder: Path
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    def harvest(self, options: Options = Options(batch=10), **replaced: object) -> RunReport:  # noqa: B008
        parts = replace(HarvestParts(self.client, self.prefix, self.embedder.load), **replaced)  # type: ignore[arg-type]
        return harvest("s", FolderSource(self.folder, page_size=5), parts, options)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, "utf-8")

    def records(self) -> dict[str, dict[str, object]]:
        self.client.indices.refresh(index=f"{self.prefix}-*")
        found = self.client.search(index=f"{self.prefix}-records", size=2000, source={"exclude_vectors": False})
        return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}

    def version(self, id: str) -> int:
        return int(self.client.get(index=f"{self.prefix}-records", id=id)["_version"])

    def states(self) -> dict[str, str]:
        self.client.indices.refresh(index=f"{self.prefix}-*")
        ledger = Ledger(self.client, self.prefix)
        return {entry.native_id: entry.state for entry in ledger.find({"match_all": {}})}


@pytest.fixture
def bench(es_client: Elasticsearch, prefix: str, tmp_path: Path) -> Bench:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    folder = tmp_path / "catalogue"
    write_catalogue(folder, 12)
    return Bench(es_client, prefix, folder)


def test_a_first_harvest_writes_record_vector_native_bytes_and_ledger(bench: Bench) -> None:
    report = bench.harvest()

    assert (report.state, report.counts.seen, report.counts.new, report.counts.embedded) == ("complete", 12, 12, 12)
    records = bench.records()
    assert sorted(records) == [f"s:id-{index:04d}" for index in range(12)]
    vector = bench.embedder.embed(["Title of id-0003\nWords."], "document")[0]
    assert records["s:id-0003"]["vector"] == pytest.approx(vector.tolist(), abs=1e-6)
    native = bench.client.get(index=f"{bench.prefix}-natives", id="s:id-0003")["_source"]
    assert zlib.decompress(base64.b64decode(native["content_zlib"])) == (bench.folder / "rec-0003.xml").read_bytes()
    assert bench.states() == {f"rec-{index:04d}.xml": "current" for index in range(12)}
    assert Runs(bench.client, bench.prefix).load(report.id) == report


def test_a_second_harvest_of_the_same_writes_nothing_and_loads_no_embedder(bench: Bench) -> None:
    bench.harvest()

    def must_not_load(model: str) -> HashingEmbedder:
        pytest.fail(f"{model} was loaded though nothing changed")

    report = bench.harvest(embedder=must_not_load)

    assert (report.counts.same, report.counts.new, report.counts.changed) == (12, 0, 0)
    assert {bench.version(id) for id in bench.records()} == {1}


def test_other_bytes_with_the_same_record_do_not_write_the_record(bench: Bench) -> None:
    bench.harvest()
    bench.write("rec-0001.xml", document("id-0001", comment="only a comment"))

    report = bench.harvest()

    assert (report.counts.same, report.counts.changed) == (12, 0)
    assert bench.version("s:id-0001") == 1
    native = bench.client.get(index=f"{bench.prefix}-natives", id="s:id-0001")["_source"]
    assert b"only a comment" in zlib.decompress(base64.b64decode(native["content_zlib"]))


def test_a_changed_record_with_the_same_text_keeps_its_vector_and_loses_what_is_gone(bench: Bench) -> None:
    bench.harvest()
    before = bench.records()["s:id-0001"]
    bench.embedder.asked.clear()
    bench.write("rec-0001.xml", document("id-0001", keyword="snow"))

    report = bench.harvest()

    after = bench.records()["s:id-0001"]
    assert (report.counts.changed, report.counts.reused, report.counts.embedded) == (1, 1, 0)
    assert bench.embedder.asked == []
    assert [keyword["term"] for keyword in after["keywords"]] == ["snow"]  # type: ignore[attr-defined]
    assert after["vector"] == before["vector"]
    assert after["harvest"]["first_seen"] == before["harvest"]["first_seen"]  # type: ignore[index]


def test_a_changed_text_is_embedded_anew(bench: Bench) -> None:
    bench.harvest()
    bench.embedder.asked.clear()
    bench.write("rec-0001.xml", document("id-0001", "Another title"))

    report = bench.harvest()

    assert (report.counts.changed, report.counts.embedded) == (1, 1)
    assert bench.embedder.asked == ["Another title\nWords."]


def test_a_renamed_file_is_a_moved_record_and_is_neither_removed_nor_written(bench: Bench) -> None:
    bench.harvest()
    (bench.folder / "rec-0001.xml").rename(bench.folder / "zz-renamed.xml")

    report = bench.harvest()

    assert (report.counts.moved, report.counts.removed, len(bench.records())) == (1, 0, 12)
    assert bench.version("s:id-0001") == 1
    states = bench.states()
    assert (states["zz-renamed.xml"], states["rec-0001.xml"]) == ("current", "removed")


def test_the_later_of_two_files_that_say_the_same_is_named_and_not_written(bench: Bench) -> None:
    bench.write("rec-0001b.xml", document("id-0001", comment="other bytes, the same record"))

    first, second = bench.harvest(), bench.harvest()

    for report in (first, second):
        assert report.counts.duplicates == 1
        (warning,) = (found for kind, found in report.warnings.items() if kind.startswith("duplicate"))
        assert "rec-0001b.xml" in warning.examples[0]
        assert "rec-0001.xml" in warning.examples[0]
    assert len(bench.records()) == 12
    (bench.folder / "rec-0001.xml").unlink()
    assert bench.harvest().counts.moved == 1
    assert bench.version("s:id-0001") == 1


def test_a_broken_file_is_named_and_its_good_version_stays(bench: Bench) -> None:
    bench.write("broken.xml", "<not closed")
    bench.harvest()
    bench.write("rec-0001.xml", "<not closed either")

    report = bench.harvest()

    kept = {Path(refusal.origin).name: refusal.kept for refusal in report.refusals}
    assert kept == {"broken.xml": False, "rec-0001.xml": True}
    assert all(refusal.reason for refusal in report.refusals)
    assert (report.counts.refused, report.counts.removed, len(bench.records())) == (2, 0, 12)
    again = bench.harvest()
    assert (again.counts.refused, len(bench.records())) == (2, 12)
    bench.write("rec-0001.xml", document("id-0001"))
    assert (bench.harvest().counts.same, bench.version("s:id-0001")) == (12, 1)


def test_a_file_of_several_records_gives_them_all_and_keeps_them_while_it_is_broken(bench: Bench) -> None:
    def data_json(*titles: str) -> str:
        return json.dumps({"dataset": [{"identifier": t, "title": t, "description": "d"} for t in titles]})

    bench.write("data.json", data_json("one", "two", "three"))
    assert (bench.harvest().counts.new, len(bench.records())) == (15, 15)
    bench.write("data.json", data_json("one", "two", "three")[:-5])
    broken = bench.harvest()
    assert (broken.state, broken.counts.removed, len(bench.records())) == ("complete", 0, 15)
    assert [Path(refusal.origin).name for refusal in broken.refusals] == ["data.json"]
    bench.write("data.json", data_json("three", "one"))
    mended = bench.harvest()
    assert (mended.counts.same, mended.counts.removed) == (14, 1)
    assert {"s:one", "s:three"} <= bench.records().keys()
    assert "s:two" not in bench.records()


def test_what_vanished_is_removed_and_may_come_back(bench: Bench) -> None:
    bench.harvest()
    gone = bench.folder / "rec-0001.xml"
    text = gone.read_text("utf-8")
    gone.unlink()

    report = bench.harvest()

    assert (report.state, report.counts.removed) == ("complete", 1)
    assert "s:id-0001" not in bench.records()
    assert bench.client.exists(index=f"{bench.prefix}-natives", id="s:id-0001")  # kept, to be restored
    assert bench.states()["rec-0001.xml"] == "removed"
    gone.write_text(text, "utf-8")
    back = bench.harvest()
    assert (back.counts.new, back.counts.embedded, len(bench.records())) == (1, 1, 12)


def test_more_than_a_fifth_is_not_removed_without_leave(bench: Bench) -> None:
    bench.harvest()
    for index in range(3):  # 3 of 12 are 25 %
        (bench.folder / f"rec-{index:04d}.xml").unlink()

    refused = bench.harvest()

    assert (refused.state, refused.counts.removed, len(bench.records())) == ("refused_removal", 0, 12)
    assert refused.message is not None
    assert "3 of 12" in refused.message
    allowed = bench.harvest(Options(batch=10, allow_mass_removal=True))
    assert (allowed.state, allowed.counts.removed, len(bench.records())) == ("complete", 3, 9)


def test_many_new_records_do_not_hide_that_the_old_ones_vanished(bench: Bench) -> None:
    bench.harvest()
    for index in range(12):
        (bench.folder / f"rec-{index:04d}.xml").unlink()
    for index in range(100):
        bench.write(f"new-{index}.xml", document(f"new-{index}"))

    report = bench.harvest(Options(batch=50))

    assert (report.state, report.counts.new, len(bench.records())) == ("refused_removal", 100, 112)


def test_an_empty_folder_removes_nothing(bench: Bench) -> None:
    bench.harvest()
    for path in bench.folder.iterdir():
        path.unlink()

    report = bench.harvest(Options(max_removal_share=1.0))

    assert (report.state, len(bench.records())) == ("refused_removal", 12)


def test_a_record_without_ledger_entry_is_swept_and_one_missing_from_the_index_returns(bench: Bench) -> None:
    bench.harvest()
    client, index = bench.client, f"{bench.prefix}-records"
    orphan = {
        "id": "s:orphan",
        "source": "s",
        "identifier": "orphan",
        "title": "Left behind",
        "type": "dataset",
    }
    client.index(index=index, id="s:orphan", document=orphan)
    client.delete(index=index, id="s:id-0002")

    report = bench.harvest()

    assert (report.counts.removed, "s:orphan" in bench.records()) == (1, False)
    assert any("1 records were missing" in found.examples[0] for found in report.warnings.values())
    assert bench.harvest().counts.changed == 1
    assert sorted(bench.records()) == [f"s:id-{index:04d}" for index in range(12)]


def test_without_embedder_records_are_found_by_words_and_vectors_are_filled_later(bench: Bench) -> None:
    def none_there(model: str) -> HashingEmbedder:
        raise ModelMissing(f"no {model} here")

    report = bench.harvest(embedder=none_there)

    assert (report.state, report.counts.without_vector) == ("complete", 12)
    assert report.message is not None
    assert "no test/hashing here" in report.message
    assert all("vector" not in record for record in bench.records().values())
    parts = HarvestParts(bench.client, bench.prefix, bench.embedder.load)
    filled = embed_missing("s", parts, Options(batch=5))
    assert (filled.embedded, filled.remaining, filled.failures) == (12, 0, ())
    assert all("vector" in record for record in bench.records().values())
    bench.write("rec-0001.xml", document("id-0001", keyword="snow"))
    assert bench.harvest().counts.reused == 1
    assert "vector" in bench.records()["s:id-0001"]


def test_a_longer_text_than_the_model_reads_is_counted(bench: Bench) -> None:
    bench.write("rec-0001.xml", document("id-0001", "Long", abstract="word " * 20))

    tokens = bench.harvest().tokens

    # 20 + 1 words and two special tokens are 23; the stub reads 12
    assert (tokens.read, tokens.texts, tokens.longer, tokens.beyond, tokens.longest) == (12, 12, 1, 11, 23)
    assert tokens.longer_share == pytest.approx(1 / 12)


def test_slices_go_on_from_the_stored_position_and_only_the_last_one_sweeps(bench: Bench) -> None:
    bench.harvest()
    (bench.folder / "rec-0000.xml").unlink()
    parts = HarvestParts(bench.client, bench.prefix, bench.embedder.load)
    source, options = FolderSource(bench.folder, page_size=2), Options(batch=4, records=4)
    reports = [harvest("s", source, parts, options)]
    while reports[-1].state == "running":
        stored = Runs(bench.client, bench.prefix).find_unfinished("s")
        assert stored == reports[-1]
        reports.append(harvest("s", source, parts, options, stored))

    assert [report.counts.seen for report in reports] == [4, 8, 11]
    assert [report.counts.removed for report in reports] == [0, 0, 1]
    assert (reports[-1].slices, len(bench.records())) == (3, 11)


def test_a_batch_that_a_crash_kept_out_of_the_report_is_counted_as_what_it_was(bench: Bench) -> None:
    source, runs = FolderSource(bench.folder, page_size=4), Runs(bench.client, bench.prefix)
    parts, options = HarvestParts(bench.client, bench.prefix, bench.embedder.load), Options(batch=4, records=4)
    first = harvest("s", source, parts, options)
    assert (first.state, first.counts.new) == ("running", 4)
    harvest("s", source, parts, options, first)
    runs.save(first)  # killed between the writing of the second batch and of the report
    bench.client.indices.refresh(index=runs.index)
    again = runs.load(first.id)
    assert again is not None
    last = harvest("s", source, parts, Options(batch=4), again)
    assert (last.state, last.counts.seen, last.counts.new, last.counts.same) == ("complete", 12, 12, 0)
    assert (last.counts.embedded, len(bench.embedder.asked)) == (12, 12), "and no text was embedded twice"


class _BreaksOff:
    def __init__(self, source: FolderSource) -> None:
        self.source = source

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        yield next(self.source.pages(position))
        raise SourceBroken("the line went dead")


def test_a_source_that_breaks_off_keeps_what_came_and_sweeps_nothing(bench: Bench) -> None:
    bench.harvest()
    parts = HarvestParts(bench.client, bench.prefix, bench.embedder.load)

    report = harvest("s", _BreaksOff(FolderSource(bench.folder, page_size=5)), parts, Options(batch=100))

    assert (report.state, report.message, report.counts.seen) == ("failed", "the line went dead", 5)
    assert len(bench.records()) == 12


def test_who_lost_the_lease_writes_nothing_more(bench: Bench) -> None:
    calls = iter(range(100))

    def lost_after_three() -> None:
        if next(calls) >= 3:
            raise RunTaken("gone")

    with pytest.raises(RunTaken):
        bench.harvest(Options(batch=5, guard=lost_after_three))

    assert len(bench.records()) <= 5
    assert {run.state for run in Runs(bench.client, bench.prefix).latest("s")} == {"running"}


def test_a_record_that_elasticsearch_refuses_is_named_and_tried_again(bench: Bench) -> None:
    bench.harvest()
    too_long = "x" * 33_000  # an identifier is a keyword: Lucene takes 32,766 bytes
    bench.write("rec-0001.xml", document(too_long))

    report = bench.harvest()

    assert (report.counts.failed, report.state) == (1, "complete")
    assert "rec-0001.xml" in report.failures[0].origin
    assert "400" in report.failures[0].reason
    assert "s:id-0001" in bench.records()
    assert bench.harvest().counts.failed == 1
