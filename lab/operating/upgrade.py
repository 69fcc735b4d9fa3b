"""``python -m lab.operating upgrade``: an earlier version with data in every index becomes this one, and back.

Meanwhile somebody searches: the old version stops in the middle of a harvest, the new one starts on its data, its index
is rebuilt, everything is compared, and then all of it goes back.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
import httpx

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_mappings.indices import serving
from lab.chaos.harvests import catalogue_server
from lab.chaos.steady_searcher import BAD, SteadySearcher
from lab.cluster.chaos_cluster import count_written, made_titles
from lab.operating.filling import (
    SAMPLES,
    SLOW_SOURCE,
    Contents,
    KindComparison,
    User,
    compare_contents,
    contents,
    fill,
    folder_of_files,
    key,
    write_sources,
)
from lab.operating.release import BATCH, CHECKOUT, Release, install, own_stack, this_release
from lab.waiting import wait_until
from local_stack.state import made_login
from sonde.cli.options import FOLDER, PRESENT_FILE, shown
from sonde.cli.screen import ended_by_signals
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client

QUESTIONS = (
    "rainfall in southern Africa since 1990",
    "sea surface temperature",
    "greenhouse gases north of Italy",
    "soil moisture from satellites",
    "bathymetry",
)
_MUST_STAY = ("natives", "keys", "vocabulary", "visits")
"""Kinds of which no document may change: no version writes them again by itself."""
BASES = {
    "0.1.0": "de8d5a74f0972c5a06c308041c14d52c526f791e",
    "0.2.0-rc1": "8a52e1f6bdbf28336b109e9e9d0e5e13c07bd4e7",
}
"""The states that upgrades are tested from."""
_PAGE_S = 1.0
_HEADINGS = ("step", "took", "serves", "searches", "right", "degraded", "refused", "no connection", "bad", "lost")


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
        return sum(
            comparison.missing + (comparison.changed if comparison.kind in _MUST_STAY else 0)
            for comparison in self.kinds
        )

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
        if a version does not start or a harvest does not end."""
        files = user.files()
        admin = User(self.url, key(self.old, "steward", "admin"))
        admin.send_request("/harvest/runs", "POST", json={"source": SLOW_SOURCE})
        wait_until(lambda: self._count_slow() > 0, 300, "the slow harvest has begun to write")
        started_s = time.monotonic()
        self.old.sonde("down", "worker", "beat", "api")
        before, harvested = contents(self.client, self.prefix), self._count_slow()
        self.old.sonde("down")
        yield UpgradeStep(
            f"{self.old.name} stops, {harvested} of {self.records} records harvested", time.monotonic() - started_s, ""
        )
        started_s = time.monotonic()
        self.new.sonde("up")
        self.new.run("-m", "sonde.ops.prepare_indices")
        yield self._step("this version starts on the same data, and `migrate`", started_s, before, user, files)
        with self._search_steadily() as asker:
            started_s = time.monotonic()
            trouble_at_end = _trouble(
                lambda: wait_until(lambda: self._count_slow() >= self.records, 900, "the harvest's end")
            )
            step = self._step("the harvest goes on to its end", started_s, before, user, files, trouble_at_end)
        yield self._judge(step, asker)
        contents_before = contents(self.client, self.prefix)
        for name, options in (("`sonde reindex`", ()), ("`sonde reindex --rollback`", ("--rollback",))):
            with self._search_steadily() as asker:
                started_s = time.monotonic()
                trouble = _trouble(lambda arguments=options: self.new.sonde("reindex", *arguments))  # type: ignore[misc]
                time.sleep(3.0)  # the processes notice the move
                step = self._step(name, started_s, contents_before, user, files, trouble)
            yield self._judge(step, asker)
        started_s = time.monotonic()
        self.new.sonde("down")
        trouble = _trouble(lambda: self.old.sonde("up"))
        yield self._step(
            f"{self.old.name} starts again on what is left", started_s, contents_before, user, files, trouble
        )

    def _step(
        self, name: str, begins_s: float, before: Contents, user: User, files: Mapping[str, bytes], trouble: str = ""
    ) -> UpgradeStep:
        seconds = time.monotonic() - begins_s
        problems = "; ".join(
            sentence for sentence in (trouble, _trouble(lambda: self._seen_by(user, files))) if sentence
        )
        kinds = tuple(compare_contents(before, contents(self.client, self.prefix)))
        current = serving(self.client, self.prefix, "records")
        return UpgradeStep(name, seconds, current.index if current else "none", {}, kinds, problems)

    def _seen_by(self, user: User, files: Mapping[str, bytes]) -> None:
        """Raises SondeError if a user's key, documents, files, answers from them or a search fail."""
        wait_until(user.is_ready, 900, "the user's documents are ready")
        if user.files() != files:
            raise SondeError("the user's files differ")
        if not user.finds("glaciers of the Alps"):
            raise SondeError("the user's documents do not answer")
        answer = httpx.get(f"{self.url}/search", params={"q": QUESTIONS[0], "source": SAMPLES}, timeout=60.0)
        if not answer.is_success or not answer.json()["features"]:
            raise SondeError(f"a search gets {answer.status_code}")

    @contextmanager
    def _search_steadily(self) -> Iterator[SteadySearcher]:
        asker = SteadySearcher(self.url, QUESTIONS, SAMPLES)
        asker.learn()
        with asker.ask_steadily(self.per_second):
            yield asker

    def _judge(self, step: UpgradeStep, asker: SteadySearcher) -> UpgradeStep:
        asker.learn_answers()
        verdicts = Counter[str](asker.rejudge(search).verdict for search in asker.log)
        return UpgradeStep(step.name, step.seconds, step.serves, dict(verdicts), step.kinds, step.trouble)

    def _count_slow(self) -> int:
        return count_written(self.client, SLOW_SOURCE, self.prefix)


