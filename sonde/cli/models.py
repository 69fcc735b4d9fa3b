"""`sonde models`: lists models, checks them against their recorded values, and explains how to put one in service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from core.errors import ModelMissing
from encoders.locate import SHIPPED
from encoders.registry import ModelCheck, ModelEntry, entries, entry_of, verify
from sonde.cli.lazy_group import LazyGroup
from sonde.cli.options import PRESENT_FOLDER
from sonde.cli.screen import plain_table, say, say_json, screen
from sonde.settings import Settings, load_settings

_SETTING = {
    "embedder": "SONDE_EMBEDDER__MODEL",
    "reranker": "SONDE_CROSS_ENCODER__MODEL",
    "segmenter": "SONDE_DOCUMENTS__SEGMENTER",
    "token-head": "SONDE_EMBEDDER__TOKENS",
    "tagger": "SONDE_MODELS__TAGGER",
}


@click.group(cls=LazyGroup, modules={"calibrate": "sonde.cli.models_calibrate"})
def models() -> None:
    """Models: the shipped and trained ones, those of packages, and well-known ones of the hub."""


@models.command("list")
@click.argument("folders", nargs=-1, type=PRESENT_FOLDER)
@click.option("--json", "as_json", is_flag=True)
def list_(folders: tuple[Path, ...], *, as_json: bool) -> None:
    """The models of FOLDERS, of the models folder and of Sonde itself, then the well-known ones.

    A hub model that is not on this machine is downloaded only with SONDE_MODELS__ALLOW_HUB.
    """
    settings = load_settings()
    model_entries = entries(settings.models.folder, (*folders, *_own_folders(settings)))
    if as_json:
        rows = [{**asdict(entry), "folder": str(entry.folder) if entry.folder else None} for entry in model_entries]
        say_json([{**row, "in_use": _in_use(entry, settings)} for row, entry in zip(rows, model_entries, strict=True)])
        return
    headings = ("model", "kind", "dims", "tokens", "licence", "here", "note")
    table = plain_table(*headings, right=("dims", "tokens"), fold=True)
    for entry in model_entries:
        state = "in use" if _in_use(entry, settings) else "yes" if entry.folder else ""
        sizes = (str(entry.dims or ""), str(entry.max_tokens or ""))
        table.add_row(entry.name, entry.kind, *sizes, entry.licence, state, entry.note)
    screen().print(table)


@models.command("verify")
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@click.option("--json", "as_json", is_flag=True)
def verify_(names: tuple[str, ...], *, as_json: bool) -> None:
    """Compare models with their recorded values: hashes, vectors or logits, int8 against fp32.

    Without MODEL: every one on this machine. Exit code 1 if one has changed.
    """
    settings = load_settings()
    cache = settings.models.folder
    model_entries = [entry_of(name, cache) for name in names]
    if not names:
        model_entries = [entry for entry in entries(cache, _own_folders(settings)) if entry.folder is not None]
    results = [(entry, verify(entry, cache)) for entry in model_entries]
    if as_json:
        say_json([{"model": entry.name, "checks": [asdict(check) for check in checks]} for entry, checks in results])
    for entry, checks in results if not as_json else ():
        say(entry.name)
        for check in checks:
            say(f"  {_mark(check)} {check.what}: {check.message}")
    if any(check.ok is False for _, checks in results for check in checks):
        sys.exit(1)


@models.command()
@click.argument("name", metavar="MODEL")
def use(name: str) -> None:
    """Check that MODEL can serve, and say how to put it into service. This command changes nothing.

    An embedder never changes under a running index: the next index is built beside it, compared, and the alias moves.
    Exit code 1 if a check fails.
    """
    settings = load_settings()
    entry = entry_of(name, settings.models.folder)
    checks = verify(entry, settings.models.folder)
    for check in checks:
        say(f"{_mark(check)} {check.what}: {check.message}", err=True)
    if any(check.ok is False for check in checks):
        raise ModelMissing(f"{name} does not match its recorded values; do not put it into service.")
    for line in _steps(entry):
        say(line)


def _steps(entry: ModelEntry) -> list[str]:
    is_trained = entry.own and entry.folder is not None and entry.folder.parent != SHIPPED
    name = str(entry.folder.resolve()) if is_trained and entry.folder else entry.name
    if entry.kind == "token-head" and not is_trained:
        name = "auto"  # the default: the included head of the embedder's weights
    setting = f"export {_SETTING[entry.kind]}={name}"
    if entry.kind in ("embedder", "token-head"):
        return [
            setting,
            "sonde reindex --dry-run    # builds and compares beside the index that serves",
            "sonde reindex              # moves the alias; the process keeps the old model until then",
            "sonde reindex --rollback   # the way back",
        ]
    if entry.kind == "segmenter":
        return [setting, "# restart the workers; documents are parted anew when they are ingested again"]
    return [setting, "# restart the API; `sonde evaluate` shows what it does to your questions"]


def _own_folders(settings: Settings) -> Iterator[Path]:
    for home in (SHIPPED, settings.models.folder / "trained"):
        if home.is_dir():
            yield from sorted(folder for folder in home.iterdir() if (folder / "card.json").is_file())


def _in_use(entry: ModelEntry, settings: Settings) -> bool:
    in_settings = {settings.embedder.model, settings.cross_encoder.model}
    return entry.name in in_settings or (entry.folder is not None and str(entry.folder.resolve()) in in_settings)


def _mark(check: ModelCheck) -> str:
    return "-" if check.ok is None else "ok" if check.ok else "NO"


COMMANDS = (models,)
