"""The upgrade, step by step, while somebody searches: the old version stops in the middle of a harvest, the new one
starts on its data, its index is rebuilt, everything is compared, and then all of it goes back.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_gateway.errors import ElasticsearchError
from es_mappings.indices import serving
from es_mappings.names import alias
from lab.chaos.asking import BAD, SteadySearcher
from lab.operating.contents import KindComparison, Contents, compared, contents
from lab.operating.filling import SAMPLES, SLOW, User, key, wait_until
from lab.operating.release import Release

QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "sea surface temperature",
    "greenhouse gases north of Italy",
    "soil moisture from satellites",
    "bathymetry",
)
_MUST_STAY = ("natives", "keys", "vocabulary", "visits")
"""Kinds of which no document may change: no version writes them again by itself."""


@dataclass(frozen=True, slots=True)
class UpgradeStep:
    """``searches``: verdicts and their number. ``lost``: kinds and how many of their documents are missing or, where
    they may not, changed. ``trouble``: what else does not hold."""

    name: str
    seconds: float
    serves: str
    searches: Mapping[str, int] = field(default_factory=dict)
    kinds: tuple[KindComparison, ...] = ()
    trouble: str = ""

    @property
    def lost(self) -> int:
        return sum(one.missing + (one.changed if one.kind in _MUST_STAY else 0) for one in self.kinds)

    @property
    def right(self) -> bool:
        return not (self.lost or self.trouble or any(self.searches.get(verdict) for verdict in BAD))


@dataclass(frozen=True, slots=True)
class Upgrade:
    """``records``: how many the slow catalogue has; its harvest is under way when the old version stops."""

    old: Release
    new: Release
    client: Elasticsearch
    prefix: str
    url: str
    records: int
    per_second: float = 4.0

    def steps(self, user: User) -> Iterator[UpgradeStep]:
        """``user``: with documents in the library of the old version, which serves. Raises SondeError or TimeoutError
        where a version does not start or a harvest does not end."""
        files = user.files()
        admin = User(self.url, key(self.old, "steward", "admin"))
        admin.asked("/harvest/runs", "POST", json={"source": SLOW})
        wait_until(lambda: self._of_slow() > 0, 300, "the slow harvest has begun to write")
        begun = time.monotonic()
        self.old.sonde("down", "worker", "beat", "api")
        before, left = contents(self.client, self.prefix), self._of_slow()
        self.old.sonde("down")
        yield UpgradeStep(
            f"{self.old.name} stops, {left} of {self.records} records harvested", time.monotonic() - begun, ""
        )
        begun = time.monotonic()
        self.new.sonde("up")
        self.new.run("-m", "sonde.ops.prepare_indices")
        yield self._step("this version starts on the same data, and `migrate`", begun, before, user, files)
        with self._searched() as asker:
            begun = time.monotonic()
            whole = _trouble(lambda: wait_until(lambda: self._of_slow() >= self.records, 900, "the harvest's end"))
            step = self._step("the harvest goes on to its end", begun, before, user, files, whole)
        yield self._judged(step, asker)
        filled = contents(self.client, self.prefix)
        for name, options in (("`sonde reindex`", ()), ("`sonde reindex --rollback`", ("--rollback",))):
            with self._searched() as asker:
                begun = time.monotonic()
                trouble = _trouble(lambda given=options: self.new.sonde("reindex", *given))  # type: ignore[misc]
                time.sleep(3.0)  # the processes notice the move
                step = self._step(name, begun, filled, user, files, trouble)
            yield self._judged(step, asker)
        begun = time.monotonic()
        self.new.sonde("down")
        trouble = _trouble(lambda: self.old.sonde("up"))
        yield self._step(f"{self.old.name} starts again on what is left", begun, filled, user, files, trouble)

    def _step(
        self, name: str, begun: float, before: Contents, user: User, files: Mapping[str, bytes], trouble: str = ""
    ) -> UpgradeStep:
        seconds = time.monotonic() - begun
        told = "; ".join(one for one in (trouble, _trouble(lambda: self._seen_by(user, files))) if one)
        kinds = tuple(compared(before, contents(self.client, self.prefix)))
        found = serving(self.client, self.prefix, "records")
        return UpgradeStep(name, seconds, found.index if found else "none", {}, kinds, told)

    def _seen_by(self, user: User, files: Mapping[str, bytes]) -> None:
        """Raises SondeError where a user's key, documents, files, answers from them or a search fail."""
        wait_until(user.ready, 900, "the user's documents are ready")
        if user.files() != files:
            raise SondeError("the user's files differ")
        if not user.finds("glaciers of the Alps"):
            raise SondeError("the user's documents do not answer")
        found = httpx.get(f"{self.url}/search", params={"q": QUESTIONS[0], "source": SAMPLES}, timeout=60.0)
        if not found.is_success or not found.json()["features"]:
            raise SondeError(f"a search gets {found.status_code}")

    @contextmanager
    def _searched(self) -> Iterator[SteadySearcher]:
        asker = SteadySearcher(self.url, QUESTIONS, SAMPLES)
        asker.learn()
        with asker.asking(self.per_second):
            yield asker

    def _judged(self, step: UpgradeStep, asker: SteadySearcher) -> UpgradeStep:
        asker.learn_again()
        verdicts = Counter[str](asker.judged_again(one).verdict for one in asker.log)
        return UpgradeStep(step.name, step.seconds, step.serves, dict(verdicts), step.kinds, step.trouble)

    def _of_slow(self) -> int:
        """Records of the slow catalogue that are written; 0 while nobody can say."""
        index = alias(self.prefix, "records")
        try:
            self.client.indices.refresh(index=index)
            return int(self.client.count(index=index, query={"term": {"source": SLOW}})["count"])
        except ElasticsearchError:
            return 0


def _trouble(does: Callable[[], object]) -> str:
    """The end of what it said where it failed; empty where it did not."""
    try:
        does()
    except (SondeError, TimeoutError, httpx.HTTPError) as error:
        return str(error)[-400:]
    return ""
