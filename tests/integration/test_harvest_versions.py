"""Different files under one identifier: all are kept, each under an id that stays (ADR 0018)."""

from __future__ import annotations

import io
import json
import random
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from elasticsearch import Elasticsearch
from small_catalogue import CARD, KINDS_OF_A_HARVEST, HashingEmbedder, document

from es_mappings.codecs.records import from_document
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices
from indexer.harvest.harvest import harvest
from indexer.harvest.restore import restore
from indexer.parts import HarvestParts, Options
from indexer.raw import RawPage, RawRecord
from indexer.sources.folder import FolderSource
from indexer.store.ledger import Ledger
from indexer.write.push import PushedDocument, put

pytestmark = pytest.mark.elasticsearch

V1 = document("product", "Ice thickness", edition="1.0")
V2 = document("product", "Ice thickness", edition="2.0")
BOTH = {"s:product": "1.0", "s:product~v2.0": "2.0"}
ALL = Options(batch=1, allow_mass_removal=True)  # a document a batch: each meets the others in the ledger or in flight


@dataclass
class Bench:
    client: Elasticsearch
    prefix: str
    folder: Path
    embedder: HashingEmbedder = field(default_factory=HashingEmbedder)

    @property
    def parts(self) -> HarvestParts:
        return HarvestParts(self.client, self.prefix, self.embedder.load)

    def harvest(self, options: Options = ALL, order: int | None = None) -> RunReport:
        source = FolderSource(self.folder, page_size=1)
        return harvest("s", source if order is None else _Shuffled(source, order), self.parts, options)

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name}.xml").write_text(text, "utf-8")

    def remove(self, *names: str) -> None:
        for name in names:
            (self.folder / f"{name}.xml").unlink()

    def editions(self) -> dict[str, str | None]:
        return {id: record.get("edition") for id, record in self.stored().items()}

    def stored(self) -> dict[str, dict[str, object]]:
        self.client.indices.refresh(index=f"{self.prefix}-*")
        found = self.client.search(index=f"{self.prefix}-records", size=200, source={"exclude_vectors": False})
        return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}

    def versions(self) -> set[int]:
        ids = list(self.stored())
        return {int(self.client.get(index=f"{self.prefix}-records", id=id)["_version"]) for id in ids}


@dataclass
class _Shuffled:
    source: FolderSource
    seed: int

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        pages = [replace(page, position=None) for page in self.source.pages(position)]
        random.Random(self.seed).shuffle(pages)
        yield from pages


@pytest.fixture
def bench(es_client: Elasticsearch, prefix: str, tmp_path: Path) -> Bench:
    ensure_indices(es_client, prefix, CARD, kinds=KINDS_OF_A_HARVEST)
    folder = tmp_path / "catalogue"
    folder.mkdir()
    return Bench(es_client, prefix, folder)


def test_two_editions_under_one_identifier_are_both_kept_and_the_report_names_both_files(bench: Bench) -> None:
    bench.write(a=V1, b=V2)

    reports = [bench.harvest(), bench.harvest()]

    assert bench.editions() == BOTH
    assert [report.counts.new for report in reports] == [2, 0]
    assert [report.counts.same for report in reports] == [0, 2]
    for report in reports:
        (found,) = report.warnings.values()
        assert all(name in found.examples[0] for name in ("a.xml", "b.xml", "s:product~v2.0", "2.0", "1.0"))