def _trouble(does: Callable[[], object]) -> str:
    """The end of the error message; empty without an error."""
    try:
        does()
    except (SondeError, TimeoutError, httpx.HTTPError) as error:
        return str(error)[-400:]
    return ""


@click.command()
@shown("--base", "0.1.0", type=click.Choice(list(BASES)))
@click.option("--folder", type=FOLDER, required=True, help="Kept afterwards.")
@click.option("--tools", type=click.Path(path_type=Path), default=CHECKOUT / ".venv-tools" / "bin", help="Has uv.")
@click.option("--pdf", "pdfs", multiple=True, type=PRESENT_FILE)
@shown("--records", 400, "Of the slow catalogue.", click.IntRange(100))
def upgrade(*, base: str, folder: Path, tools: Path, pdfs: tuple[Path, ...], records: int) -> None:
    """Install an earlier version, fill every index, stop it during a harvest, start this version on its data, reindex,
    go back.

    Everything is compared after each step while somebody searches. Own ports; nothing is left running. The environment
    of the earlier version has 6 GB. Exit code 1 if something is lost.
    """
    folder = folder.absolute()
    data = folder / "data"
    if data.exists():
        raise SondeError(f"{data} is there already: remove it, or name another folder.")
    data.mkdir(parents=True)
    environment = own_stack(data)
    commit = BASES[base]
    old = install(base, commit, folder / commit[:7], tools.absolute() / "uv", environment)
    new = this_release(environment)
    os.environ.update(environment)
    settings = load_settings()
    steps = []
    with ExitStack() as after:
        after.enter_context(ended_by_signals())
        after.callback(new.sonde, "down")
        slow_url = after.enter_context(catalogue_server(made_titles(records), BATCH, _PAGE_S))
        samples = old.checkout / "samples" / "records"
        files = after.enter_context(folder_of_files(samples, data / "files"))
        write_sources(Path(environment["SONDE_HARVEST__SOURCES"]), samples, files, slow_url)
        old.sonde("up")
        user = fill(old, settings.api_url, data, list(pdfs))
        made_login(settings.stack.folder)  # this version's node will ask for it; an earlier one does not look
        client = elasticsearch_client(settings, timeout_s=60.0, retry=True)
        after.callback(client.close)
        course = Upgrade(old, new, client, settings.index.prefix, settings.api_url, records)
        for step in course.steps(user):
            steps.append(step)
            click.echo(f"{time.strftime('%T')} {_row(step)} {step.trouble}", err=True)
        (folder / "upgrade.json").write_text(json.dumps([asdict(step) for step in steps], indent=1), "utf-8")
    click.echo("\n".join(_table(steps)))
    if not all(step.right for step in steps):
        sys.exit(1)


def _row(step: UpgradeStep) -> str:
    verdicts = step.searches
    numbers = [verdicts.get(name, 0) for name in ("right", "degraded", "refused", "unreachable")]
    failures = verdicts.get("unmarked", 0) + verdicts.get("failed", 0)
    cells = (step.name, f"{step.seconds:.0f} s", step.serves, sum(verdicts.values()), *numbers, failures, step.lost)
    return "| " + " | ".join(map(str, cells)) + " |"


def _table(steps: Sequence[UpgradeStep]) -> list[str]:
    lines = ["| " + " | ".join(_HEADINGS) + " |", "|" + "---|" * len(_HEADINGS), *map(_row, steps), ""]
    compared_steps = [step for step in steps if step.kinds]
    if not compared_steps:
        return lines
    lines += [
        "| index | " + " | ".join(step.name for step in compared_steps) + " |",
        "|" + "---|" * (len(compared_steps) + 1),
    ]
    for place, row_kind in enumerate(compared_steps[0].kinds):
        cells = [step.kinds[place] for step in compared_steps]
        cells_text = " | ".join(f"{cell.before}: {cell.missing} missing, {cell.changed} changed" for cell in cells)
        lines.append(f"| {row_kind.kind} | {cells_text} |")
    return lines
