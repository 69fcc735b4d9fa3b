"""Loads transformers' models only with all of their weights (the library fills missing ones with random numbers), and a
cross-encoder with its classification head. The torch runtime serves them; the exporter makes graphs of them.

The classification head is part of the model (``...ForSequenceClassification``), or sentence-transformers keeps it in
folders beside the model, as for the Ettin rerankers: ``modules.json`` lists a Transformer, a Pooling, then Dense and
LayerNorm; the last Dense writes ``scores``.
"""

from __future__ import annotations

import inspect
import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.errors import ModelMissing
from core.json_types import JsonMapping
from encoders.recipe import Pooling, read_json, read_pooling

if TYPE_CHECKING:
    from torch import Tensor, dtype, nn


Architecture = Literal["AutoModel", "AutoModelForSequenceClassification"]
_POOLER = "pooler."  # BERT's layer over [CLS], which models of sentence-transformers do not use and often lack
_MAX_NAMES = 3
_SCORES = "scores"
_ACTIVATIONS = "torch.nn.modules."
_LAYERS = ("Dense", "LayerNorm", "Dropout")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MOST_LABELS = 2
_GENERATIVE = ("ForCausalLM", "ForConditionalGeneration")


def load_complete(kind: Architecture, folder: Path, **options: object) -> Any:
    """The model, for inference. ``options`` are those of ``from_pretrained``.

    Raises ModelMissing, also for a model that needs its own code, which Sonde never runs.
    """
    import transformers

    arguments = {"use_safetensors": True, "local_files_only": True, "trust_remote_code": False, **options}
    try:
        model, report = getattr(transformers, kind).from_pretrained(str(folder), output_loading_info=True, **arguments)
    except (OSError, ValueError, RuntimeError, KeyError, AttributeError) as error:
        raise ModelMissing(f"{folder} cannot be loaded by transformers: {' '.join(str(error).split())[:200]}") from None
    has_head = kind != "AutoModel"
    if missing_keys := sorted(key for key in report["missing_keys"] if has_head or not key.startswith(_POOLER)):
        missing_part = "no complete classification head" if has_head else "only a part of the weights"
        raise ModelMissing(f"{folder} holds {missing_part}: {names_with_verb(missing_keys)} missing")
    return model.eval()


def names_with_verb(names: Sequence[str]) -> str:
    """``a, b and 3 more are``: the first names, the number of the others, and the verb."""
    and_others = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(names[:_MAX_NAMES])}{and_others} {'is' if len(names) == 1 else 'are'}"


def accepted_inputs(model: nn.Module, names: Sequence[str]) -> list[str]:
    """The inputs that the model takes; ModernBERT, for example, has no ``token_type_ids``."""
    parameters = inspect.signature(model.forward).parameters
    return [name for name in names if name in parameters]


@dataclass(frozen=True, slots=True)
class Module:
    """A row of ``modules.json``: its type without the package, and its folder."""

    kind: str
    folder: Path

    @property
    def settings(self) -> JsonMapping:
        values: JsonMapping = read_json(self.folder / "config.json")
        return values


def read_modules(folder: Path) -> list[Module]:
    """In the order of ``modules.json``; empty without that file."""
    rows = read_json(folder / "modules.json", default=[])
    return [Module(str(row["type"]).rsplit(".", 1)[-1], folder / str(row["path"])) for row in rows]


@dataclass(frozen=True, slots=True)
class ClassificationHead:
    """What follows the transformer: pooling of the token states to one vector, then the layers that make the score."""

    pooling: Pooling
    modules: tuple[Module, ...]

    @staticmethod
    def of(folder: Path, modules: Sequence[Module]) -> ClassificationHead:
        """Raises ModelMissing for modules that give no score, or that Sonde does not support."""
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
        return ClassificationHead(read_pooling(modules[1].folder), layers)

    def pool(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, dims) of (n, tokens, dims) in PyTorch."""
        if self.pooling == "cls":
            return states[:, 0]
        weights = mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(1) / weights.sum(1).clamp(min=1e-9)

    def layers(self, number_type: dtype) -> nn.Module:
        """The layers with their weights, in the model's number type."""
        import torch

        layers = [_layer(module) for module in self.modules if module.kind != "Dropout"]
        return torch.nn.Sequential(*layers).to(number_type).eval()


def _layer(module: Module) -> nn.Module:
    """A Dense or a LayerNorm. Raises ModelMissing if its weights are missing or have other names or sizes."""
    import torch

    settings = module.settings
    if module.kind == "LayerNorm":
        return _load_weights(torch.nn.LayerNorm(int(settings["dimension"])), module, "norm.")
    if settings.get("use_residual"):
        raise ModelMissing(f"{module.folder}: a Dense with a residual connection is not supported")
    sizes = int(settings["in_features"]), int(settings["out_features"])
    linear = _load_weights(torch.nn.Linear(*sizes, bias=bool(settings.get("bias", True))), module, "linear.")
    return torch.nn.Sequential(linear, _activation(module))


