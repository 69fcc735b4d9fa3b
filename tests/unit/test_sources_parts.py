"""The parts of harvesting that need no server: manners, listings, lines of a YAML file, since when, quality."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.deadlines import CircuitOpen
from core.errors import Conflict, SondeError, Unavailable
from es_mappings.codecs.runs import Counts, RunReport
from indexer.quality.quality import SHORT_ABSTRACT, WEIGHTS, missing, quality_page, score, summary
from indexer.sources.linked_walk import rebase
from indexer.sources.politeness import RequestPolicy, SourceBreaker, retry_after_s
from indexer.sources.waf import ListingEntry, NotAListing, entries
from indexer.store.runs import start_of_request
from sonde.cli.sources import id_for
from sonde.wiring.sources import credentials, user_agent
from workers.source_config import known_sources, load_sources, remove_entry, write_entry
from workers.source_entry import Auth

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7.0),
        ("Wed, 01 May 2024 12:00:30 GMT", 30.0),
        ("Wed, 01 May 2024 11:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


def test_a_breaker_opens_after_failures_in_a_row_only() -> None:
    breaker = SourceBreaker("s", RequestPolicy(breaker_failures=2, breaker_rest_s=60.0))
    fail(breaker)
    with breaker.guarding():
        pass
    fail(breaker)
    with breaker.guarding():
        pass
    fail(breaker)
    fail(breaker)
    with pytest.raises(CircuitOpen, match="The source 's' failed 2 times in a row"), breaker.guarding():
        pytest.fail("the source was asked")


def test_after_a_rest_all_may_ask_and_one_failure_begins_the_next() -> None:
    breaker = SourceBreaker("s", RequestPolicy(breaker_failures=1, breaker_rest_s=0.0))
    fail(breaker)
    with breaker.guarding(), breaker.guarding():
        pass


def fail(breaker: SourceBreaker) -> None:
    with pytest.raises(Unavailable, match="down"), breaker.guarding():
        raise Unavailable("down")


def test_manners_that_would_stop_everything_are_refused() -> None:
    with pytest.raises(ValueError, match="per_second"):
        RequestPolicy(per_second=0)


_APACHE = """<html><head><title>Index of /waf</title></head><body><h1>Index of /waf</h1><table>
<tr><th><a href="?C=N;O=D">Name</a></th></tr><tr><td><a href="/">Parent Directory</a></td></tr>
<tr><td><a href="sub/">sub/</a></td><td>2024-05-01 10:00  </td></tr>
<tr><td><a href="a%20b.xml">a b.xml</a></td><td align="right">2023-12-31 23:59  </td></tr></table></body></html>"""
_NGINX = """<html><head><title>Index of /waf/</title></head><body><h1>Index of /waf/</h1><hr><pre><a href="../">../</a>
<a href="sub/">sub/</a>                   01-May-2024 10:00       -
<a href="a%20b.xml">a b.xml</a>           31-Dec-2023 23:59    1234
</pre></body></html>"""
_IIS = """<html><head><title>h - /waf/</title></head><body><H1>h - /waf/</H1><hr>
<pre><A HREF="/">[To Parent Directory]</A><br><br>
 5/1/2024 10:00 AM        &lt;dir&gt; <A HREF="/waf/sub/">sub</A><br>
12/31/2023 11:59 PM         1234 <A HREF="/waf/a%20b.xml">a b.xml</A><br></pre></body></html>"""


@pytest.mark.parametrize("listing", [_APACHE, _NGINX, _IIS], ids=["apache", "nginx", "iis"])
def test_listings_of_three_servers_say_the_same(listing: str) -> None:
    assert entries(listing.encode(), "http://h/waf/") == [
        ListingEntry("http://h/waf/a%20b.xml", "2023-12-31T23:59:00"),
        ListingEntry("http://h/waf/sub/", "2024-05-01T10:00:00"),
    ]


def test_links_that_lead_out_of_the_folder_are_no_entries_and_a_page_is_no_listing() -> None:
    page = b"<title>Index of /</title><a href='http://evil/x.xml'>x</a><a href='../y.xml'>y</a><a href='a/b.xml'>z</a>"
    assert entries(page, "http://h/waf/") == []
    with pytest.raises(NotAListing):
        entries(b"<html><body><a href='a.xml'>a</a></body></html>", "http://h/waf/")


def test_links_to_an_inner_address_are_put_on_the_one_that_is_asked() -> None:
    assert rebase("http://inner:8080/cat/items?p=2", "https://out.org/cat") == "https://out.org/cat/items?p=2"
    assert rebase("http://other.org/data/items", "https://out.org/cat") == "http://other.org/data/items"


def run(started: str, failed: int = 0) -> RunReport:
    return RunReport("r", "s", "complete", started, started, counts=Counts(failed=failed))


def test_since_when() -> None:
    week = timedelta(days=7)
    full, last = run("2024-04-28T12:00:00.000Z"), run("2024-05-01T06:00:00.000Z")
    assert start_of_request(None, None, week, NOW) is None, "nothing was seen yet"
    assert start_of_request(full, last, week, NOW) == "2024-05-01T05:00:00Z", "an hour before the last run began"
    assert start_of_request(full, last, timedelta(days=3), NOW) is None, "the last full run is three days old"
    assert start_of_request(full, run("2024-05-01T06:00:00.000Z", failed=1), week, NOW) is None, (
        "what failed is fetched again"
    )


def test_a_wrong_entry_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    path.write_text(
        "sources:\n  - id: a\n    type: csw\n    url: http://h/csw\n    options:\n      pagesize: 5\n"
        "  - id: b\n    type: waf\n    shedule: {interval: 1h}\n",
        "utf-8",
    )
    with pytest.raises(SondeError) as caught:
        load_sources(path)
    told = str(caught.value)
    assert "line 5: sources.0.options: pagesize" in told
    assert "line 9: sources.1.shedule" in told
    assert "line 7: sources.1.url" in told


def test_no_sources_file_means_no_sources(tmp_path: Path) -> None:
    assert known_sources(tmp_path / "sources.yaml") == {}


def test_an_entry_is_added_and_a_file_that_it_does_not_fit_stays(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    line = "  - {id: a, type: csw, url: 'http://h/csw'}\n"
    write_entry(path, line)
    assert list(load_sources(path)) == ["a"]
    before = path.read_text("utf-8")
    with pytest.raises(SondeError, match="given twice"):
        write_entry(path, line)
    assert path.read_text("utf-8") == before
    assert id_for("https://www.data.example.org:8080/csw", {"data-example-org"}) == "data-example-org-2"


_COMMENTED = """# our catalogues
sources:
  - id: first   # the oldest
    type: csw
    url: http://h/csw
    options: {page_size: 5}
  # about the second
  - {id: second, type: waf, url: 'http://h/waf'}

  - id: third
    type: csw
    url: http://h/csw3
    schedule:
      interval: 1h
