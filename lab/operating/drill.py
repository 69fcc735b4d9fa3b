"""`sonde drill`: causes faults of operation one by one on a separate stack, and shows what users saw, what doctor said,
what the operator did and how long it took.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import httpx
from rich.console import Console

from core.errors import SondeError
from es_gateway.client import Elasticsearch
from es_mappings.indices import serving
from es_mappings.names import alias
from lab.cluster.clock import DEBIAN_FAKETIME, clock_environment, clock_trouble, reset_clock
from lab.operating.release import CHECKOUT, Release, own_stack, this_release
from lab.waiting import wait_until
from sonde.cli.options import FILE, shown
from sonde.cli.screen import ended_by_signals, messages, plain_table, screen
from sonde.ops.measured import write_measurement
from sonde.settings import Settings
from sonde.wiring.clients import elasticsearch_client

PAGE = "docs/operators/troubleshooting.md"
_PREFIX = "sonde"
_WORKERS = ("worker", "documents", "library")
_BACKGROUND = (*_WORKERS, "beat")
_ASKED = 6
_PAUSE_S = 0.5
_LONGEST_S = 240.0
_REGISTER = ("--register", json.dumps({"type": "fs", "settings": {"location": "drill"}}))
_DISK = "cluster.routing.allocation.disk.watermark"
_WATERMARKS = (f"{_DISK}.low", f"{_DISK}.high", f"{_DISK}.flood_stage")
_DOCTOR = """from sonde.cli import cli
try:
    cli(["doctor", "--json"], standalone_mode=False)
except SystemExit:
    pass
"""
_JUMP_S = 7200
_NOBODY = "http://127.0.0.1:9/v1"


@dataclass
class Site:
    """The stack of the drill. ``environment`` may be changed before the stack starts again; ``key``: of a caller;
    ``faketime``: the library that moves the clock of Sonde's processes.
    """

    environment: dict[str, str]
    client: Elasticsearch
    faketime: Path = DEBIAN_FAKETIME
    key: str = ""
    before: dict[str, object] = field(default_factory=dict)

    @property
    def release(self) -> Release:
        return this_release(self.environment)

    @property
    def sources(self) -> Path:
        return Path(self.environment["SONDE_HARVEST__SOURCES"])

    @property
    def clock(self) -> Path:
        return self.sources.with_name("clock")

    def search(self, path: str = "/search") -> str:
        """What a user gets: the status, and the parts that the answer lacks."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        url = f"http://127.0.0.1:{self.environment['SONDE_API__PORT']}{path}"
        question = {"q": "rainfall in Africa"}
        try:
            if path == "/ask":
                answer = httpx.post(url, json={"question": question["q"]}, headers=headers, timeout=30.0)
            else:
                answer = httpx.get(url, params=question, headers=headers, timeout=30.0)
        except httpx.HTTPError as error:
            return type(error).__name__
        if not answer.is_success:
            return str(answer.status_code)
        return " without ".join([str(answer.status_code), *answer.json().get("sonde:degraded", [])])

    def doctor(self) -> dict[str, str]:
        """The sentence of each part that is not well."""
        rows = json.loads(self.release.run("-c", _DOCTOR))
        return {row["part"]: row["told"] for row in rows if row["state"] != "ok"}

    def restart(self, *parts: str, **variables: str | None) -> None:
        """Parts with other settings; None unsets one."""
        for name, value in variables.items():
            self.environment.pop(name, None)
            self.environment |= {name: value} if value is not None else {}
        self.release.sonde("down", *parts)
        self.release.sonde("up")


@dataclass(frozen=True)
class Fault:
    """``part``: whose line of doctor changes. ``row``: words of the troubleshooting page about it; ``action``: what the
    operator does, also a sentence of the table. ``lacks``: why it cannot be caused here; None if it can.
    """

    name: str
    part: str
    row: str
    action: str
    cause: Callable[[Site], object]
    repair: Callable[[Site], object]
    path: str = "/search"
    lacks: Callable[[Site], str | None] = lambda _site: None


@dataclass(frozen=True)
class Outcome:
    """``users``: each answer and how often; ``repaired_s``: until users and doctor were as before."""

    fault: str
    users: Mapping[str, int]
    doctor: str
    action: str
    repaired_s: float | None


def _stopped(name: str, row: str, *parts: str) -> Fault:
    return Fault(
        f"{name} is down",
        {"elasticsearch": "elasticsearch", "broker": "broker", "beat": "beat", "api": "api"}.get(name, "workers"),
        row,
        "`sonde up`",
        lambda site: site.release.sonde("down", *(parts or (name,))),
        lambda site: site.release.sonde("up"),
    )


def _fill_disk(site: Site) -> None:
    """Elasticsearch is told to want more free space than there is."""
    settings = {**dict.fromkeys(_WATERMARKS, "900tb"), "cluster.info.update.interval": "10s"}
    site.client.cluster.put_settings(persistent=settings)
    wait_until(lambda: "writes" in site.doctor(), 90, "the block of a full disk")