def _load_weights(layer: nn.Module, module: Module, prefix: str) -> nn.Module:
    from safetensors.torch import load_file

    file = module.folder / "model.safetensors"
    tensors = load_file(file) if file.is_file() else {}
    state = {name.removeprefix(prefix): value for name, value in tensors.items()}
    if missing_keys := sorted(set(layer.state_dict()) - set(state)):
        raise ModelMissing(
            f"{module.folder} lacks weights of the classification head: {names_with_verb(missing_keys)} missing"
        )
    try:
        layer.load_state_dict(state)
    except RuntimeError as error:
        raise ModelMissing(
            f"{module.folder} holds weights of another layer: {' '.join(str(error).split())[:150]}"
        ) from None
    return layer


def _activation(module: Module) -> nn.Module:
    """By its name in PyTorch (``torch.nn.modules.activation.GELU``). Other code is not run."""
    import torch

    name = str(module.settings.get("activation_function", "torch.nn.modules.activation.Tanh"))
    kind = getattr(torch.nn, name.rpartition(".")[2], None) if name.startswith(_ACTIVATIONS) else None
    if kind is None:
        raise ModelMissing(f"{module.folder} uses the activation {name}, which is not one of PyTorch's")
    activation: nn.Module = kind()
    return activation


def load_classifier(folder: Path, **options: object) -> nn.Module:
    """A torch module from ``INPUTS`` to logits (n, 1 or 2). ``options`` are those of ``from_pretrained``.

    Raises ModelMissing with what the folder lacks: no weight is ever random.
    """
    refuse_generative(folder)
    modules = read_modules(folder)
    if len(modules) > 1:
        head = ClassificationHead.of(folder, modules)
        return _with_head(load_complete("AutoModel", modules[0].folder, **options), head)
    model = load_complete("AutoModelForSequenceClassification", modules[0].folder if modules else folder, **options)
    labels = int(model.config.num_labels)
    if labels > MOST_LABELS:
        raise ModelMissing(f"{folder}: a cross-encoder has one or two labels, this model has {labels}")
    return _with_head(model, None)


def refuse_generative(folder: Path) -> None:
    """Raises ModelMissing for a language model, with where to run it. Loads nothing."""
    architectures = read_json(folder / "config.json").get("architectures") or []
    if any(str(name).endswith(_GENERATIVE) for name in architectures):
        raise ModelMissing(
            f"{folder} is a language model and has no classification head: serve it behind a /rerank endpoint "
            "and set SONDE_CROSS_ENCODER__RUNTIME=remote"
        )


def _with_head(model: nn.Module, head: ClassificationHead | None) -> nn.Module:
    import torch

    names = accepted_inputs(model, INPUTS)
    layers = None if head is None else head.layers(next(model.parameters()).dtype)

    class Classifier(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model
            self.head = layers

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS, (input_ids, attention_mask, token_type_ids), strict=True))
            output = self.model(**{name: inputs[name] for name in names})
            if head is None or self.head is None:
                scores: Tensor = output.logits
            else:
                scores = self.head(head.pool(output.last_hidden_state, attention_mask))
            return scores

    return Classifier().eval()


GraphOutput = Literal["states", "logits"]
OPSET = 17
AXES: Mapping[int, str] = {0: "batch", 1: "tokens"}


def export(source: Path, target: Path, output: GraphOutput) -> None:
    """Writes the graph of ``source`` with free batch and token axes.

    ``states``: (n, tokens, dims) of the last layer, for an embedder; ``logits``: (n, labels), for a cross-encoder.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # transformers reads it at import; a folder needs no hub
    import torch

    logging.getLogger("transformers").setLevel(logging.ERROR)
    model = _module(source, output)
    example = tuple(torch.ones((2, 7), dtype=torch.long) for _ in INPUTS)
    trace(model, example, target, INPUTS, output, AXES if output == "states" else {0: "batch"})


def trace(
    model: nn.Module,
    example: tuple[Tensor, ...],
    target: Path,
    inputs: Sequence[str],
    output: str,
    output_axes: Mapping[int, str] = AXES,
) -> None:
    """Writes the graph of what ``model`` does with ``example``; the inputs' batch and token axes are free."""
    import torch

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns: deprecated; the new one needs onnxscript
        torch.onnx.export(
            model,
            example,
            str(target),
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes={**dict.fromkeys(inputs, AXES), output: output_axes},
            opset_version=OPSET,
            dynamo=False,
        )


def _module(source: Path, output: GraphOutput) -> nn.Module:
    import torch

    # "eager" attention: its plain operators trace for any length; fused ones fix the example's length. ONNX Runtime
    # computes on processors in float32 only, and many models are published in 16 bits.
    options = {"attn_implementation": "eager", "dtype": torch.float32}
    return (
        load_classifier(source, **options)
        if output == "logits"
        else _states(load_complete("AutoModel", source, **options))
    )


def _states(inner: nn.Module) -> nn.Module:
    import torch

    names = accepted_inputs(inner, INPUTS)

    class States(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor) -> Tensor:
            inputs = dict(zip(INPUTS, (input_ids, attention_mask, token_type_ids), strict=True))
            states: Tensor = self.inner(**{name: inputs[name] for name in names}).last_hidden_state
            return states

    return States()