def test_the_two_are_different_data_sets_to_the_search(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    first, second = (from_document(source) for _, source in sorted(bench.stored().items()))
    assert (first.identifier, first.identity) == ("product", "product")
    assert (second.identifier, second.identity) == ("product", "product~v2.0")


@pytest.mark.parametrize("seed", range(4))
def test_ids_stay_whatever_the_order_in_which_files_come_and_nothing_is_rewritten(bench: Bench, seed: int) -> None:
    bench.write(a=V1, b=V2, c=document("product", "Ice thickness, cut", edition="2.0"))
    bench.harvest()
    before = bench.editions()
    assert len(before) == 3

    report = bench.harvest(order=seed)

    assert (report.counts.same, bench.editions(), bench.versions()) == (3, before, {1})


def test_without_an_edition_the_name_in_the_source_tells_them_apart(bench: Bench) -> None:
    bench.write(a=document("product", "Ice"), b=document("product", "Snow"), c=document("product", "Rain"))
    bench.harvest()
    first, *others = sorted(bench.stored())
    assert first == "s:product"
    assert [other[: len("s:product~nb.xml-")] for other in others] == ["s:product~nb.xml-", "s:product~nc.xml-"]


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_version_that_comes_later_leaves_the_id_of_the_first_alone(bench: Bench, names: str) -> None:
    old, new = names  # the new one is read after the old one, or before it
    bench.write(**{old: V1})
    bench.harvest()
    bench.write(**{new: V2})

    report = bench.harvest()

    assert (bench.editions(), report.counts.new, report.counts.same, report.counts.removed) == (BOTH, 1, 1, 0)
    assert bench.harvest().counts.same == 2


@pytest.mark.parametrize(("gone", "left"), [("a", {"s:product~v2.0": "2.0"}), ("b", {"s:product": "1.0"})])
def test_when_one_vanishes_the_other_keeps_its_id(bench: Bench, gone: str, left: dict[str, str]) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    bench.remove(gone)

    assert bench.harvest().counts.removed == 1
    assert bench.editions() == left
    bench.write(a=V1, b=V2)
    assert bench.harvest().counts.new == 1
    assert bench.editions() == BOTH


@pytest.mark.parametrize("names", ["ab", "ba"])
def test_a_file_that_was_renamed_and_changed_keeps_the_id(bench: Bench, names: str) -> None:
    old, new = names
    bench.write(**{old: V1})
    bench.harvest()
    bench.remove(old)
    bench.write(**{new: V2})

    report = bench.harvest(Options(batch=1))  # not a removal: no leave is needed

    assert (report.state, report.counts.removed, bench.editions()) == ("complete", 0, {"s:product": "2.0"})
    assert bench.stored()["s:product"]["vector"]
    assert not bench.client.exists(index=f"{bench.prefix}-natives", id="s:product~v2.0")
    bench.harvest()
    assert (bench.editions(), bench.harvest().counts.same) == ({"s:product": "2.0"}, 1)


def test_of_two_that_take_the_place_of_one_the_same_edition_has_its_id(bench: Bench) -> None:
    bench.write(m=V1)
    bench.harvest()
    bench.remove("m")
    bench.write(a=V2, b=document("product", "Ice thickness, mended", edition="1.0"))
    bench.harvest()
    assert bench.editions() == BOTH


def test_a_version_that_changes_is_changed_and_one_of_another_edition_takes_its_name(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    bench.write(b=document("product", "Ice thickness, mended", edition="2.0"))
    assert (bench.harvest().counts.changed, bench.editions()) == (1, BOTH)
    bench.write(b=document("product", "Ice thickness", edition="3.0"))
    bench.harvest()
    assert bench.editions() == {"s:product": "1.0", "s:product~v3.0": "3.0"}


def test_a_version_that_breaks_stays_in_service_under_its_id(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    bench.write(b="<broken")
    assert (bench.harvest().counts.refused, bench.editions()) == (1, BOTH)
    bench.write(b=V2)
    assert (bench.harvest().counts.same, bench.editions(), bench.versions()) == (2, BOTH, {1})


def test_a_run_in_slices_and_one_that_is_cut_between_record_and_ledger_give_the_same_ids(bench: Bench) -> None:
    bench.write(a=V1, b=V2, c=V2)
    source, options = FolderSource(bench.folder, page_size=1), replace(ALL, records=1)
    report = harvest("s", source, bench.parts, options)
    while report.state == "running":
        report = harvest("s", source, bench.parts, options, report)
    assert (report.counts.new, report.counts.duplicates, bench.editions()) == (2, 1, BOTH)
    bench.client.delete(index=f"{bench.prefix}-ledger", id="s:b.xml", refresh=True)
    bench.harvest()
    assert bench.editions() == BOTH


def test_duplicates_that_an_older_version_dropped_are_kept_now(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    bench.client.delete(index=f"{bench.prefix}-records", id="s:product~v2.0", refresh=True)
    ledger = Ledger(bench.client, bench.prefix)
    dropped = {"state": "duplicate", "record": "s:product", "claims": None, "edition": None, "reason": "said by a.xml"}
    bench.client.update(index=ledger.index, id="s:b.xml", doc=dropped, refresh=True)
    bench.client.update(index=ledger.index, id="s:a.xml", doc={"edition": None, "record_hash": "old"}, refresh=True)
    bench.write(c=document("product", "Ice thickness", edition="1.0", comment="a copy of a, as today's readers see it"))

    report = bench.harvest()

    assert (bench.editions(), report.counts.duplicates) == (BOTH, 1)


def test_what_was_removed_is_restored_under_the_id_that_it_had(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    bench.remove("b")
    bench.harvest()
    restore("s", ["b.xml"], bench.parts, ALL)
    assert bench.editions() == BOTH
    assert (bench.harvest().counts.removed, bench.editions()) == (0, BOTH)


def test_a_push_replaces_the_record_at_its_address_and_the_catalogue_has_the_last_word(bench: Bench) -> None:
    bench.write(a=V1, b=V2)
    bench.harvest()
    put("s", PushedDocument("s:product", document("product", edition="1.1").encode()), bench.parts)
    assert bench.editions() == {**BOTH, "s:product": "1.1"}
    bench.harvest()
    assert bench.editions() == BOTH


def test_a_tar_and_a_catalogue_in_one_file_lose_no_version_whatever_their_order(bench: Bench) -> None:
    datasets = [{"identifier": "p", "title": "P", "description": "d", "version": v} for v in ("1", "2", "3")]
    editions = []
    for order in ([0, 1, 2], [2, 0, 1]):
        said = json.dumps({"dataset": [datasets[index] for index in order]}).encode()
        archive = bench.folder.parent / "catalogue.tar"
        with tarfile.open(archive, "w") as tar:
            for name, content in {"v2.xml": V2.encode(), "data.json": said, "v1.xml": V1.encode()}.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
        report = harvest("s", FolderSource(archive), bench.parts, ALL)
        assert (report.state, report.counts.duplicates) == ("complete", 0)
        editions.append(bench.editions())
    assert editions[0] == editions[1]
    assert sorted(filter(None, editions[0].values())) == ["1", "1.0", "2", "2.0", "3"]
    assert bench.versions() == {1}


@dataclass
class _Answers:
    """A protocol that promises one record for each id, and answers twice for one."""

    contents: tuple[str, ...]
    page_size: int

    def pages(self, position: str | None = None) -> Iterator[RawPage]:  # noqa: ARG002
        records = [RawRecord("oai:x", content.encode(), "http://oai.example#oai:x") for content in self.contents]
        for start in range(0, len(records), self.page_size):
            yield RawPage(tuple(records[start : start + self.page_size]))


@pytest.mark.parametrize("page_size", [1, 2])
def test_where_the_protocol_promises_unique_ids_a_second_answer_is_a_newer_state(bench: Bench, page_size: int) -> None:
    harvest("s", _Answers((V1, V2), page_size), bench.parts, replace(ALL, batch=page_size))
    assert bench.editions() == {"s:product": "2.0"}