# the end
"""


def test_an_entry_is_taken_out_and_everything_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "sources.yaml"
    for id in ("first", "second", "third"):
        path.write_text(_COMMENTED, "utf-8")
        remove_entry(path, id)
        assert list(load_sources(path)) == [one for one in ("first", "second", "third") if one != id]
        assert all(comment in path.read_text("utf-8") for comment in ("# our", "# about the second", "# the end"))
    for id in ("first", "second"):
        remove_entry(path, id)
    assert known_sources(path) == {}
    with pytest.raises(SondeError, match="no entry 'first'"):
        remove_entry(path, "first")


def test_a_link_to_the_file_and_the_rights_of_the_file_stay(tmp_path: Path) -> None:
    file, path = tmp_path / "kept.yaml", tmp_path / "sources.yaml"
    file.write_text(_COMMENTED, "utf-8")
    file.chmod(0o640)
    path.symlink_to(file)
    remove_entry(path, "first")
    assert path.is_symlink()
    assert list(load_sources(file)) == ["second", "third"]
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(tmp_path.iterdir()) == [file, path]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(Conflict, match=r"absent/sources.yaml cannot be written here \(No such file or directory\)"):
        write_entry(tmp_path / "absent" / "sources.yaml", "  - {id: a, type: csw, url: 'http://h/csw'}\n")


def test_secrets_come_from_files_and_are_not_shown(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s3cret\n", "utf-8")
    assert credentials(Auth(file=secret, username="u")) == {"authorization": "Basic dTpzM2NyZXQ="}
    assert credentials(Auth(file=secret, bearer=True)) == {"authorization": "Bearer s3cret"}
    assert credentials(Auth(file=secret, header="X-Api-Key")) == {"x-api-key": "s3cret"}
    secret.write_text("two\nlines", "utf-8")
    with pytest.raises(SondeError) as caught:
        credentials(Auth(file=secret, bearer=True))
    assert "lines" not in str(caught.value)
    assert "+me@example.org" in user_agent("me@example.org")


def test_completeness_is_the_sum_of_what_is_there() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)
    bare = {"id": "s:1", "title": "T", "abstract": "short", "warnings": ["west 190 is past 180"]}
    assert score(bare) == pytest.approx(0.10)
    assert SHORT_ABSTRACT in missing(bare)
    assert "an abstract" not in missing(bare)
    whole = bare | {"abstract": "x" * 100, "boxes": ["0,0,1,1"], "spans": ["0/1"], "keywords": [{"term": "a"}]}
    whole |= {"contacts": [{"name": "N"}], "licence": "CC0", "links": [{"href": "h"}], "dates": {"created": "2020"}}
    assert score(whole | {"id": "s:2"}) == pytest.approx(1.0)

    none = bare | {"id": "s:3", "abstract": ""}
    assert score(none) == pytest.approx(0.10)
    assert "an abstract" in missing(none)
    assert SHORT_ABSTRACT not in missing(whole)
    lacks = {gap.what: (gap.count, gap.problem) for gap in summary("s", [bare, none]).missing}
    assert lacks[SHORT_ABSTRACT] == (1, "with an abstract of under 100 characters")
    assert lacks["an abstract"] == (1, "without an abstract")
    page = quality_page(summary("s", [bare, none]))
    assert "<td>with an abstract of under 100 characters</td>" in page
    assert "<td>without an abstract</td>" in page

    many = summary("s", [bare | {"id": f"s:{number}"} for number in (7, 3, 9, 1, 8, 2)])
    assert many.missing[0].examples == ("s:1", "s:2", "s:3", "s:7", "s:8"), "the same whatever the order of the index"

    report = summary("s", [bare, whole | {"id": "s:<2>"}])
    assert report.completeness == pytest.approx(0.55)
    assert report.spread == (0, 1, 0, 0, 0, 0, 0, 0, 0, 1)
    assert next(gap for gap in report.missing if gap.what == "an extent").examples == ("s:1",)
    assert report.repaired[0].count == 2
    assert "s:&lt;2&gt;" in quality_page(report)
    assert "<2>" not in quality_page(report)
