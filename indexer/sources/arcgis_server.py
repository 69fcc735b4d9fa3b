"""ArcGIS Server: the services of its directory, folder by folder, and on request each of their layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from core.batched import batched
from core.errors import SondeError
from core.json_types import Json
from indexer.formats.json_documents.parsing import objects_in
from indexer.raw import WHOLE_SOURCE, RawPage, RawRecord, SkippedMember
from indexer.sources.fetching import BadAnswer, Fetcher, json_object, written_json
from indexer.sources.linked_walk import NothingToHarvest, join_path
from indexer.sources.protocol import FirstAnswer, Protocol, Question, Start
from net.errors import BadStatus
from net.exchange import HttpAnswer
from net.targets import address_of

_PAGE = 25
_TYPES = ("FeatureServer", "MapServer", "ImageServer", "SceneServer", "VectorTileServer")
_SYSTEM = ("System", "Utilities")  # folders of tools, not of data


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """``layers``: each layer is a record too. ``folders``: names, none means all."""

    layers: bool = False
    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Service:
    """``types``: of the same data, the best description first."""

    name: str
    types: tuple[str, ...]


@dataclass(slots=True)
class ServerSource:
    """``url`` is the address of the directory (``.../rest/services``). A native id is a service's name with its folder.

    A service is one record, whatever number of types it has. A service that does not answer is skipped and named.
    """

    fetcher: Fetcher
    url: str
    since: str | None = None
    options: ServerOptions = field(default_factory=ServerOptions)

    def __post_init__(self) -> None:
        self.url = self.url.partition("?")[0].rstrip("/")

    def pages(self, position: str | None = None) -> Iterator[RawPage]:
        """In the order of the names. Raises NothingToHarvest and what the fetcher raises."""
        services, skipped_members = self._services()
        if not services and not skipped_members:
            raise NothingToHarvest(f"{address_of(self.url)} lists no services of maps or features")
        if skipped_members and position is None:
            yield RawPage((), skipped=skipped_members)
        remaining_services = [service for service in services if position is None or service.name > position]
        for batch in batched(remaining_services, _PAGE):
            yield self._page(batch)

    def _services(self) -> tuple[list[_Service], tuple[SkippedMember, ...]]:
        """Those of the root and of each folder; a folder that cannot be read is skipped."""
        root = self._directory(self.url)
        listed = list(objects_in(root.get("services"))) if not self.options.folders else []
        names = [str(name) for name in root.get("folders") or () if name not in _SYSTEM]
        missing_names = [name for name in self.options.folders if name not in names]
        if missing_names:
            raise NothingToHarvest(f"{address_of(self.url)} has no folder {', '.join(missing_names)}")
        skipped_members = []
        folders = [join_path(self.url, quote(name)) for name in self.options.folders or names]
        for url, outcome in self.fetcher.fetch_each_with(folders, self._directory):
            if isinstance(outcome, SondeError):
                skipped_members.append(SkippedMember(url, str(outcome), container=WHOLE_SOURCE))
            else:
                listed += objects_in(outcome.get("services"))
        types_by_name: dict[str, list[str]] = {}
        for service in listed:
            if service.get("type") in _TYPES:
                types_by_name.setdefault(str(service.get("name")), []).append(str(service["type"]))
        services = [_Service(name, tuple(sorted(types, key=_TYPES.index))) for name, types in types_by_name.items()]
        return sorted(services, key=lambda service: service.name), tuple(skipped_members)

    def _page(self, services: list[_Service]) -> RawPage:
        records: list[RawRecord] = []
        skipped_members: list[SkippedMember] = []
        service_by_url = {self._address(service): service for service in services}
        for url, outcome in self.fetcher.fetch_each_with(service_by_url, self._description):
            service = service_by_url[url]
            if isinstance(outcome, SondeError):
                skipped_members.append(SkippedMember(url, str(outcome), service.name))
                continue
            addresses = [self._address(service, type) for type in service.types]
            records.append(_record(service.name, outcome, {"name": service.name, "services": addresses}))
            if self.options.layers:
                layers, faults = self._layers(url, service.name)
                records += layers
                skipped_members += faults
        return RawPage(tuple(records), services[-1].name, skipped=tuple(skipped_members))

    def _layers(self, url: str, name: str) -> tuple[list[RawRecord], list[SkippedMember]]:
        try:
            body = self._description(join_path(url, "layers"))
        except SondeError as error:
            return [], [SkippedMember(join_path(url, "layers"), str(error), container=WHOLE_SOURCE)]
        layers = [layer for layer in objects_in(body.get("layers")) if not layer.get("subLayers")]
        return [
            _record(f"{name}/{layer.get('id')}", layer, {"services": [f"{url}/{layer.get('id')}"], "parent": name})
            for layer in layers
        ], []

    def _directory(self, url: str) -> Json:
        return self.fetcher.get(url, _directory, {"f": "json"})

    def _description(self, url: str) -> Json:
        return self.fetcher.get(url, _description, {"f": "json"})

    def _address(self, service: _Service, type: str = "") -> str:
        return join_path(self.url, f"{quote(service.name)}/{type or service.types[0]}")


def _record(id: str, description: Json, place: Json) -> RawRecord:
    """The server's description with ``arcgisServer``, which says what it does not say itself: name and addresses."""
    return RawRecord(id, written_json({**description, "arcgisServer": place}), place["services"][0], "application/json")


def _description(answer: HttpAnswer) -> Json:
    """ArcGIS Server sends errors with the status 200; those of 400 to 499 will not go away by themselves."""
    body = json_object(answer)
    fault = body.get("error")
    if isinstance(fault, dict):
        code = fault.get("code")
        if isinstance(code, int) and 400 <= code < 500:
            raise BadStatus(address_of(answer.url), code)
        raise BadAnswer(f"{address_of(answer.url)} answered with an error: {fault.get('message') or fault.get('code')}")
    return body


def _directory(answer: HttpAnswer) -> Json:
    body = _description(answer)
    if not isinstance(body.get("services"), list):
        raise BadAnswer(f"{address_of(answer.url)} did not answer as the directory of an ArcGIS Server")
    return body


_FOLDER = re.compile(r"(https?://[^?#]+/rest/services)/([^/?#]+)/?(?:\?.*)?$")


def _of_address(url: str) -> Start | None:
    """The address of a folder means that folder of the directory above it."""
    match = _FOLDER.match(url)
    return None if match is None else Start(match[1], {"folders": [unquote(match[2])]})


def _directory_address(url: str) -> str | None:
    before, separator, _ = url.partition("?")[0].partition("/rest/services")
    return f"{before}{separator}" if separator else None


def _ask(fetcher: Fetcher, url: str) -> object:
    return fetcher.get(url, _directory, {"f": "json"})


def _questions_below(url: str) -> list[Question]:
    if _directory_address(url) is not None:
        return []
    path = "rest/services" if "arcgis" in url.rpartition("//")[2].partition("/")[2] else "arcgis/rest/services"
    return [Question(join_path(url, path), _ask)]


def _recognises(answer: FirstAnswer) -> bool:
    return {"currentVersion", "services"} <= answer.json.keys()


PROTOCOL = Protocol(
    "arcgis-server",
    ServerSource,
    ServerOptions,
    "map, feature and image services of a directory, each once; their layers on request",
    recognises=_recognises,
    questions_at=lambda url: [Question(address, _ask)] if (address := _directory_address(url)) else [],
    questions_below=_questions_below,
    of_address=_of_address,
)
