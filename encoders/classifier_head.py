"""The head of a cross-encoder in folders of sentence-transformers, as the Ettin rerankers keep it.

``modules.json`` lists a Transformer, a Pooling, then Dense and LayerNorm; the last Dense writes ``scores``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ModelMissing
from core.json_types import JsonMapping
from encoders.recipe import Pooling, read_json, read_pooling
from encoders.torch_weights import listed

if TYPE_CHECKING:
    from torch import Tensor, dtype, nn

_SCORES = "scores"
_ACTIVATIONS = "torch.nn.modules."
_LAYERS = ("Dense", "LayerNorm", "Dropout")


@dataclass(frozen=True, slots=True)
class Module:
    """A row of ``modules.json``: its type without the package, and its folder."""

    kind: str
    folder: Path

    @property
    def settings(self) -> JsonMapping:
        found: JsonMapping = read_json(self.folder / "config.json")
        return found


def read_modules(folder: Path) -> list[Module]:
    """In the order of ``modules.json``; empty without that file."""
    rows = read_json(folder / "modules.json", default=[])
    return [Module(str(row["type"]).rsplit(".", 1)[-1], folder / str(row["path"])) for row in rows]


@dataclass(frozen=True, slots=True)
class Head:
    """What follows the transformer: how its token states become one vector, and the layers from there to the score."""

    pooling: Pooling
    modules: tuple[Module, ...]

    @staticmethod
    def of(folder: Path, modules: Sequence[Module]) -> Head:
        """Raises ModelMissing for modules that give no score, or that are not known here."""
        kinds = [module.kind for module in modules]
        if kinds[:2] != ["Transformer", "Pooling"]:
            raise ModelMissing(
                f"{folder}: modules.json lists {', '.join(kinds)}, not a Transformer and a Pooling first"
            )
        layers = tuple(modules[2:])
        if unknown := sorted({layer.kind for layer in layers} - set(_LAYERS)):
            raise ModelMissing(f"{folder}: a cross-encoder's module {unknown[0]} is not supported")
        if not layers or layers[-1].settings.get("module_output_name") != _SCORES:
            raise ModelMissing(
                f"{folder} is an embedder, not a cross-encoder: modules.json has no Dense that writes {_SCORES!r}"
            )
        return Head(read_pooling(modules[1].folder), layers)

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, dims) of (n, tokens, dims) in PyTorch."""
        if self.pooling == "cls":
            return states[:, 0]
        kept = mask.unsqueeze(-1).to(states.dtype)
        return (states * kept).sum(1) / kept.sum(1).clamp(min=1e-9)

    def layers(self, numbers: dtype) -> nn.Module:
        """The layers with their weights, in the model's number type."""
        import torch

        made = [_layer(module) for module in self.modules if module.kind != "Dropout"]
        return torch.nn.Sequential(*made).to(numbers).eval()


def _layer(module: Module) -> nn.Module:
    """A Dense or a LayerNorm. Raises ModelMissing if its weights are missing or have other names or sizes."""
    import torch

    settings = module.settings
    if module.kind == "LayerNorm":
        return _loaded(torch.nn.LayerNorm(int(settings["dimension"])), module, "norm.")
    if settings.get("use_residual"):
        raise ModelMissing(f"{module.folder}: a Dense with a residual connection is not supported")
    sizes = int(settings["in_features"]), int(settings["out_features"])
    linear = _loaded(torch.nn.Linear(*sizes, bias=bool(settings.get("bias", True))), module, "linear.")
    return torch.nn.Sequential(linear, _activation(module))


def _loaded(layer: nn.Module, module: Module, prefix: str) -> nn.Module:
    from safetensors.torch import load_file

    file = module.folder / "model.safetensors"
    found = load_file(file) if file.is_file() else {}
    given = {name.removeprefix(prefix): value for name, value in found.items()}
    if missing := sorted(set(layer.state_dict()) - set(given)):
        raise ModelMissing(f"{module.folder} lacks weights of the classification head: {listed(missing)} missing")
    try:
        layer.load_state_dict(given)
    except RuntimeError as error:
        raise ModelMissing(
            f"{module.folder} holds weights of another layer: {' '.join(str(error).split())[:150]}"
        ) from None
    return layer


def _activation(module: Module) -> nn.Module:
    """By its name in PyTorch (``torch.nn.modules.activation.GELU``); code from elsewhere is not run."""
    import torch

    name = str(module.settings.get("activation_function", "torch.nn.modules.activation.Tanh"))
    made = getattr(torch.nn, name.rpartition(".")[2], None) if name.startswith(_ACTIVATIONS) else None
    if made is None:
        raise ModelMissing(f"{module.folder} uses the activation {name}, which is not one of PyTorch's")
    found: nn.Module = made()
    return found
