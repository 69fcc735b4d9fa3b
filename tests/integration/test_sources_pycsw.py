"""CSW 2.0.2, CSW 3.0 and OAI-PMH of a real pycsw 2.6.2 that holds copies of the samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from indexer.formats.registry import read
from indexer.raw import RawRecord
from indexer.sources.csw import GMD, CswOptions, CswSource, choose_dialect
from indexer.sources.oai_pmh import OaiOptions, OaiSource, choose_prefix, identify
from tests.servers.asking import all_of, fetcher_of, resumed_everywhere
from tests.servers.catalogue_files import write_records
from tests.servers.pycsw2 import pycsw

NUMBER = 130
CAP = 40


@dataclass(frozen=True)
class Server:
    url: str
    ids: list[str]

    @property
    def oai(self) -> str:
        return f"{self.url}?mode=oaipmh"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("pycsw2")
    ids = write_records(folder / "records", NUMBER)
    with pycsw(folder / "server", folder / "records", maxrecords=CAP) as url:
        yield Server(url, ids)


def csw(server: Server, options: CswOptions, since: str | None = None) -> CswSource:
    return CswSource(fetcher_of(server.url), server.url, since, options)


@pytest.mark.parametrize("version", ["2.0.2", "3.0.0"])
@pytest.mark.parametrize("method", ["post", "get"])
def test_every_record_comes_once_though_the_server_caps_its_pages(server: Server, version: str, method: str) -> None:
    options = CswOptions(version=version, method=method)  # type: ignore[arg-type]

    given = all_of(csw(server, options))

    assert sorted(given.ids) == server.ids
    assert given.matched == NUMBER
    assert max(len(page.records) for page in given.pages) == CAP


def test_iso_is_asked_for_and_what_comes_can_be_read(server: Server) -> None:
    dialect = choose_dialect(fetcher_of(server.url), server.url, CswOptions())
    assert (dialect.version, dialect.schema, dialect.sort) == ("2.0.2", GMD, "dc:identifier")

    given = all_of(csw(server, CswOptions()))
    assert given.ids == server.ids, "sorted by the server"
    id, content = next(iter(given.contents.items()))
    record = read(RawRecord(id, content, "origin"), "s")
    assert record.identifier == id
    assert record.title


def test_a_csw_goes_on_from_every_position(server: Server) -> None:
    whole = all_of(csw(server, CswOptions()))
    resumed_everywhere(lambda: csw(server, CswOptions()), whole)


def test_only_what_changed_is_asked_for(server: Server) -> None:
    assert all_of(csw(server, CswOptions(), since="1990-01-01T00:00:00Z")).matched == NUMBER
    days = [raw.modified for page in CswSource(fetcher_of(server.url), server.url).pages() for raw in page.records]
    day = max(day for day in days if day is not None and len(day) == 10)  # without a time, as many records say it
    assert all_of(csw(server, CswOptions(), since=f"{day}T02:00:00Z")).matched
    none = all_of(csw(server, CswOptions(), since="2999-01-01T00:00:00Z"))
    assert (none.ids, none.matched) == ([], 0)


def test_oai_pmh_gives_everything_over_its_tokens(server: Server) -> None:
    fetcher = fetcher_of(server.oai)
    assert identify(fetcher, server.oai) == "Test catalogue"
    assert choose_prefix(fetcher, server.oai) == "iso19139"

    given = all_of(OaiSource(fetcher, server.oai))

    assert len(given.ids) == NUMBER
    assert {id.rpartition(":")[2] for id in given.ids} == set(server.ids)
    assert len(given.pages) > NUMBER // CAP
    id, content = next(iter(given.contents.items()))
    assert read(RawRecord(id, content, "origin"), "s").title


def test_oai_pmh_goes_on_from_every_position(server: Server) -> None:
    whole = all_of(OaiSource(fetcher_of(server.oai), server.oai))
    resumed_everywhere(lambda: OaiSource(fetcher_of(server.oai), server.oai), whole)


def test_oai_pmh_in_dublin_core_where_the_operator_says_so(server: Server) -> None:
    given = all_of(OaiSource(fetcher_of(server.oai), server.oai, None, OaiOptions(prefix="oai_dc")))
    assert len(given.ids) == NUMBER
    assert b"oai_dc" in next(iter(given.contents.values()))
