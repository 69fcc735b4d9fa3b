"""A web accessible folder, a static STAC catalogue and a sitemap behind a real HTTP server."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.sources.fetching import BadAnswer
from indexer.sources.linked_walk import NothingToHarvest
from indexer.sources.members import SourceBroken
from indexer.sources.sitemap import SitemapSource
from indexer.sources.stac_api import StacOptions
from indexer.sources.stac_static import StacStaticSource
from indexer.sources.waf import ListingEntry, WafOptions, WafSource
from tests.servers.asking import all_of, fetcher_of, resumed_everywhere
from tests.servers.files import file_server


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    with file_server(tmp_path) as url:
        yield tmp_path, url


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def waf(url: str, options: WafOptions | None = None) -> WafSource:
    return WafSource(fetcher_of(url), url, None, options or WafOptions())


def test_files_of_all_folders_come_once_and_other_files_do_not(site: tuple[Path, str]) -> None:
    folder, url = site
    for index in range(120):
        write(folder, f"waf/{index % 7}/rec {index:03d}.xml", f"<r>{index}</r>")
    write(folder, "waf/readme.html", "<html/>")
    write(folder, "waf/.hidden/x.xml", "<r/>")
    write(folder, "elsewhere.xml", "<r/>")

    given = all_of(waf(f"{url}waf"))

    assert sorted(given.ids) == sorted(f"{index % 7}/rec {index:03d}.xml" for index in range(120))
    assert given.contents["0/rec 007.xml"] == b"<r>7</r>"
    resumed_everywhere(lambda: waf(f"{url}waf"), given)


def test_robots_are_obeyed(site: tuple[Path, str]) -> None:
    folder, url = site
    write(folder, "waf/a.xml", "<r/>")
    write(folder, "waf/private/b.xml", "<r/>")
    write(folder, "robots.txt", "User-agent: *\nDisallow: /waf/private/\n")
    assert all_of(waf(f"{url}waf")).ids == ["a.xml"]

    write(folder, "robots.txt", "User-agent: Sonde\nDisallow: /\n")
    with pytest.raises(SourceBroken, match="robots"):
        all_of(waf(f"{url}waf"))


def test_a_folder_that_is_too_deep_or_no_listing_ends_the_run(site: tuple[Path, str]) -> None:
    folder, url = site
    write(folder, "waf/a/b/c/d.xml", "<r/>")
    with pytest.raises(SourceBroken, match="deeper"):
        all_of(waf(f"{url}waf", WafOptions(depth=1)))

    write(folder, "page/index.html", "<html><body><a href='x.xml'>x</a></body></html>")
    with pytest.raises(BadAnswer, match="listing"):
        all_of(waf(f"{url}page"))


def test_a_web_page_instead_of_a_file_is_named_and_not_taken(site: tuple[Path, str]) -> None:
    folder, url = site
    write(folder, "waf/good.xml", "<r/>")
    write(folder, "waf/page.xml", "<!DOCTYPE html><html/>")
    given = all_of(waf(f"{url}waf"))
    assert given.ids == ["good.xml"]
    assert given.skipped == [f"{url}waf/page.xml"]


def test_compressed_files_are_read_and_other_files_are_counted(site: tuple[Path, str]) -> None:
    folder, url = site
    write(folder, "waf/good.xml", "<r/>")
    (folder / "waf" / "packed.xml.gz").write_bytes(gzip.compress(b"<r>packed</r>"))
    (folder / "waf" / "broken.xml.gz").write_bytes(gzip.compress(b"<r>packed</r>")[:-4])
    for name in ("notes.pdf", "more.zip", "web.config"):
        write(folder, f"waf/{name}", "x")
    given = all_of(waf(f"{url}waf"))
    assert given.contents == {"good.xml": b"<r/>", "packed.xml.gz": b"<r>packed</r>"}
    assert given.skipped == [f"{url}waf/broken.xml.gz"]
    assert sorted(one.origin for page in given.pages for one in page.passed_over) == [
        f"{url}waf/{name}" for name in ("more.zip", "notes.pdf", "web.config")
    ]


def test_a_stac_document_that_cannot_be_read_is_named_and_the_others_come(site: tuple[Path, str]) -> None:
    folder, url = site
    _stac(folder)
    write(folder, "stac/a/c3.json", '{"type": "Collection", "id": "c3",}')
    root = f"{url}stac/catalog.json"
    given = all_of(StacStaticSource(fetcher_of(root), root))
    assert given.skipped == [f"{url}stac/a/c3.json", f"{url}stac/gone.json"]
    assert len(given.ids) == 60
    reasons = [one.reason for page in given.pages for one in page.skipped]
    assert f"{url}stac/a/c3.json sent JSON that is not well-formed" in reasons[0]
    with pytest.raises(NothingToHarvest, match="has no collection nobody"):
        all_of(StacStaticSource(fetcher_of(root), root, None, StacOptions(collections=("b", "nobody"))))


def _stac(folder: Path) -> None:
    def links(*children: str, rel: str = "child") -> list[dict[str, str]]:
        return [{"rel": "self", "href": "./nowhere.json"}, *({"rel": rel, "href": child} for child in children)]

    root = {"type": "Catalog", "id": "root", "stac_version": "1.0.0", "links": links("./a/catalog.json", "./b.json")}
    write(folder, "stac/catalog.json", json.dumps(root))
    below = {"type": "Catalog", "id": "a", "stac_version": "1.0.0", "links": links(*[f"c{i}.json" for i in range(60)])}
    write(folder, "stac/a/catalog.json", json.dumps(below))
    for index in range(60):
        items = links(f"items/i{index}.json", rel="item")
        body = {"type": "Collection", "id": f"c{index}", "stac_version": "1.0.0", "extent": {}, "links": items}
        write(folder, f"stac/a/c{index}.json", json.dumps(body))
        item = {"type": "Feature", "id": f"i{index}", "stac_version": "1.0.0", "links": []}
        write(folder, f"stac/a/items/i{index}.json", json.dumps(item))
    b = {
        "type": "Collection",
        "id": "b",
        "stac_version": "1.0.0",
        "extent": {},
        "links": links("gone.json", "catalog.json"),
    }
    write(folder, "stac/b.json", json.dumps(b))


def test_a_static_stac_gives_its_collections_and_on_request_its_items(site: tuple[Path, str]) -> None:
    folder, url = site
    _stac(folder)
    root = f"{url}stac/catalog.json"
    collections = [f"a/c{index}.json" for index in range(60)] + ["b.json"]

    given = all_of(StacStaticSource(fetcher_of(root), root))
    assert given.ids == collections, "in the catalogue's order, the loop back to the root not followed"
    assert given.skipped == [f"{url}stac/gone.json"]

    with_items = all_of(StacStaticSource(fetcher_of(root), root, None, StacOptions(items=True)))
    assert sorted(with_items.ids) == sorted([*collections, *(f"a/items/i{index}.json" for index in range(60))])
    resumed_everywhere(lambda: StacStaticSource(fetcher_of(root), root, None, StacOptions(items=True)), with_items)


def test_a_sitemap_leads_to_the_data_sets_of_its_pages(site: tuple[Path, str]) -> None:
    folder, url = site
    index = f"<sitemapindex xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><sitemap><loc>{url}s/1.xml</loc></sitemap></sitemapindex>"
    pages = "".join(
        f"<url><loc>{url}s/{name}.html</loc><lastmod>2020-01-0{n}</lastmod></url>" for n, name in enumerate("abcd", 1)
    )
    write(folder, "s/sitemap.xml", index)
    write(folder, "s/1.xml", f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{pages}</urlset>")
    script = '<html><head><script type="application/ld+json">%s</script></head></html>'
    write(folder, "s/a.html", script % '{"@context": "https://schema.org/", "@type": "Dataset", "name": "A"}')
    write(
        folder,
        "s/b.html",
        script
        % '{"@context": "https://schema.org/", "@graph": [{"@type": "WebPage"}, {"@type": ["Dataset"], "name": "B"}]}',
    )
    write(folder, "s/c.html", "<html><p>nothing</p></html>")

    given = all_of(SitemapSource(fetcher_of(url), f"{url}s/sitemap.xml"))

    assert given.ids == [f"{url}s/a.html", f"{url}s/b.html"]
    assert json.loads(given.contents[f"{url}s/b.html"]) == {
        "@context": "https://schema.org/",
        "@type": ["Dataset"],
        "name": "B",
    }
    assert given.skipped == [], "d.html is gone: it lists nothing"
    newer = all_of(SitemapSource(fetcher_of(url), f"{url}s/sitemap.xml", since="2020-01-03T00:00:00Z"))
    assert newer.ids == [f"{url}s/b.html"], "a day earlier, by the clock of a server in another zone"


@pytest.mark.parametrize(
    ("modified", "is_new"),
    [("2020-01-02T23:30:00-08:00", True), ("2020-01", True), ("2020", True), ("2020-01-01", False), ("2019", False)],
)
def test_a_date_in_another_zone_or_without_a_day_may_be_new(modified: str, is_new: bool) -> None:
    assert ListingEntry("https://h/a.html", modified).is_new("2020-01-03T00:00:00Z") == is_new
