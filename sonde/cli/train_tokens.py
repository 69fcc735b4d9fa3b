"""`sonde train tokens`: what makes token vectors of an embedder's states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from encoders.specs import DEFAULT_EMBEDDER
from sonde.cli.options import FOLDER, PRESENT_FILE, shown
from sonde.cli.screen import say
from sonde.cli.train_options import command_line, show_figures
from sonde.settings import load_settings
from sonde.wiring.training.tokens import HeadRequest, run_tokens
from training.provenance import UNKNOWN
from training.tokens.head import HeadSettings, LearnSettings
from training.tokens.learn_layers import LayerSettings
from training.weights import fastest_precision

_DEFAULT, _LAYERS = HeadSettings(), LayerSettings()


@click.command("tokens")
@click.option(
    "--from", "sources", required=True, multiple=True, metavar="samples|SOURCE|FILE", help="Records. May be repeated."
)
@click.option("--out", type=FOLDER, default=Path("tokens"), help="Folder. Default: ./tokens.")
@shown("--base", DEFAULT_EMBEDDER, "The embedder whose states are read.")
@click.option("--licence", default=UNKNOWN, help="Licence of the texts, for the card.")
@shown("--dims", _DEFAULT.dims, "Bits of a token, by eights.", click.IntRange(8, 2040))
@shown("--texts", _DEFAULT.texts, "Most texts to read.", click.IntRange(1))
@click.option("--judged", multiple=True, metavar="COLLECTION", help="Then learn on its train half. May be repeated.")
@click.option("--shared", type=FOLDER, envvar="SONDE_SHARED", help="Shared data folder.")
@shown("--epochs", LearnSettings().epochs, type=click.IntRange(1))
@click.option(
    "--layers", is_flag=True, help="Teach copies of the embedder's last layers too, on --judged and --examples."
)
@click.option(
    "--examples",
    type=PRESENT_FILE,
    help="With --layers and --teacher: examples with hard negatives, of `sonde train examples`.",
)
@click.option(
    "--teacher", default="", metavar="MODEL", help="With --layers: a larger embedder whose scores are learnt."
)
@shown("--steps", _LAYERS.steps, "With --layers.", click.IntRange(1))
@shown("--device", _LAYERS.device, "With --layers: cpu (many hours) or cuda (minutes).")
@shown("--seed", _DEFAULT.seed, type=int)
def tokens(**options: Any) -> None:
    """Fit what makes token vectors of an embedder's states: on texts alone, then on judged questions if some are named.

    The service does not change: SONDE_EMBEDDER__TOKENS names the folder, and `sonde reindex` makes the vectors.
    """
    if options["dims"] % 8:
        raise click.BadParameter("must be a multiple of 8", param_hint="--dims")
    if options["layers"] and not (options["judged"] or options["examples"]):
        raise click.BadParameter("needs --judged or --examples to learn from", param_hint="--layers")
    if options["examples"] and not options["teacher"]:
        raise click.BadParameter("needs a --teacher: nobody graded these questions' texts", param_hint="--examples")
    seed, device, out = options["seed"], options["device"], options["out"]
    names = ("sources", "out", "base", "licence", "judged", "shared", "examples", "teacher")
    request = HeadRequest(
        **{name: options[name] for name in names},
        command=command_line(),
        settings=HeadSettings(options["dims"], options["texts"], seed),
        learning=LearnSettings(options["epochs"], seed=seed),
        layers=LayerSettings(options["steps"], seed=seed, precision=fastest_precision(device), device=device)
        if options["layers"]
        else None,
    )
    card = run_tokens(load_settings(), request, lambda sentence: say(sentence, err=True))
    show_figures(card)
    say(f"{out} is written. SONDE_EMBEDDER__TOKENS={out.resolve()} and `sonde reindex` put it in service.")


COMMANDS = (tokens,)
