"""OGC API - Records of a real pycsw 3 and a real pygeoapi; collections of features are described, not emptied."""

from __future__ import annotations

from pathlib import Path

from indexer.sources.ogc_records import OgcOptions, OgcSource
from indexer.sources.probe import probe
from tests.servers.asking import all_of, fetcher_of, resumed_everywhere
from tests.servers.catalogue_files import write_records
from tests.servers.pycsw3 import pycsw3
from tests.servers.pygeoapi import pygeoapi


def test_records_of_pycsw_3(tmp_path: Path) -> None:
    ids = write_records(tmp_path / "records", 90)
    with pycsw3(tmp_path / "server", tmp_path / "records") as url:
        given = all_of(OgcSource(fetcher_of(url), url))
        assert sorted(given.ids) == ids
        assert given.matched == 90
        assert len(given.pages) > 2, "the server caps its pages at 40"
        resumed_everywhere(lambda: OgcSource(fetcher_of(url), url), given)


def test_records_of_pygeoapi_and_its_collections(tmp_path: Path) -> None:
    with pygeoapi(tmp_path / "server", 55) as url:
        given = all_of(OgcSource(fetcher_of(url), url))
        assert sorted(given.ids) == [f"rec-{number:03d}" for number in range(55)]
        assert given.matched == 55

        described = all_of(OgcSource(fetcher_of(url), url, None, OgcOptions(collections=("stations",))))
        assert described.ids == ["1"], "asked for by name, items come whatever they are"

        looked = probe(fetcher_of(url), url)
        assert looked.found is not None
        assert (looked.found.type, len(looked.found.preview)) == ("ogc-records", 3)
