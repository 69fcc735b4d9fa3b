"""CKAN's action API: package_search ordered by modification; a record that changes meanwhile appears twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.json_types import Json
from indexer.raw import RawPage, RawRecord
from indexer.sources.counted_walk import CountedPage, CountedWalk
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import NothingToHarvest, join_path, number_or_none, with_id
from indexer.sources.protocol import Protocol, Question
from net.exchange import HttpAnswer
from net.targets import address_of

_NOT_FOUND = 404
_SORT = "metadata_modified asc, id asc"


@dataclass(frozen=True, slots=True)
class CkanOptions:
    """``organisations`` and ``groups``: names, none means all. ``fq``: one more Solr filter."""

    organisations: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    fq: str = ""
    page_size: int = 100
    tolerate_missing: int = 0


@dataclass(slots=True)
class CkanSource:
    """``url`` is the portal's address, or that of its action API."""

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: CkanOptions = field(default_factory=CkanOptions)

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """Raises NothingToHarvest, and what the walk and the fetcher raise."""
        if self.since is None and position is None:
            self._expect_filters()
        size = self.options.page_size
        walk = CountedWalk(
            self.fetcher.source, self._ask, size, self.options.tolerate_missing, may_be_empty=self.since is not None
        )
        for page in walk.pages(position):
            if self.since is not None and page.total == 0:
                self._expect_filters()
            yield page

    def _expect_filters(self) -> None:
        """Asked before everything is fetched, and when nothing has changed: an unknown name gives no records either."""
        self._expect("organization_show", self.options.organisations)
        self._expect("group_show", self.options.groups)

    def _expect(self, question: str, names: tuple[str, ...]) -> None:
        """Raises NothingToHarvest for an organisation or group that the portal no longer knows."""
        for name in names:
            parameters = {"id": name, "include_datasets": "false"}
            status = self.fetcher.get(action(portal(self.url), question), lambda answer: answer.status, parameters)
            if status == _NOT_FOUND:
                kind = question.partition("_")[0]
                raise NothingToHarvest(f"{address_of(portal(self.url))} has no {kind} {name!r}")

    def _ask(self, offset: int, check: Callable[[CountedPage], CountedPage]) -> CountedPage:
        parameters = {"rows": str(self.options.page_size), "start": str(offset), "sort": _SORT, "q": "*:*"}
        if filters := self._filters():
            parameters["fq"] = " ".join(f"+{name}" for name in filters)
        base = portal(self.url)
        return self.fetcher.get(
            action(base, "package_search"), lambda answer: check(_counted_page(answer, base, offset)), parameters
        )

    def _filters(self) -> list[str]:
        filter_names = [("organization", self.options.organisations), ("groups", self.options.groups)]
        filters = [f"{name}:({' OR '.join(map(_quote, values))})" for name, values in filter_names if values]
        if self.since is not None:
            filters.append(f"metadata_modified:[{self.since} TO *]")
        return [*filters, *([f"({self.options.fq})"] if self.options.fq else [])]


def portal(url: str) -> str:
    """The portal's address without the action API's path."""
    return url.partition("/api/")[0].rstrip("/")


def action(base: str, name: str) -> str:
    return join_path(base, f"api/3/action/{name}")


def result_of(answer: HttpAnswer) -> Json:
    """The result of an action. Raises BadAnswer if CKAN does not report success."""
    body = json_object(answer)
    result = body.get("result")
    if body.get("success") is not True or not isinstance(result, dict):
        raise BadAnswer(f"{address_of(answer.url)} does not answer as CKAN's action API")
    return result


def _counted_page(answer: HttpAnswer, base: str, offset: int) -> CountedPage:
    result = result_of(answer)
    count, items = number_or_none(result.get("count")), result.get("results")
    if count is None or not isinstance(items, list):
        raise BadAnswer(f"{address_of(answer.url)} sent a search result without records or count")
    packages, skipped_members = with_id(items, action(base, "package_search"), first=offset + 1)
    return CountedPage(tuple(_record(package, base) for package in packages), count, skipped=skipped_members)


def _record(package: Json, base: str) -> RawRecord:
    origin = f"{base}/dataset/{package.get('name') or package['id']}"
    modified = package.get("metadata_modified")
    content = written_json(package)
    return RawRecord(str(package["id"]), content, origin, "application/json", str(modified) if modified else None)


def _quote(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _search(fetcher: Fetcher, url: str) -> object:
    return fetcher.get(action(url, "package_search"), result_of, {"rows": "0"})


PROTOCOL = Protocol(
    "ckan",
    CkanSource,
    CkanOptions,
    "package_search in order of modification",
    "`metadata_modified`",
    questions_at=lambda url: [Question(portal(url.partition("?")[0]), _search)],
)