def _empty_disk(site: Site) -> None:
    site.client.cluster.put_settings(persistent=dict.fromkeys((*_WATERMARKS, "cluster.info.update.interval")))


def _records_index(site: Site) -> str:
    index = serving(site.client, _PREFIX, "records")
    if index is None:
        raise SondeError("The drill's stack has no index of records.")
    return index.index


def _lose_alias(site: Site) -> None:
    index = _records_index(site)
    site.before["index"] = index
    site.client.indices.delete_alias(index=index, name=alias(_PREFIX, "records"))


def _break_sources(site: Site) -> None:
    site.before["sources"] = site.sources.read_text("utf-8")
    site.sources.write_text("sources:\n  - {id: samples, tpye: folder}\n", "utf-8")


def _let_key_expire(site: Site) -> None:
    started = time.monotonic()
    site.release.sonde("keys", "list")
    end = datetime.now(UTC) + timedelta(seconds=12 + 2 * (time.monotonic() - started))  # a command may be slow here
    site.key = _new_key(site, end.isoformat())
    wait_until(lambda: site.search() == "200", 10, "an answer for the new key")
    time.sleep(max(0.0, (end - datetime.now(UTC)).total_seconds()) + 1)


def _new_key(site: Site, expires: str) -> str:
    added_key = site.release.sonde(
        "keys", "add", "--subject", "drill", "--scope", "search", "--expires", expires, "--json"
    )
    return str(json.loads(added_key)["key"])


def _replace_key(site: Site) -> None:
    """A new key for the caller. The old one is revoked, so that doctor no longer names it."""
    for row in json.loads(site.release.sonde("keys", "list", "--json")):
        site.release.sonde("keys", "revoke", row["id"])
    site.key = _new_key(site, "1d")
    site.key = ""  # the drill goes on as an anonymous user


def _jump_clock(site: Site) -> None:
    """Sonde's processes are two hours ahead, as on a machine of their own: for them, a key for one hour has ended."""
    reset_clock(site.clock)
    site.restart("api", *_BACKGROUND, **clock_environment(site.faketime, site.clock))
    site.key = _new_key(site, "1h")
    wait_until(lambda: site.search() == "200", 30, "an answer for the new key")
    site.clock.write_text(f"+{_JUMP_S}", "utf-8")


def _set_clock(site: Site) -> None:
    """Without another key: that of before is good again."""
    reset_clock(site.clock)
    wait_until(lambda: site.search() == "200", _LONGEST_S, "an answer for the same key")
    site.key = ""


def _raise_schema(site: Site) -> None:
    index = _records_index(site)
    mapping = site.client.indices.get_mapping(index=index).body[index]["mappings"]
    site.before["meta"] = mapping["_meta"]
    site.client.indices.put_mapping(index=index, meta={**mapping["_meta"], "schema_version": 99})


def _lower_schema(site: Site) -> None:
    site.client.indices.put_mapping(index=alias(_PREFIX, "records"), meta=site.before["meta"])  # type: ignore[arg-type]


def _lose_index(site: Site) -> None:
    site.release.sonde("backup", "take", *_REGISTER)
    site.client.indices.delete(index=_records_index(site))


def _restore(site: Site) -> None:
    site.release.sonde("down", *_BACKGROUND)
    site.release.sonde("backup", "restore", *_REGISTER, "--replace")
    site.release.sonde("up")


FAULTS = (
    _stopped("elasticsearch", "the only Elasticsearch node"),
    _stopped("broker", "| broker |"),
    _stopped("workers", "| worker |", *_WORKERS),
    _stopped("beat", "scheduler (`beat`)"),
    _stopped("api", "one API process"),
    Fault("the disk is full", "writes", "## Elasticsearch is read-only", "make room", _fill_disk, _empty_disk),
    Fault(
        "an alias is lost",
        "aliases",
        "## An alias is gone",
        "`sonde reindex --serve INDEX`",
        _lose_alias,
        lambda site: site.release.sonde("reindex", "--serve", str(site.before["index"])),
    ),
    Fault(
        "sources.yaml is wrong",
        "sources",
        "`sources.yaml` is wrong",
        "correct the line that doctor names",
        _break_sources,
        lambda site: site.sources.write_text(str(site.before["sources"]), "utf-8"),
    ),
    Fault("a key expired", "keys", "a key expired", "`sonde keys add`", _let_key_expire, _replace_key),
    Fault(
        "the language model is dead",
        "language model",
        "`language_model`",
        "correct `SONDE_ANSWERS__URL`",
        lambda site: site.restart("api", SONDE_ANSWERS__URL=_NOBODY, SONDE_ANSWERS__MODEL="small"),
        lambda site: site.restart("api", SONDE_ANSWERS__URL=None, SONDE_ANSWERS__MODEL=None),
        "/ask",
    ),
    Fault(
        "the mail server is dead",
        "mail",
        "the mail server is dead",
        "correct `SONDE_MAIL__HOST`",
        lambda site: site.restart("api", SONDE_MAIL__HOST="127.0.0.1", SONDE_MAIL__PORT="9"),
        lambda site: site.restart("api", SONDE_MAIL__HOST=None, SONDE_MAIL__PORT=None),
    ),
    Fault(
        "the schema is newer", "index", "the index is newer", "install the newer version", _raise_schema, _lower_schema
    ),
    Fault("an index is deleted", "index", "an index is deleted", "`sonde backup restore`", _lose_index, _restore),
    Fault(  # the last: Sonde's processes keep the library
        "the clock jumps",
        "clocks",
        "| a wrong clock |",
        "set the clock",
        _jump_clock,
        _set_clock,
        lacks=lambda site: clock_trouble(site.faketime),
    ),
)


