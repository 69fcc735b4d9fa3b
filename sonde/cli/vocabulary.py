"""`sonde vocabulary`: manages the vocabularies that expand a question."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from core.errors import SondeError
from es_mappings.indices import ensure_indices
from reading.concepts import NamedVocabulary, read_files
from reading.vocabulary import OWN_VOCABULARY
from search_api.search.understanding.vocabularies import Manifest, VocabularyStore
from sonde.cli.screen import plain_table, say, say_json, screen
from sonde.settings import load_settings
from sonde.wiring.clients import elasticsearch_client
from sonde.wiring.models import Models

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_TIMEOUT_S = 60.0


@click.group()
def vocabulary() -> None:
    """Vocabularies (SKOS), whose synonyms and narrower terms expand questions."""


@vocabulary.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--name", help="Name of the vocabulary. Default: from the first file's name.")
@click.option("--json", "as_json", is_flag=True, help="Print what was loaded as JSON.")
def load(files: tuple[Path, ...], *, name: str | None, as_json: bool) -> None:
    """Load a vocabulary from SKOS FILEs (.rdf, .ttl, .nt) or keyword trees (.json); replaces one with the same name.

    Several files are read together, because labels often have one file per language. Nothing is fetched from the net.
    The running service uses it within half a minute.

    Example: sonde vocabulary load gemet-skoscore.rdf gemet-en.rdf gemet-de.rdf --name gemet
    """
    vocabulary_name = _check_name(name or re.sub(r"[^a-z0-9_-]+", "-", files[0].stem.lower()).strip("-"))
    concepts = read_files(files)
    settings = load_settings()
    client = elasticsearch_client(settings, timeout_s=_TIMEOUT_S)
    ensure_indices(client, settings.index.prefix, Models(settings).embedder().card, kinds=("vocabulary",))
    store = VocabularyStore(client, settings.index.prefix)
    manifest = store.save(NamedVocabulary(vocabulary_name, concepts), datetime.now(UTC).isoformat(timespec="seconds"))
    _show([manifest], as_json=as_json)


@vocabulary.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def list_(*, as_json: bool) -> None:
    """List the loaded vocabularies; Sonde's small one is always used too."""
    _show(_store().manifests(), as_json=as_json)


@vocabulary.command()
@click.argument("name")
def remove(name: str) -> None:
    """Remove a loaded vocabulary."""
    _store().remove(name)
    say(f"{name} is removed.")


def _store() -> VocabularyStore:
    settings = load_settings()
    return VocabularyStore(elasticsearch_client(settings, timeout_s=_TIMEOUT_S), settings.index.prefix)


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name == OWN_VOCABULARY:
        raise SondeError(
            f"--name: {name!r} cannot be a vocabulary's name; use letters a-z, digits, - and _, other than "
            f"{OWN_VOCABULARY!r}."
        )
    return name


def _show(manifests: list[Manifest], *, as_json: bool) -> None:
    if as_json:
        say_json([asdict(manifest) for manifest in manifests])
        return
    if not manifests:
        say("None is loaded; only Sonde's small vocabulary widens questions.")
        return
    table = plain_table("name", "concepts", "labels", "languages", "loaded", right=("concepts", "labels"))
    for manifest in manifests:
        counts = (str(manifest.concepts), str(manifest.labels))
        table.add_row(manifest.name, *counts, " ".join(manifest.languages), manifest.loaded)
    screen().print(table)


COMMANDS = (vocabulary,)
