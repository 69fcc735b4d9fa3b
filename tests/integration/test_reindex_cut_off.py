"""A reindex cut off when its alias has moved: what was written at just that time is brought over by whoever is next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from elastic_transport import Transport

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_mappings.codecs.runs import RunReport
from es_mappings.indices import ensure_indices, serving
from es_mappings.loader import IndexShape
from es_mappings.names import IndexKind
from indexer.harvest.harvest import harvest
from indexer.parts import HarvestParts, Options
from indexer.reindex.run import ReindexParts, forget_others, reindex, rollback
from indexer.reindex.sync import unfinished_handovers
from indexer.sources.folder import FolderSource
from sonde.ops.doctor.elasticsearch import unfinished_reindex
from tests.integration.hashing import Hashing
from tests.service import SAMPLES

_PATHS = sorted(SAMPLES.glob("*.xml"))[:5]
_KINDS: tuple[IndexKind, ...] = ("records", "natives", "ledger", "passages", "documents", "runs", "visits")
_LATE = "2000-01-01T00:00:00.000Z"  # a clock that is behind: when something was written must not matter


class PowerCut(BaseException):
    """Ends a reindex in its midst; nothing in it may catch this."""


class _Told(Transport):
    """Real requests; ``after`` hears of each that was answered, and may write something then, or cut the power."""

    after: Callable[[str], None]

    def perform_request(self, method: str, target: str, **how: Any) -> Any:
        answer = super().perform_request(method, target, **how)
        self.after(target.partition("?")[0])
        return answer


@dataclass
class _Yard:
    """Four records that serve; a fifth comes, one changes and one goes when the reindex has seen all."""

    client: Elasticsearch
    told: Elasticsearch
    prefix: str
    folder: Path
    shape: IndexShape

    @property
    def one(self) -> str:
        return f"{self.prefix}-records-000001"

    @property
    def two(self) -> str:
        return f"{self.prefix}-records-000002"

    def harvest(self) -> RunReport:
        parts = HarvestParts(self.client, self.prefix, _model)
        return harvest("s", FolderSource(self.folder), parts, Options(max_removal_share=1.0))

    def last_moment(self, index: str) -> list[list[str]]:
        """As a probe, which is asked between the last comparison and the move."""
        if index == self.two:
            kept, gone = self.folder / _PATHS[0].name, self.folder / _PATHS[1].name
            text = kept.read_text("utf-8")
            kept.write_text(text.replace("AERONET Version 3", "AERONET Version 4"), "utf-8")
            gone.unlink()
            (self.folder / _PATHS[4].name).write_bytes(_PATHS[4].read_bytes())
            report = self.harvest()
            assert (report.counts.new, report.counts.changed, report.counts.removed) == (1, 1, 1)
        return [["a"]]

    def reindex(self, model: str, cut_after: str | None = None) -> Any:
        """To the model of that name, the power cut at the first such request after the alias has moved."""
        seen: list[str] = []

        def after(target: str) -> None:
            seen.append(target)
            if cut_after is not None and "/_aliases" in seen and target.endswith(cut_after):
                raise PowerCut

        self.told.transport.after = after  # type: ignore[attr-defined]
        parts = ReindexParts(self.told, self.prefix, _model(model), probe=self.last_moment, shape=self.shape)
        return reindex(parts, least_overlap=0.0)

    def cut(self, model: str = "two", after: str = "/_aliases") -> None:
        with pytest.raises(PowerCut):
            self.reindex(model, after)
        assert serving(self.client, self.prefix, "records").index == self.two  # type: ignore[union-attr]

    def documents(self, index: str) -> dict[str, tuple[str, str]]:
        """Title and time of writing by id."""
        self.client.indices.refresh(index=index)
        hits = self.client.search(index=index, size=100)["hits"]["hits"]
        return {hit["_id"]: (hit["_source"]["title"], hit["_source"]["harvest"]["written"]) for hit in hits}

    def with_vector(self) -> int:
        return int(self.client.count(index=self.two, query={"exists": {"field": "vector"}})["count"])


def _model(name: str) -> Hashing:
    return Hashing(name, dims=16 if name == "two" else 8)


@pytest.fixture(params=[1, 3], ids=["one_shard", "three_shards"])
def yard(
    es_client: Elasticsearch, elasticsearch_url: str, prefix: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[_Yard]:
    shape = IndexShape(shards=request.param)
    ensure_indices(es_client, prefix, _model("one").card, kinds=_KINDS, shape=shape)
    for path in _PATHS[:4]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    told = Elasticsearch(elasticsearch_url, request_timeout=60, max_retries=0, transport_class=_Told)
    one = _Yard(es_client, told, prefix, tmp_path, shape)
    one.harvest()
    yield one
    told.close()


@pytest.mark.parametrize("after", ["/_aliases", "/_bulk"])
def test_the_next_harvest_brings_over_what_came_changed_and_went(yard: _Yard, after: str) -> None:
    yard.cut(after=after)
    assert unfinished_reindex(yard.client, yard.prefix)[0] == "warning"
    wanted = yard.documents(yard.one)
    assert len(wanted) == 4
    if after == "/_aliases":
        assert yard.documents(yard.two).keys() != wanted.keys()
    assert yard.harvest().counts.same == 4, "the ledger holds all of it for written"
    assert yard.documents(yard.two) == wanted
    assert yard.with_vector() == 4
    assert unfinished_handovers(yard.client, yard.prefix) == []
    assert unfinished_reindex(yard.client, yard.prefix)[0] == "ok"


def test_the_next_reindex_ends_it_and_builds_no_other(yard: _Yard) -> None:
    yard.cut("one")
    wanted = yard.documents(yard.one)
    with pytest.raises(SondeError, match="interrupted while the alias moved"):
        forget_others(yard.client, yard.prefix)
    report = yard.reindex("one")
    assert report.moved
    assert report.new[0] == yard.two
    assert yard.documents(yard.two) == wanted
    assert yard.with_vector() == 4
    assert not yard.client.indices.exists(index=f"{yard.prefix}-records-000003")
    assert yard.one in forget_others(yard.client, yard.prefix)


def test_what_was_written_and_removed_after_the_move_stays_so_whatever_the_clocks_say(yard: _Yard) -> None:
    yard.cut("one")
    old, copied = yard.documents(yard.one), yard.documents(yard.two)
    (came,), (went,) = old.keys() - copied.keys(), copied.keys() - old.keys()
    changed = next(id for id in old.keys() & copied.keys() if old[id] != copied[id])
    alone, written = (
        {**yard.client.get(index=yard.one, id=changed)["_source"], "title": title, "harvest": {"written": _LATE}}
        for title in ("Found by another source", "Written anew")
    )
    serves = f"{yard.prefix}-records"
    yard.client.index(index=serves, id="o:alone", document=alone)
    yard.client.index(index=serves, id=changed, document=written)
    unchanged = next(id for id in old.keys() & copied.keys() if id != changed)
    yard.client.delete(index=serves, id=unchanged)
    yard.reindex("one")
    found = yard.documents(yard.two)
    assert found.keys() == {"o:alone", changed, came} | (old.keys() - {unchanged})
    assert found[changed][0] == "Written anew"
    assert went not in found


def test_a_record_and_a_document_that_went_after_the_move_do_not_come_back(yard: _Yard) -> None:
    store, passages = f"{yard.prefix}-documents", f"{yard.prefix}-passages"

    def last_moment(target: str) -> None:
        if target == "/_aliases":
            raise PowerCut
        if target.endswith("/_mapping"):  # the note is written, the alias is about to move
            for document in ("kept", "deleted"):
                body = {"document": document, "ordinal": 0, "text": f"of {document}"}
                yard.client.index(index=passages, id=f"{document}-0", document=body)

    yard.client.index(index=store, id="kept", document={"state": "ready"})
    yard.told.transport.after = last_moment  # type: ignore[attr-defined]
    with pytest.raises(PowerCut):
        reindex(ReindexParts(yard.told, yard.prefix, _model("two"), shape=yard.shape), least_overlap=0.0)
    yard.reindex("two")
    yard.client.indices.refresh(index=passages)
    hits = yard.client.search(index=passages)["hits"]["hits"]
    assert [hit["_id"] for hit in hits] == ["kept-0"]
    assert yard.client.count(index=passages, query={"exists": {"field": "vector"}})["count"] == 1


def test_the_way_back_needs_nothing_brought_over(yard: _Yard) -> None:
    yard.cut("one")
    rollback(yard.client, yard.prefix)
    assert unfinished_handovers(yard.client, yard.prefix) == []
    assert len(yard.documents(f"{yard.prefix}-records")) == 4
