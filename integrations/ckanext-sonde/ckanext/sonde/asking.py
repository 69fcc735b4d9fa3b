"""Sonde over HTTP: ranked ids of a question, one data set pushed or taken away."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

import requests

_PAGE = 100  # the most that Sonde gives at a time


class SondeUnavailable(Exception):
    """Sonde does not answer, or not with what was asked for; the message says why."""


@dataclass(frozen=True)
class Address:
    """``source``: the id under which this portal is known to Sonde. ``timeout_s`` holds for a whole question."""

    url: str
    source: str
    key: str | None = None
    timeout_s: float = 2.0
    window: int = 200


@dataclass
class Sonde:
    """One Sonde. After a failure it is left alone for ``rest_s``, so that a dead one costs nobody a time-out."""

    address: Address
    rest_s: float = 30.0
    clock: Callable[[], float] = time.monotonic
    session: requests.Session = field(default_factory=requests.Session)
    _rests_until: float = field(default=0.0, init=False)

    def ranked_ids(self, q: str, algorithm: str) -> list[str]:
        """Ids of data sets, best first, at most ``window``. Raises SondeUnavailable."""
        if self.clock() < self._rests_until:
            raise SondeUnavailable("it failed a moment ago and is left alone for a while")
        ends = self.clock() + self.address.timeout_s
        parameters = {"q": q, "algorithm": algorithm, "source": self.address.source, "group": "none"}
        url: str | None = f"{self._base}search"
        params: Mapping[str, Any] | None = {**parameters, "limit": min(_PAGE, self.address.window)}
        ids: list[str] = []
        try:
            while url is not None and len(ids) < self.address.window:
                answer = self._send("GET", url, ends - self.clock(), params=params)
                ids += [self._native(feature["id"]) for feature in answer["features"]]
                url, params = _next(url, answer), None
        except SondeUnavailable:
            self._rests_until = self.clock() + self.rest_s
            raise
        except (KeyError, TypeError, AttributeError) as error:
            self._rests_until = self.clock() + self.rest_s
            raise SondeUnavailable(f"its answer is not one of Sonde's ({error!r})") from error
        return ids[: self.address.window]

    def push(self, dataset: Mapping[str, Any]) -> None:
        """Raises SondeUnavailable."""
        self._send("PUT", self._item(str(dataset["id"])), 30.0, json=dataset)

    def remove(self, dataset_id: str) -> None:
        """That it is not there is as good. Raises SondeUnavailable."""
        self._send("DELETE", self._item(dataset_id), 30.0, fine=(404,))

    @property
    def _base(self) -> str:
        return self.address.url.rstrip("/") + "/"

    def _item(self, dataset_id: str) -> str:
        record = f"{self.address.source}:{dataset_id}"
        return f"{self._base}collections/{quote(self.address.source, safe='')}/items/{quote(record, safe=':')}"

    def _native(self, record: str) -> str:
        return record.removeprefix(f"{self.address.source}:")

    def _send(self, method: str, url: str, seconds: float, fine: tuple[int, ...] = (), **options: Any) -> Any:
        if seconds <= 0:
            raise SondeUnavailable("it took too long")
        headers = {"Authorization": f"Bearer {self.address.key}"} if self.address.key else {}
        try:
            answer = self.session.request(method, url, timeout=seconds, headers=headers, **options)
            if answer.status_code in fine or (answer.ok and not answer.content):
                return {}
            body = answer.json()
        except (requests.RequestException, ValueError) as error:
            raise SondeUnavailable(f"{type(error).__name__} from {self.address.url}") from error
        if not answer.ok:
            detail = body.get("detail") if isinstance(body, dict) else None
            raise SondeUnavailable(f"{answer.status_code} from {self.address.url}: {detail or answer.reason}")
        return body


def _next(url: str, answer: Mapping[str, Any]) -> str | None:
    """The next page, asked for at the address we know and not at the one that Sonde believes to have."""
    for link in answer.get("links", []):
        if link.get("rel") == "next":
            query = link["href"].partition("?")[2]
            return urljoin(url, f"{url.partition('?')[0]}?{query}")
    return None