@click.command()
@click.option(
    "--fault", "names", multiple=True, type=click.Choice([fault.name for fault in FAULTS]), help="Only these."
)
@shown("--faketime", DEBIAN_FAKETIME, "libfaketime's file, for the clock.", click.Path(path_type=Path))
@click.option("--json", "file", type=FILE, help="Also write the outcomes here.")
def drill(*, names: tuple[str, ...], faketime: Path, file: Path | None) -> None:
    """Cause faults of operation on a separate stack, and repair each. Exit code 1 if doctor misses one."""
    faults = [fault for fault in FAULTS if not names or fault.name in names]
    outcomes: list[Outcome] = []
    with started_site(messages(), faketime) as site:
        usual_findings = site.doctor()
        for fault in faults:
            if (why := fault.lacks(site)) is not None:
                messages().print(f"{fault.name}: not tried, {why}")
                continue
            messages().print(fault.name)
            outcomes.append(_rehearse(fault, site, usual_findings))
            if file is not None:
                write_measurement(file, {"faults": [asdict(outcome) for outcome in outcomes]})
    _show(outcomes)
    if any(not outcome.doctor or outcome.repaired_s is None for outcome in outcomes):
        sys.exit(1)


@contextmanager
def started_site(console: Console, faketime: Path) -> Iterator[Site]:
    """A stack with the samples, in a temporary folder and on free ports; nothing of it is left."""
    with ExitStack() as cleanup:
        cleanup.enter_context(ended_by_signals())
        folder = Path(tempfile.mkdtemp(prefix="sonde-drill-"))
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        environment = dict(own_stack(folder))
        environment.pop("SONDE_MODELS__FOLDER")  # those that are prepared already
        environment["SONDE_INDEX__PREFIX"] = _PREFIX
        Path(environment["SONDE_HARVEST__SOURCES"]).write_text(
            f"sources:\n  - {{id: samples, type: folder, path: '{CHECKOUT / 'samples' / 'records'}'}}\n", "utf-8"
        )
        release = this_release(environment)
        cleanup.callback(release.sonde, "down")
        console.print("starting a stack")
        release.sonde("up")
        release.sonde("harvest", "samples")
        password = (folder / "stack" / "elasticsearch-password").read_text("ascii")
        own_node = Settings().elasticsearch.model_copy(
            update={"url": f"http://sonde:{password}@127.0.0.1:{environment['SONDE_ELASTICSEARCH__PORT']}"}
        )
        client = elasticsearch_client(
            Settings().model_copy(update={"elasticsearch": own_node}), timeout_s=60.0, retry=True
        )
        cleanup.callback(client.close)
        yield Site(environment, client, faketime)


def _rehearse(fault: Fault, site: Site, usual_findings: Mapping[str, str]) -> Outcome:
    usual_answer = site.search(fault.path)
    fault.cause(site)
    users = Counter[str]()
    for _ in range(_ASKED):
        users[site.search(fault.path)] += 1
        time.sleep(_PAUSE_S)
    findings = {part: text for part, text in site.doctor().items() if usual_findings.get(part) != text}
    started = time.monotonic()
    try:
        _repair(fault, site)
        wait_until(
            lambda: (
                site.search(fault.path) == usual_answer
                and fault.part not in site.doctor().keys() - usual_findings.keys()
            ),
            _LONGEST_S,
            f"the end of: {fault.name}",
        )
        repaired_s = round(time.monotonic() - started, 1)
    except (SondeError, TimeoutError) as error:
        messages().print(f"{fault.name}: {error}", highlight=False)
        repaired_s = None
    return Outcome(fault.name, dict(users), findings.get(fault.part, ""), fault.action, repaired_s)


def _repair(fault: Fault, site: Site) -> None:
    """A second time if it fails: on a busy machine a part may start too slowly, and what has started stays up."""
    try:
        fault.repair(site)
    except SondeError as error:
        messages().print(f"{fault.name}, repaired again after: {str(error)[:200]}", highlight=False)
        fault.repair(site)


def _show(outcomes: list[Outcome]) -> None:
    table = plain_table("fault", "users saw", "doctor said", "operator", "repaired after", fold=True)
    for outcome in outcomes:
        users = ", ".join(f"{count} x {answer}" for answer, count in outcome.users.items())
        repaired = "not" if outcome.repaired_s is None else f"{outcome.repaired_s:.0f} s"
        table.add_row(outcome.fault, users, outcome.doctor or "nothing", outcome.action, repaired)
    screen().print(table)


COMMANDS = (drill,)
